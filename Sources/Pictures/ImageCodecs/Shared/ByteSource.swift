import ImageCore

/// The source of a decoder's bytes: a file, or memory, such as the bytes of a picture in an icon.
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

  /// Reads at most `buffer.count` bytes at `offset`, and returns their number; 0 at the end. Wraps `pread(2)`.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    switch self {
    case .file(let file):
      return try file.read(at: offset, into: buffer)
    case .bytes(let bytes):
      guard offset < bytes.count else { return 0 }
      let part = bytes[offset..<min(bytes.count, offset + buffer.count)]
      buffer.copyBytes(from: part)
      return part.count
    }
  }

  /// Returns up to `count` bytes at `offset`; fewer at the end.
  func bytes(at offset: Int, upTo count: Int) throws(PictureError) -> [UInt8] {
    do throws(FileError) {
      switch self {
      case .file(let file): return try file.bytes(at: offset, count: count)
      case .bytes(let bytes): return Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
      }
    } catch { throw .file(error) }
  }

  /// Returns the offset where the zeros at the end begin.
  func endWithoutZeros() throws(PictureError) -> Int {
    var end = byteCount
    while end > 0 {
      let start = max(0, end - 4_096)
      let piece = try bytes(at: start, upTo: end - start)
      if let last = piece.lastIndex(where: { $0 != 0 }) { return start + last + 1 }
      end = start
    }
    return 0
  }

  func copy(_ range: Range<Int>, to sink: any ByteSink) throws(PictureError) {
    try pass(range) { (piece) throws(PictureError) in try sink.write(piece) }
  }

  /// Calls `body` with the bytes of a range, piece by piece. Each piece has at least one byte. Throws
  /// `CodecError.truncated` if the range extends beyond the end.
  func pass(_ range: Range<Int>, to body: (UnsafeRawBufferPointer) throws(PictureError) -> Void) throws(PictureError) {
    let piece = PooledBytes(capacity: max(1, min(256 << 10, range.count)))
    var place = range.lowerBound
    while place < range.upperBound {
      let wanted = min(piece.capacity, range.upperBound - place)
      let count = try fill(UnsafeMutableRawBufferPointer(start: piece.base, count: wanted), from: place)
      guard count == wanted else { throw .codec(.truncated) }
      try body(UnsafeRawBufferPointer(start: piece.base, count: count))
      place += count
    }
  }

  /// Fills `buffer` from `offset`, and returns the number of bytes, which is less than requested only at the end.
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int) throws(PictureError) -> Int {
    var filled = 0
    while filled < buffer.count {
      do throws(FileError) {
        let count = try read(at: offset + filled, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        guard count > 0 else { break }
        filled += count
      } catch { throw .file(error) }
    }
    return filled
  }
}

extension ByteSink {
  func write(_ bytes: [UInt8]) throws(PictureError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(PictureError) in try write(UnsafeRawBufferPointer(bytes)) }
  }
}

/// Reads single bytes of a file at any offset, from a part of the file that is loaded into memory.
struct ByteWindow {
  private let source: ByteSource
  private let buffer = PooledBytes(capacity: 65_536)
  private var loaded = 0..<0
  /// The number of bytes that are also loaded before the requested offset, for readers that go backwards.
  private static let before = 49_152

  init(_ source: ByteSource) { self.source = source }

  /// Returns the byte at an offset; nil after the end of the file.
  @inline(__always)
  mutating func byte(_ offset: Int) throws(PictureError) -> UInt8? {
    if !loaded.contains(offset), try !load(offset) { return nil }
    return buffer.base.load(fromByteOffset: offset - loaded.lowerBound, as: UInt8.self)
  }

  private mutating func load(_ offset: Int) throws(PictureError) -> Bool {
    guard offset < source.byteCount else { return false }
    let start = offset < loaded.lowerBound ? max(0, offset - Self.before) : offset
    let count = try source.fill(UnsafeMutableRawBufferPointer(start: buffer.base, count: 65_536), from: start)
    loaded = start..<start + count
    return loaded.contains(offset)
  }
}
