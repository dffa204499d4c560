#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension InputFile {
  /// Reads at most `space.count` bytes at `offset` without moving, 0 at the end. Wraps `pread(2)`.
  public func read(at offset: Int, into space: UnsafeMutableRawBufferPointer) throws(FileError)
    -> Int
  {
    while true {
      let count = pread(descriptor, space.baseAddress, space.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw FileError(.read, path: path, code: errno) }
    }
  }
}
