import ImageCore
import Platform

/// An output that is not a regular file: a descriptor such as standard output, or a named pipe or character device.
///
/// It receives a complete file, so a failure before the end sends nothing. A pipe that is closed early, or a full disk
/// behind it, is reported as an error.
package enum OutputPipe: Sendable {
  /// A descriptor that the program inherited.
  case descriptor(Int32)
  case named

  /// The path of standard output.
  package static let standardOutput = "-"

  /// Returns the path of an output. Every path of standard output becomes `-`.
  package static func path(_ text: String) -> String {
    heldDescriptor(text) == STDOUT_FILENO ? standardOutput : text
  }

  /// Returns the descriptor that the path of an output stands for; nil for the path of a file.
  package static func descriptor(of path: String) -> Int32? {
    path == standardOutput ? STDOUT_FILENO : heldDescriptor(path)
  }

  /// - Parameter path: the path of an output. The result is nil unless the path leads to a descriptor, pipe or device.
  package init?(_ path: String) {
    var status = stat()
    if let descriptor = Self.descriptor(of: path) {
      self = .descriptor(descriptor)
    } else if stat(path, &status) == 0, Self.isNamed(status) {
      self = .named
    } else {
      return nil
    }
  }

  /// Returns whether a file is a named pipe or a character device.
  private static func isNamed(_ status: stat) -> Bool { [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) }

  /// Writes all bytes of a file. Waits for the reader of a named pipe.
  ///
  /// - Returns: the number of bytes.
  func send(_ file: Int32, path: String) throws(FileError) -> Int {
    if case .descriptor(let descriptor) = self { return try Self.copy(file, to: descriptor, path: path) }
    let pipe = openFile(path, O_WRONLY | O_CLOEXEC)
    guard pipe >= 0 else { throw FileError(.open, path: path, code: errno) }
    defer { close(pipe) }
    // The name may belong to a regular file by now.
    var status = stat()
    guard fstat(pipe, &status) == 0, Self.isNamed(status) else { throw FileError(.open, path: path, code: ESTALE) }
    return try Self.copy(file, to: pipe, path: path)
  }

  private static func copy(_ file: Int32, to pipe: Int32, path: String) throws(FileError) -> Int {
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
