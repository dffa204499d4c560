import ImageCore
import ImagePipeline
import PDFBook

/// Adds pages to a PDF, and keeps what the verifier is to find.
final class PDFBookWriter: BookWriter {
  private let path: String
  private let lettering: BookLettering
  private let writer: PDFWriter
  /// Nil where nobody will look.
  private var expectations: VerificationExpectations?
  private var worstPSNR = Double.infinity
  private var isFirst = true
  private var textPageCount = 0

  init(_ file: OutputFile, _ arguments: Arguments) throws {
    path = file.path
    expectations = arguments.boolean("verify") ? VerificationExpectations() : nil
    lettering = BookLettering(arguments, try PageSetup(arguments))
    writer = try PDFWriter(
      descriptor: file.descriptor, path: file.path,
      info: DocumentInfo(arguments, creationTime: PDFBookFormat.creationTime))
  }

  func add(_ page: BookPage) throws(PictureError) {
    do {
      let (reference, orientation) = try store(page)
      if isFirst {
        isFirst = false
        if let title = try lettering.titlePage(before: page, reference, orientation) {
          try writer.addPage(title)
          textPageCount += 1
          expectations?.pages.append(title.expectation())
        }
      }
      let laidOut = try lettering.page(page, reference, orientation, writer)
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
      try lettering.finish(writer)
      let summary = try writer.finish()
      return BookSummary(
        pageCount: summary.pages, textPageCount: textPageCount,
        expectations: expectations?.text ?? "", worstPSNR: worstPSNR,
        notes: lettering.notes)
    } catch {
      throw error.pictureError(book: path)
    }
  }
}

extension PDFError {
  /// As the engine's error: about a file, or about what was asked for.
  func pictureError(book: String) -> PictureError {
    switch self {
    case .file(let error), .source(let error): .file(error)
    default: .operation(.unsuitable(description))
    }
  }
}
