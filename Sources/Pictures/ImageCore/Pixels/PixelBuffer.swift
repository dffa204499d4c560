/// A whole picture or a strip of one in memory of the pool, with 64-byte aligned rows. Its last reference gives the
/// memory back.
///
/// Fresh memory is not cleared: the code that makes a buffer writes every pixel of it.
///
/// `@unchecked Sendable`: the code that fills a buffer is its only user until it hands the buffer on. From then on
/// the buffer is only read. Parallel writers of one buffer write disjoint rows.
public final class PixelBuffer: @unchecked Sendable {
  public let layout: PictureLayout
  /// Bytes from one row's start to the next's, a multiple of 64.
  public let stride: Int
  /// The first byte of the first row.
  public let base: UnsafeMutableRawPointer
  private let memory: PooledBytes

  /// Bytes of slack after the last row, so that vector code may read past the end of a row.
  public static let slack = 320

  public init(_ layout: PictureLayout) {
    self.layout = layout
    self.stride = (layout.rowByteCount + 63) & ~63
    memory = PooledBytes(capacity: stride * layout.height + Self.slack)
    base = memory.base
  }

  /// The first byte of row `y`.
  @inlinable
  public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * stride }

  /// Copies the first `count` rows into another buffer of the same width and format, from row `y` on.
  public func copyRows(_ count: Int, to other: PixelBuffer, at y: Int) {
    precondition(layout.rowByteCount == other.layout.rowByteCount && y + count <= other.layout.height)
    for row in 0..<count { other.row(y + row).copyMemory(from: self.row(row), byteCount: layout.rowByteCount) }
  }

  /// Bytes a buffer of this layout takes.
  public static func byteCount(_ layout: PictureLayout) -> Int {
    ((layout.rowByteCount + 63) & ~63) * layout.height + slack
  }
}
