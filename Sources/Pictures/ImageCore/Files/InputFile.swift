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

// MARK: - Memory

extension InputFile {
  /// Makes a file of bytes in memory, for code that reads files by their descriptor. It has no name, and its memory is
  /// freed with the last reference. Wraps `memfd_create(2)`.
  ///
  /// - Parameter label: the path in messages.
  public convenience init(_ bytes: EncodedBytes, label: String) throws(FileError) {
    let descriptor = makeMemoryFile(label)
    guard descriptor >= 0 else { throw FileError(.create, path: label, code: errno) }
    var code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    var status = stat()
    if code == 0, fstat(descriptor, &status) != 0 { code = errno }
    guard code == 0 else {
      close(descriptor)
      throw FileError(.write, path: label, code: code)
    }
    self.init(descriptor, path: label, status)
  }
}

// MARK: - Staging

extension InputFile {
  /// The smallest file, in bytes, that is worth a copy. Smaller ones are read in one piece anyway.
  private static let leastStaged = smallByteCount

  /// Copies the file to another disk, and returns the copy: without a name, so that it is gone when it is closed. Nil for
  /// a small file, and where the folder has no room or cannot be written.
  ///
  /// The copy keeps the path, for messages.
  ///
  /// - Parameter folder: a folder of a disk that is quicker than the file's.
  /// - Throws: `FileError` if the file itself cannot be read.
  public func staged(in folder: String) throws(FileError) -> InputFile? {
    guard byteCount > Self.leastStaged else { return nil }
    guard let copy = try? NamelessFile.make(in: folder) else { return nil }
    var status = stat()
    do throws(FileError) {
      guard try fill(copy), fstat(copy, &status) == 0 else {
        close(copy)
        return nil
      }
    } catch {
      close(copy)
      throw error
    }
    return InputFile(copy, path: path, status)
  }

  /// Writes all bytes into another file; false where that has no room.
  private func fill(_ copy: Int32) throws(FileError) -> Bool {
    var offset = 0
    var isWritten = true
    while isWritten, offset < byteCount {
      let bytes = try bytes(at: offset, count: min(1 << 20, byteCount - offset))
      // The file has become shorter meanwhile. The decoder says so.
      if bytes.isEmpty { break }
      isWritten = bytes.withUnsafeBytes { writeAll($0, to: copy) } == 0
      offset += bytes.count
    }
    return isWritten
  }
}

// MARK: - Reading

extension InputFile {
  /// Reads at most `space.count` bytes at `offset` without moving, 0 at the end. Wraps `pread(2)`.
  public func read(at offset: Int, into space: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    if let content = try smallContent() {
      let end = min(offset + space.count, content.count)
      guard offset < end else { return 0 }
      space.copyBytes(from: content[offset..<end])
      return end - offset
    }
    while true {
      let count = pread(descriptor, space.baseAddress, space.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw FileError(.read, path: path, code: errno) }
    }
  }

  /// Keeps the content of a small file that a closure reads, which fills the buffer and returns the number of bytes.
  ///
  /// - Returns: false, and nothing is kept, if the file is larger than `smallByteCount` or not all of it was read.
  public func takeSmallContent(by read: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
    guard content == nil else { return true }
    guard byteCount <= Self.smallByteCount else { return false }
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
      filled = read(UnsafeMutableRawBufferPointer(buffer))
    }
    guard bytes.count == byteCount else { return false }
    content = bytes
    return true
  }

  /// Reads up to `limit` bytes from the start to bring them into the system's cache. May block for long.
  public func readAhead(limit: Int, isCancelled: () -> Bool) {
    let space = PooledBytes(capacity: 256 << 10)
    let buffer = UnsafeMutableRawBufferPointer(start: space.base, count: 256 << 10)
    var offset = 0
    while offset < min(limit, byteCount), !isCancelled() {
      guard let count = try? read(at: offset, into: buffer), count > 0 else { return }
      offset += count
    }
  }

  /// Whether the open file has the size and modification time of when it was opened. Wraps `fstat(2)`.
  public var isUnchanged: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && FileVersion(status) == version
  }
}
