import ImageCore

/// The rows of a picture, which all have the same length in the file, with the top or the bottom row first. They are
/// read in blocks, and requested by their index in the picture.
struct StoredRows {
  private let source: ByteSource
  private let offset: Int
  private let rowByteCount: Int
  /// The size of a row in bytes without padding, which may be missing after the last row.
  private let usedByteCount: Int
  private let height: Int
  private let isTopDown: Bool
  private let blockHeight: Int
  private let block: PooledBytes
  /// The indices of the stored rows in the block.
  private var loaded = 0..<0
  /// The number of bytes in the block.
  private var filled = 0

  /// - Parameters:
  ///   - rowByteCount: the distance between two rows in bytes.
  ///   - usedByteCount: the size of a row in bytes, without padding.
  init(
    _ source: ByteSource, offset: Int, rowByteCount: Int, usedByteCount: Int, height: Int, isTopDown: Bool
  ) {
    self.source = source
    self.offset = offset
    self.height = height
    self.isTopDown = isTopDown
    self.rowByteCount = rowByteCount
    self.usedByteCount = usedByteCount
    blockHeight = max(1, min(height, 65_536 / rowByteCount))
    block = PooledBytes(capacity: blockHeight * rowByteCount)
  }

  /// Returns the stored row for the picture's row `y`, valid until the next call; nil if the file lacks a part of it.
  mutating func row(_ y: Int) throws(PictureError) -> UnsafeRawPointer? {
    let stored = isTopDown ? y : height - 1 - y
    if !loaded.contains(stored) {
      let first = isTopDown ? stored : max(0, stored - blockHeight + 1)
      loaded = first..<min(height, first + blockHeight)
      filled = try source.fill(
        UnsafeMutableRawBufferPointer(start: block.base, count: loaded.count * rowByteCount),
        from: offset + first * rowByteCount)
    }
    let place = (stored - loaded.lowerBound) * rowByteCount
    guard place + usedByteCount <= filled else { return nil }
    return UnsafeRawPointer(block.base + place)
  }
}
