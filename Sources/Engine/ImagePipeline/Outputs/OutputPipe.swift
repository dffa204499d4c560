import ImageCore
import Platform

/// An output that is a pipe: standard output, whose path is `-`, or a pipe with a name.
///
/// It gets a file that is complete, so a failure before the end sends nothing. A pipe that is closed early, or a full
/// disk behind it, is reported as an error.
package enum OutputPipe: Sendable {
  case standard
  case named

  /// The path of standard output.
  package static let standardOutput = "-"

  /// - Parameter path: the path of an output, `-` for standard output. The result is nil if it is no pipe.
  package init?(_ path: String) {
    if path == Self.standardOutput {
      self = .standard
      return
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    self = .named
  }

  /// Writes all bytes of a file. Waits for a reader of a pipe with a name.
  ///
  /// - Returns: the number of bytes.
  func send(_ file: Int32, path: String) throws(FileError) -> Int {
    var pipe = STDOUT_FILENO
    if case .named = self {
      pipe = openFile(path, O_WRONLY | O_CLOEXEC)
      guard pipe >= 0 else { throw FileError(.open, path: path, code: errno) }
    }
    defer { if pipe != STDOUT_FILENO { close(pipe) } }
    // Something other than a pipe may have the name by now.
    var status = stat()
    if case .named = self, fstat(pipe, &status) != 0 || status.st_mode & S_IFMT != S_IFIFO {
      throw FileError(.open, path: path, code: ESTALE)
    }
    let space = PooledBytes(capacity: 256 << 10)
    var sent = 0
    while true {
      let count = pread(file, space.base, 256 << 10, off_t(sent))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError(.read, path: path, code: errno) }
      if count == 0 { return sent }
      let code = writeAll(UnsafeRawBufferPointer(start: space.base, count: count), to: pipe)
      guard code == 0 else { throw FileError(.write, path: path, code: code) }
      sent += count
    }
  }
}
