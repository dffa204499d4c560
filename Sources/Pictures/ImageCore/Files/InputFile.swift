import Platform

/// A file opened for reading, closed with its last reference. Belongs to one worker at a time.
///
/// `@unchecked Sendable`: it may be handed from one worker to another. Only the worker that holds it reads; the
/// descriptor's position is not used.
public final class InputFile: @unchecked Sendable {
  public let path: String
  /// The open descriptor; codecs read from it directly.
  public let descriptor: Int32
  /// Bytes in the file when it was opened.
  public let byteCount: Int
  /// Size and modification time when the file was opened.
  public let version: FileVersion
  public let identity: FileIdentity
  /// All of a small file, once it is read: see `smallContent`.
  var content: [UInt8]?
  /// The largest file, in bytes, that is read as a whole: one large read costs less than several small ones.
  public static let smallByteCount = 32 << 10

  /// Opens a file. Anything but a regular file is refused, so that a FIFO cannot hang a run; what a pipe has brought
  /// already counts as a file: see `PipedInput`.
  public convenience init(path: String) throws(FileError) {
    if let content = try PipedInput.content(of: path) {
      try self.init(content, path: path)
    } else {
      try self.init(Self.opened(path), path: path)
    }
  }

  /// Opens a file or a pipe, without a stranger's link: see `openFile`.
  static func opened(_ path: String) throws(FileError) -> PipedInput.Opened {
    // The system would end the name at the zero byte.
    guard !path.utf8.contains(0) else { throw FileError(.open, path: path, code: ENOENT) }
    var descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    // Over NFS, a name may lead to a file that another machine has just replaced; the system looks it up again.
    for _ in 0..<3 where descriptor < 0 && errno == ESTALE {
      descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    guard descriptor >= 0 else { throw FileError(.open, path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw FileError(.open, path: path, code: code)
    }
    return (descriptor, status)
  }

  /// Takes over an open descriptor. Anything but a regular file is closed and refused.
  convenience init(_ opened: PipedInput.Opened, path: String) throws(FileError) {
    let kind = opened.status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      close(opened.descriptor)
      throw FileError(.open, path: path, code: kind == S_IFDIR ? EISDIR : EINVAL)
    }
    self.init(opened.descriptor, path: path, opened.status)
  }

  /// Takes over an open descriptor, whose status is given. Anything but a regular file is closed and refused.
  package convenience init(taking descriptor: Int32, _ status: stat, path: String) throws(FileError) {
    try self.init((descriptor, status), path: path)
  }

  /// Takes over an open descriptor, whose status is given.
  init(_ descriptor: Int32, path: String, _ status: stat) {
    self.path = path
    self.descriptor = descriptor
    byteCount = Int(status.st_size)
    version = FileVersion(status)
    identity = FileIdentity(status)
  }

  deinit { close(descriptor) }

  /// Reads up to `count` bytes at `offset` without moving; fewer at the end. Wraps `pread(2)`.
  public func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    if let content = try smallContent() {
      return Array(content[min(offset, content.count)..<min(offset + count, content.count)])
    }
    return try readBytes(at: offset, count: count)
  }

  /// All bytes of a file of at most `smallByteCount`, which is read once; nil for a larger one.
  public func smallContent() throws(FileError) -> [UInt8]? {
    if let content { return content }
    guard byteCount <= Self.smallByteCount else { return nil }
    let read = try readBytes(at: 0, count: byteCount)
    content = read
    return read
  }

  private func readBytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    var failure: Int32 = 0
    let result = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { break }
        filled += got
      }
    }
    guard failure == 0 else { throw FileError(.read, path: path, code: failure) }
    return result
  }
}
