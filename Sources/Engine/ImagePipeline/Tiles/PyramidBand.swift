import ImageCore

/// The rows of one level that its next row of tiles shows, and the row that waits for its partner.
final class PyramidBand {
  let level: TileLevel
  private(set) var pixels: PixelBuffer
  /// The first row of the level that `pixels` holds.
  private(set) var top = 0
  /// The number of rows of the level that have come.
  private(set) var count = 0
  /// The index of the next row of tiles.
  private(set) var row = 0
  /// A row without a partner: of the picture in the largest level, of means in the others.
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

  /// The place of the next row, whose pixels the caller writes before `advance`.
  var next: UnsafeMutableRawPointer { pixels.row(count - top) }

  /// The place of a row of means for the next level.
  var meansOfNext: UnsafeMutableRawPointer { means.base }

  /// Whether all rows of the next row of tiles have come.
  var isComplete: Bool { row < level.rows && count == level.span(ofRow: row).upperBound }

  /// The rows of `pixels` that the next row of tiles shows.
  var span: Range<Int> {
    let span = level.span(ofRow: row)
    return span.lowerBound - top..<span.upperBound - top
  }

  /// Counts a row that has been written.
  func advance() { count += 1 }

  /// Keeps a row until its partner comes, or returns the one that has waited for it. The last of an odd number of rows
  /// is its own partner.
  ///
  /// - Returns: The rows to halve; nil if this one waits.
  func pair(_ row: UnsafeRawPointer, byteCount: Int) -> (UnsafeRawPointer, UnsafeRawPointer)? {
    if count % 2 == 0 { return (UnsafeRawPointer(waiting.base), row) }
    if count == level.height { return (row, row) }
    waiting.base.copyMemory(from: row, byteCount: byteCount)
    return nil
  }

  /// Lets go of the rows that the next row of tiles does not show.
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
