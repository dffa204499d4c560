import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that appears whole or not at all: written under a temporary name in its folder, then renamed.
final class WholeFile: ByteSink {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private var isDone = false

  init(_ path: String) throws(FileError) {
    self.path = path
    var name = Array((path + ".XXXXXX").utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw FileError(.create, path: path, code: errno) }
    temporary = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let mask = umask(0o077)
    umask(mask)
    fchmod(descriptor, 0o666 & ~mask)
  }

  deinit {
    close(descriptor)
    if !isDone { unlink(temporary) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    let code = writeAll(bytes, to: descriptor)
    if code != 0 { throw .file(FileError(.write, path: path, code: code)) }
  }

  func commit() throws(PictureError) {
    guard rename(temporary, path) == 0 else {
      throw .file(FileError(.write, path: path, code: errno))
    }
    isDone = true
  }

  static func write(_ text: String, to path: String) throws(PictureError) {
    let file: WholeFile
    do throws(FileError) { file = try WholeFile(path) } catch { throw .file(error) }
    try Array(text.utf8).withUnsafeBufferPointer { (bytes) throws(PictureError) in
      try file.write(UnsafeRawBufferPointer(bytes))
    }
    try file.commit()
  }
}
