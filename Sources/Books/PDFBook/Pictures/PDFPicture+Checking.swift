import CISAL
import ImageCore

extension PDFPicture {
  /// Returns the digest of the stream's bytes. Reads a file once and checks it in the same pass without decoding it: a
  /// JPEG with `JPEGBodyCheck`, a PNG with the checksums of its chunks.
  ///
  /// A PNG's compressed data is not checked further, because inflating it would take longer than everything
  /// else for a page.
  ///
  /// - Throws: `JPEGFault`, `PNGFault`, `PDFError`, `FileError`.
  package func checkedDigest() throws -> SHA256Digest {
    switch data {
    case .file(let file, let offset, let count):
      guard var body else { return try data.digest() }
      var hash = SHA256()
      try FileWindows(file).pass(offset..<offset + count) { bytes in
        hash.update(bytes)
        try body.add(bytes)
      }
      try body.finish()
      return hash.finish()
    case .parts(let file, let ranges):
      var hash = SHA256()
      let windows = FileWindows(file)
      for range in ranges {
        // The checksum includes the type, which precedes the data (PNG, 5.3).
        var checksum = crc32_gzip_refl(0, Array("IDAT".utf8), 4)
        try windows.pass(range) { bytes in
          hash.update(bytes)
          checksum = crc32_gzip_refl(
            checksum, bytes.assumingMemoryBound(to: UInt8.self).baseAddress!, UInt64(bytes.count))
        }
        let stated = try file.bytes(at: range.upperBound, count: 4)
        guard stated.reduce(0, { $0 << 8 | UInt32($1) }) == checksum, stated.count == 4 else {
          throw PNGFault.checksum(chunk: "IDAT", offset: range.lowerBound - 8)
        }
      }
      return hash.finish()
    case .completed(let head, let file, let range):
      var hash = SHA256()
      hash.update(head)
      var body = body
      let windows = FileWindows(file)
      // The check counts bytes from the file's start.
      try windows.pass(0..<range.lowerBound) { try body?.add($0) }
      try windows.pass(range) { bytes in
        hash.update(bytes)
        try body?.add(bytes)
      }
      try body?.finish()
      return hash.finish()
    case .bytes, .encoded: return try data.digest()
    }
  }
}

/// Reads parts of a file into one buffer. A book may read 2,000 files.
struct FileWindows {
  private static let size = 1 << 18

  private let file: InputFile
  private let space: PooledBytes

  init(_ file: InputFile) {
    self.file = file
    space = PooledBytes(capacity: min(Self.size, max(1, file.byteCount)))
  }

  /// Passes the bytes of a part to `body`, in pieces of at least one byte.
  ///
  /// - Throws: `PDFError` if the file cannot be read, and the errors of `body`.
  func pass(_ range: Range<Int>, to body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var place = range.lowerBound
    while place < range.upperBound {
      let wanted = UnsafeMutableRawBufferPointer(
        start: space.base, count: min(space.capacity, range.upperBound - place))
      let count: Int
      do { count = try file.read(at: place, into: wanted) } catch { throw PDFError.source(error) }
      guard count > 0 else { throw PDFError.sourceShrank(path: file.path) }
      try body(UnsafeRawBufferPointer(rebasing: wanted[..<count]))
      place += count
    }
  }
}
