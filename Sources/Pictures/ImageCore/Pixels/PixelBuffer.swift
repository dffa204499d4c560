/// A picture, or a strip of a picture, in pooled memory, with rows that are aligned to 64 bytes. The memory returns to
/// the pool when the last reference is released.
///
/// Fresh memory is not cleared: the code that makes a buffer writes every pixel.
///
/// `@unchecked Sendable`: the code that fills a buffer, possibly in parallel in disjoint rows, is its only user until
/// it hands the buffer on, and from then on the buffer is only read.
public final class PixelBuffer: @unchecked Sendable {
  public let layout: PictureLayout
  /// The number of bytes from the start of one row to the start of the next, a multiple of 64.
  public let stride: Int
  /// The first byte of the first row.
  public let base: UnsafeMutableRawPointer
  private let memory: PooledBytes

  /// The number of spare bytes after the last row, so that vector code may read past the end of a row.
  public static let slack = 320

  public init(_ layout: PictureLayout) {
    self.layout = layout
    self.stride = (layout.rowByteCount + 63) & ~63
    memory = PooledBytes(capacity: stride * layout.height + Self.slack)
    base = memory.base
  }

  /// Returns the address of the first byte of row `y`.
  @inlinable
  public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * stride }

  /// Copies the first `count` rows to another buffer of the same width and format, where they begin at row `y`.
  public func copyRows(_ count: Int, to other: PixelBuffer, at y: Int) {
    precondition(layout.rowByteCount == other.layout.rowByteCount && y + count <= other.layout.height)
    for row in 0..<count { other.row(y + row).copyMemory(from: self.row(row), byteCount: layout.rowByteCount) }
  }

  /// Returns the number of bytes of a buffer with this layout.
  public static func byteCount(_ layout: PictureLayout) -> Int {
    ((layout.rowByteCount + 63) & ~63) * layout.height + slack
  }
}

/// Returns the sum of squared differences between two runs of 8-bit samples.
public func squaredDifference(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ count: Int) -> UInt64 {
  var sum: UInt64 = 0
  var start = 0
  while start < count {
    // The largest sum, 65,025 times 65,536, just fits into 32 bits.
    let end = min(count, start + 65_536)
    var part: UInt32 = 0
    for index in start..<end {
      let difference =
        Int32(first.load(fromByteOffset: index, as: UInt8.self))
        - Int32(second.load(fromByteOffset: index, as: UInt8.self))
      part &+= UInt32(truncatingIfNeeded: difference &* difference)
    }
    sum += UInt64(part)
    start = end
  }
  return sum
}
