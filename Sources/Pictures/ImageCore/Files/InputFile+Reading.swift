import Platform

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
