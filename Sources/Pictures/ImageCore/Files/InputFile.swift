import Platform

/// A file opened for reading, which is closed when its last reference is released. Belongs to one worker at a time.
///
/// `@unchecked Sendable`: the file may be handed from one worker to another, but only the worker that holds it reads,
/// and never through the descriptor's position.
public final class InputFile: @unchecked Sendable {
  public let path: String
  /// The open descriptor; codecs read from it directly.
  public let descriptor: Int32
  /// The size of the file in bytes when it was opened.
  public let byteCount: Int
  /// The size and modification time when the file was opened.
  public let version: FileVersion
  public let identity: FileIdentity
  /// The whole content of a small file, once it has been read: see `smallContent`.
  var content: [UInt8]?
  /// Called with each read error, because a codec may mistake an error for the end of the file. Set before the first
  /// read.
  package var onFailure: (@Sendable (FileError) -> Void)?
  /// The largest file, in bytes, that is read as a whole: one large read is cheaper than several small ones.
  public static let smallByteCount = 32 << 10

  /// Opens a file. Only regular files are accepted, so that a FIFO cannot block a run. The content of a pipe that has
  /// been read counts as a file: see `PipedInput`.
  public convenience init(path: String) throws(FileError) {
    if let content = try PipedInput.content(of: path) {
      try self.init(content, path: path)
    } else {
      try self.init(Self.opened(path), path: path)
    }
  }

  /// Opens a file or a pipe, but not through a link of another user: see `openFile`.
  static func opened(_ path: String) throws(FileError) -> PipedInput.Opened {
    // The system would truncate the name at the zero byte.
    guard !path.utf8.contains(0) else { throw FileError(.open, path: path, code: ENOENT) }
    var descriptor = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    // Over NFS, a name may refer to a file that another machine has just replaced; opening it again makes the system
    // look the name up again.
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

  /// Takes ownership of an open descriptor. Anything but a regular file is closed and rejected.
  convenience init(_ opened: PipedInput.Opened, path: String) throws(FileError) {
    let kind = opened.status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      close(opened.descriptor)
      throw FileError(.open, path: path, code: kind == S_IFDIR ? EISDIR : EINVAL)
    }
    self.init(opened.descriptor, path: path, opened.status)
  }

  /// Takes ownership of an open descriptor with a given status. Anything but a regular file is closed and rejected.
  package convenience init(taking descriptor: Int32, _ status: stat, path: String) throws(FileError) {
    try self.init((descriptor, status), path: path)
  }

  init(_ descriptor: Int32, path: String, _ status: stat) {
    self.path = path
    self.descriptor = descriptor
    byteCount = Int(status.st_size)
    version = FileVersion(status)
    identity = FileIdentity(status)
  }

  deinit { close(descriptor) }

  /// Reads up to `count` bytes at `offset`, without changing the descriptor's position; fewer at the end. Wraps
  /// `pread(2)`.
  public func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    if let content = try smallContent() {
      return Array(content[min(offset, content.count)..<min(offset + count, content.count)])
    }
    return try readBytes(at: offset, count: count)
  }

  /// Returns all bytes of a file of at most `smallByteCount`, which is read once; nil for a larger one.
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
    guard failure == 0 else { throw failed(failure) }
    return result
  }

  private func failed(_ code: Int32) -> FileError {
    let error = FileError(.read, path: path, code: code)
    onFailure?(error)
    return error
  }
}

// MARK: - Memory

extension InputFile {
  /// Makes a file from bytes in memory, for code that reads files through their descriptor. The file has no name, and
  /// its memory is freed with the last reference. Wraps `memfd_create(2)`.
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
  /// The largest size in bytes of files that are not copied, because they are read in one piece anyway.
  private static let leastStaged = smallByteCount

  /// Copies the file to another disk, and returns the copy, which has no name and disappears when it is closed. Nil for
  /// a small file, and if the copy cannot be written, as in a folder that has no room or is not writable.
  ///
  /// The copy keeps the original path for messages.
  ///
  /// - Parameter folder: a folder on a disk that is faster than the file's.
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
    let staged = InputFile(copy, path: path, status)
    staged.onFailure = onFailure
    return staged
  }

  /// Copies all bytes to another file. Returns false if they cannot be written, as when there is no room.
  private func fill(_ copy: Int32) throws(FileError) -> Bool {
    var offset = 0
    var isWritten = true
    while isWritten, offset < byteCount {
      let bytes = try bytes(at: offset, count: min(1 << 20, byteCount - offset))
      // The file has been truncated since it was opened; the decoder reports this.
      if bytes.isEmpty { break }
      isWritten = bytes.withUnsafeBytes { writeAll($0, to: copy) } == 0
      offset += bytes.count
    }
    return isWritten
  }
}

// MARK: - Reading

extension InputFile {
  /// Reads at most `space.count` bytes at `offset`, without changing the descriptor's position; returns 0 at the end.
  /// Wraps `pread(2)`.
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
      if errno != EINTR { throw failed(errno) }
    }
  }

  /// Stores the content of a small file, unless it is already stored. The closure `read` reads the file into a buffer,
  /// and returns the number of bytes read.
  ///
  /// - Returns: false, without storing anything, if the file is larger than `smallByteCount` or was not read
  ///   completely.
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

  /// Reads up to `limit` bytes from the start to bring them into the system's cache. May block for a long time.
  public func readAhead(limit: Int, isCancelled: () -> Bool) {
    let space = PooledBytes(capacity: 256 << 10)
    let buffer = UnsafeMutableRawBufferPointer(start: space.base, count: 256 << 10)
    var offset = 0
    while offset < min(limit, byteCount), !isCancelled() {
      guard let count = try? read(at: offset, into: buffer), count > 0 else { return }
      offset += count
    }
  }

  /// Whether the open file still has the size and modification time from when it was opened. Wraps `fstat(2)`.
  public var isUnchanged: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && FileVersion(status) == version
  }
}
