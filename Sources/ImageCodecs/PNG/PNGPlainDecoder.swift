import ImageCore

/// Rows of a PNG that are stored as they are wanted: 8 bits, not interlaced, without palette or tRNS. Most
/// of all PNGs; others are libspng's.
final class PNGPlainDecoder: RowSource {
  let layout: PictureLayout
  private let stream: PNGStream
  /// The filter's number and the filtered row, and the row above. Swapped from row to row.
  private var current: PooledBytes
  private var above: PooledBytes
  private var row = 0

  /// Bytes before a row's first in `current` and `above`: the last of them is the filter's number.
  private static let head = 64

  /// - Parameter layout: of the stored rows.
  init(_ source: ByteSource, layout: PictureLayout) throws(PictureError) {
    self.layout = layout
    stream = try PNGStream(source)
    let count = Self.head + layout.rowByteCount + PixelBuffer.slack
    current = PooledBytes(capacity: count)
    above = PooledBytes(capacity: count)
    above.base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    precondition(row + count <= layout.height, "read past the last row")
    let bytes = layout.rowByteCount
    for index in 0..<count {
      let start = (current.base + Self.head).assumingMemoryBound(to: UInt8.self)
      try stream.read(bytes + 1, into: start - 1)
      let filter = start[-1]
      guard filter <= 4 else { throw .codec(.damaged("a row has an unknown filter")) }
      let upper = UnsafePointer((above.base + Self.head).assumingMemoryBound(to: UInt8.self))
      PNGFilters.undo(
        filter, start, above: upper, count: bytes, pixelBytes: layout.format.bytesPerPixel)
      (destination + index * stride).copyMemory(from: start, byteCount: bytes)
      swap(&current, &above)
    }
    row += count
    if row == layout.height { try stream.finish() }
  }
}
