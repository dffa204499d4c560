import BookExpectations
import ImageCore
import ImagePipeline
import Platform

/// The expectations of a book. They are written to a temporary file page by page, because each picture takes 6 KB, too
/// much memory for thousands of pages. The file is removed with the last reference to this object.
///
/// `@unchecked Sendable`: only the book's writer uses it, one worker at a time, and after that only the verifier's
/// thread.
final class ExpectationFile: @unchecked Sendable {
  private static let bufferByteCount = 64 << 10

  /// The number of pixels of the largest picture.
  private(set) var mostPixels = 0
  /// The reason why the file cannot be used, which is reported when the book is verified.
  private(set) var failure: FileError?
  private var file: TemporaryFile?
  private var text = ExpectationsText()
  private var buffer: [UInt8] = []

  /// Creates a registered temporary file, which is removed even if a signal ends the process, except SIGKILL.
  init() {
    do throws(FileError) {
      file = try TemporaryFiles.make()
    } catch {
      failure = error
    }
  }

  deinit { if let file { TemporaryFiles.end(file) } }

  var path: String { file?.path ?? "" }

  func add(_ page: PageExpectation) {
    for picture in page.pictures { mostPixels = max(mostPixels, picture.pixelWidth * picture.pixelHeight) }
    buffer += text.lines(for: [page]).bytes
    if buffer.count >= Self.bufferByteCount { flush() }
  }

  /// Writes the end of the file. Called after the last page.
  func finish() {
    buffer += text.end().bytes
    flush()
  }

  private func flush() {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard failure == nil, let file else { return }
    let code = buffer.withUnsafeBytes { writeAll($0, to: file.descriptor) }
    if code != 0 { failure = .temporary(code) }
  }
}
