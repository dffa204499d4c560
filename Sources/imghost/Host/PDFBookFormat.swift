import ImageCore
import ImagePipeline
import PDFBook

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The PDF writer as the engine's document format.
struct PDFBookFormat: BookFormat {
  /// The engine declares some of them itself.
  var parameters: [ParameterDescriptor] {
    let known = Set(SinkParameters.book.map(\.name))
    return BookParameters.all.filter { !known.contains($0.name) }
  }

  func problems(with arguments: Arguments) -> [String] {
    var problems: [String] = []
    if arguments.boolean("verify"), let problem = VerifierProcess.problem {
      problems.append(problem)
    }
    do throws(PageSetupErrors) {
      _ = try PageSetup(arguments)
    } catch {
      problems += error.errors.map { "\($0)" }
    }
    return problems
  }

  func problem(withCaption caption: String) -> String? {
    Caption.problem(with: caption)?.description
  }

  func reasonToEncode(_ header: PictureHeader) -> String? {
    header.codec == "jpeg" ? nil : "a PDF does not hold \(header.codec) files"
  }

  func prepare(_ pixels: PixelBuffer, metadata: PictureMetadata) throws(PictureError)
    -> any PreparedPicture
  {
    let encoder = FlateEncoder(pixels.layout, iccProfile: metadata.iccProfile)
    try encoder.write(pixels.layout.height, from: pixels.base, stride: pixels.stride)
    try encoder.finish()
    return encoder.picture
  }

  func makeWriter(to file: OutputFile, arguments: Arguments) throws(PictureError)
    -> any BookWriter
  {
    do {
      return try PDFBookWriter(file, arguments)
    } catch let error as PDFError {
      throw error.pictureError(book: file.path)
    } catch {
      preconditionFailure("page options that were checked are wrong: \(error)")
    }
  }

  /// `SOURCE_DATE_EPOCH`: the only date a book may carry, so that the same inputs give the same bytes.
  static var creationTime: Int? {
    getenv("SOURCE_DATE_EPOCH").flatMap { Int(String(cString: $0)) }
  }
}

extension PDFPicture: PreparedPicture {
  public var byteCount: Int {
    let own =
      switch data {
      case .bytes(let bytes): bytes.count
      case .encoded(let bytes): bytes.count
      case .file: 0
      }
    return own + (mask?.count ?? 0)
  }
}

/// Adds pages to a PDF, and keeps what the verifier is to find.
private final class PDFBookWriter: BookWriter {
  private let path: String
  private let setup: PageSetup
  private let writer: PDFWriter
  /// Nil where nobody will look.
  private var expectations: VerificationExpectations?
  private var worstPSNR = Double.infinity

  init(_ file: OutputFile, _ arguments: Arguments) throws {
    path = file.path
    expectations = arguments.boolean("verify") ? VerificationExpectations() : nil
    setup = try PageSetup(arguments)
    writer = try PDFWriter(
      descriptor: file.descriptor, path: file.path,
      info: DocumentInfo(arguments, creationTime: PDFBookFormat.creationTime))
  }

  func add(_ page: BookPage) throws(PictureError) {
    do {
      let (reference, orientation) = try store(page)
      var laidOut = try setup.page(
        reference, orientation: orientation, resolution: page.metadata.resolution,
        caption: page.caption ?? "")
      for index in laidOut.placements.indices { laidOut.placements[index].source = page.source }
      try writer.addPage(laidOut)
      expectations?.pages.append(laidOut.expectation(fingerprints: [page.intended?.fingerprint]))
      worstPSNR = min(worstPSNR, page.intended?.encodedPSNR ?? .infinity)
    } catch let error as PDFError {
      throw error.pictureError(book: path)
    } catch let error as JPEGFault {
      throw .codec(.unsupported("\(error)"))
    } catch let error as PictureError {
      throw error
    } catch {
      preconditionFailure("an error of no known kind: \(error)")
    }
  }

  private func store(_ page: BookPage) throws -> (PictureReference, Orientation) {
    switch page.content {
    case .encoded(let bytes, let digest):
      let picture = try PDFPicture(jpeg: bytes, iccProfile: page.metadata.iccProfile)
      return (try writer.add(picture, digest: digest), .upright)
    case .prepared(let picture):
      guard let picture = picture as? PDFPicture else {
        preconditionFailure("a page was prepared by another format")
      }
      return (try writer.add(picture), .upright)
    case .file(let path, let header, let digest):
      let picture = try PDFPicture(
        jpegFile: try openFile(path), iccProfile: header.metadata.iccProfile)
      return (try writer.add(picture, digest: digest), header.metadata.orientation)
    }
  }

  private func openFile(_ path: String) throws(PictureError) -> InputFile {
    do throws(FileError) {
      return try InputFile(path: path)
    } catch {
      throw .file(error)
    }
  }

  func finish() throws(PictureError) -> BookSummary {
    do throws(PDFError) {
      let summary = try writer.finish()
      return BookSummary(
        pageCount: summary.pages, expectations: expectations?.text ?? "", worstPSNR: worstPSNR)
    } catch {
      throw error.pictureError(book: path)
    }
  }
}

extension PDFError {
  /// As the engine's error: about a file, or about what was asked for.
  fileprivate func pictureError(book: String) -> PictureError {
    switch self {
    case .file(let error), .source(let error): .file(error)
    default: .operation(.unsuitable(description))
    }
  }
}
