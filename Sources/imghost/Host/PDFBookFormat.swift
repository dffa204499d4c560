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
      let lettering = BookLettering(arguments, try PageSetup(arguments))
      problems += lettering.problems(with: arguments)
    } catch {
      problems += error.errors.map { "\($0)" }
    }
    return problems
  }

  func problem(withCaption caption: String) -> String? {
    BookLettering.isPangoThere
      ? TextError.problem(with: caption)?.description
      : Caption.problem(with: caption)?.description
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
