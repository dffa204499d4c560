import ImageCore

/// Filtered rows that wait to be compressed. How many there is room for follows from their length alone: where they are
/// cut decides what bytes ISA-L makes.
public final class RowBlock {
  private let memory: PooledBytes
  private let rowByteCount: Int
  private let rows: Int
  private var count = 0

  private static let byteCount = 1 << 16

  /// - Parameter rowByteCount: bytes of each row.
  public init(rowByteCount: Int) {
    self.rowByteCount = rowByteCount
    rows = max(1, Self.byteCount / rowByteCount)
    memory = PooledBytes(capacity: rows * rowByteCount)
  }

  public var isFull: Bool { count == rows }

  /// Where the next row goes. There is room for it.
  public func nextRow() -> UnsafeMutablePointer<UInt8> {
    precondition(count < rows, "the block is full")
    count += 1
    return (memory.base + (count - 1) * rowByteCount).assumingMemoryBound(to: UInt8.self)
  }

  /// The rows there are, and makes room again; they stay until the next one is written.
  public func takeAll() -> UnsafeRawBufferPointer {
    defer { count = 0 }
    return UnsafeRawBufferPointer(start: memory.base, count: count * rowByteCount)
  }
}
