import BookExpectations
import ImageCore
import ImagePipeline
import Platform

/// What the verifier is to find in a book, written to a temporary file page by page: of each picture it has 6 KB, which
/// thousands of pages would keep in memory. The file goes with its last reference.
///
/// `@unchecked Sendable`: the book's writer uses it first, one worker at a time; whoever verifies comes after that.
final class ExpectationFile: @unchecked Sendable {
  private static let bufferByteCount = 64 << 10

  /// The pixels of the largest picture.
  private(set) var mostPixels = 0
  /// Why it cannot be handed over; told once the book is to be verified.
  private(set) var failure: FileError?
  private var file: TemporaryFile?
  private var text = ExpectationsText()
  private var buffer: [UInt8] = []

  /// Begins a file where temporary ones lie; known there, it is removed also when the process is ended.
  init() {
    do throws(FileError) {
      file = try TemporaryFiles.make()
    } catch {
      failure = error
    }
  }

  deinit {
    if let file { TemporaryFiles.end(file) }
  }

  var path: String { file?.path ?? "" }

  func add(_ page: PageExpectation) {
    for picture in page.pictures {
      mostPixels = max(mostPixels, picture.pixelWidth * picture.pixelHeight)
    }
    buffer += text.lines(for: page).utf8
    if buffer.count >= Self.bufferByteCount { flush() }
  }

  /// After the last page.
  func finish() {
    buffer += text.end().utf8
    flush()
  }

  private func flush() {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard failure == nil, let file else { return }
    let code = buffer.withUnsafeBytes { writeAll($0, to: file.descriptor) }
    if code != 0 { failure = FileError(.write, path: path, code: code) }
  }
}
