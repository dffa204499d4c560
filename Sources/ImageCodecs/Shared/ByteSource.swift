import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a decoder's bytes come from: a file, or memory (a page that has just been encoded).
enum ByteSource: Sendable {
  case file(InputFile)
  case bytes([UInt8])

  var byteCount: Int {
    switch self {
    case .file(let file): file.byteCount
    case .bytes(let bytes): bytes.count
    }
  }

  /// The file's path, for messages.
  var path: String {
    switch self {
    case .file(let file): file.path
    case .bytes: "(memory)"
    }
  }

  /// Reads at most `buffer.count` bytes at `offset`, 0 at the end. Wraps `pread(2)`.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    switch self {
    case .file(let file):
      while true {
        let count = pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count >= 0 { return count }
        if errno != EINTR { throw FileError(.read, path: file.path, code: errno) }
      }
    case .bytes(let bytes):
      guard offset < bytes.count else { return 0 }
      let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
      buffer.copyBytes(from: part)
      return part.count
    }
  }
}
