import ImageCore

/// The rows of one level for its next row of tiles, and the row that waits to be paired with the next row.
final class PyramidBand {
  let level: TileLevel
  private(set) var pixels: PixelBuffer
  /// The index, in the level, of the first row of `pixels`.
  private(set) var top = 0
  /// The number of rows that have arrived.
  private(set) var count = 0
  /// The index of the next row of tiles.
  private(set) var row = 0
  /// The row that waits for its partner. In the largest level, it comes from the picture; in the others, it consists of
  /// means.
  private let waiting: PooledBytes
  private let means: PooledBytes

  init(_ level: TileLevel, _ format: PixelFormat) {
    self.level = level
    pixels = PixelBuffer(Self.layout(level, format))
    let bytes = Self.meanByteCount(level, format)
    waiting = PooledBytes(capacity: bytes)
    means = PooledBytes(capacity: bytes)
  }

  private static func layout(_ level: TileLevel, _ format: PixelFormat) -> PictureLayout {
    PictureLayout(width: level.width, height: min(level.height, level.side + 2 * level.overlap), format: format)
  }

  private static func meanByteCount(_ level: TileLevel, _ format: PixelFormat) -> Int { 2 * level.width * format.bands }

  static func byteCount(_ level: TileLevel, _ format: PixelFormat) -> Int {
    PixelBuffer.byteCount(layout(level, format)) + 2 * meanByteCount(level, format)
  }

  /// The address of the next row, whose pixels the caller writes before `advance`.
  var next: UnsafeMutableRawPointer { pixels.row(count - top) }

  /// The address for a row of means for the next level.
  var meansOfNext: UnsafeMutableRawPointer { means.base }

  /// Whether all rows of the next row of tiles have arrived.
  var isComplete: Bool { row < level.rows && count == level.span(ofRow: row).upperBound }

  /// The rows of `pixels` that belong to the next row of tiles.
  var span: Range<Int> {
    let span = level.span(ofRow: row)
    return span.lowerBound - top..<span.upperBound - top
  }

  /// Counts a row that has been written.
  func advance() { count += 1 }

  /// Keeps a row until its partner arrives, or returns the row that waited for it. The last of an odd number of rows is
  /// its own partner.
  ///
  /// - Returns: the pair of rows to average; nil if this row has to wait.
  func pair(_ row: UnsafeRawPointer, byteCount: Int) -> (UnsafeRawPointer, UnsafeRawPointer)? {
    if count % 2 == 0 { return (UnsafeRawPointer(waiting.base), row) }
    if count == level.height { return (row, row) }
    waiting.base.copyMemory(from: row, byteCount: byteCount)
    return nil
  }

  /// Moves on to the next row of tiles, and drops the rows that it does not need.
  func endRow() {
    row += 1
    guard row < level.rows else { return }
    let first = level.span(ofRow: row).lowerBound
    for index in first..<max(first, count) {
      pixels.row(index - first).copyMemory(from: pixels.row(index - top), byteCount: pixels.layout.rowByteCount)
    }
    top = first
  }
}
