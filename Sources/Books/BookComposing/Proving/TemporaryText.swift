import ImageCore
import ImagePipeline
import Platform

/// A text in a temporary file that only this user can read. The file is registered with `TemporaryFiles`, so that it is
/// removed even if the process is killed.
struct TemporaryText {
  private let file: TemporaryFile
  var path: String { file.path }

  init(_ text: String) throws(FileError) { try self.init(bytes: Array(text.utf8)) }

  init(bytes: [UInt8]) throws(FileError) {
    file = try TemporaryFiles.make()
    let code = bytes.withUnsafeBytes { writeAll($0, to: file.descriptor) }
    if code != 0 {
      remove()
      throw .temporary(code, byteCount: bytes.count)
    }
  }

  func remove() { TemporaryFiles.end(file) }
}
