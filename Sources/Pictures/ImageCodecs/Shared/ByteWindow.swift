import ImageCore

/// Reads single bytes of a file at any offset, through a part of the file in memory.
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
