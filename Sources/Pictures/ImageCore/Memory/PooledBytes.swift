/// A block of the pool, which returns to it with the last reference. Its content is undefined at first.
///
/// `@unchecked Sendable`: the code that fills a block is its only user until it hands the block on, and from then on
/// the block is only read.
public final class PooledBytes: @unchecked Sendable {
  /// The first byte, aligned to at least 64 bytes.
  public let base: UnsafeMutableRawPointer
  /// The size in bytes: the requested one or more.
  public let capacity: Int

  /// - Parameter capacity: the minimum size in bytes, at least 1.
  public init(capacity: Int) { (base, self.capacity) = BufferPool.take(capacity) }

  deinit { BufferPool.give(base, capacity) }
}

/// Encoded bytes, such as a page on its way into a book. A value type: copies share the memory.
public struct EncodedBytes: Sendable {
  fileprivate let memory: PooledBytes
  public let count: Int

  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory.base, count: count))
  }
}

/// Collects bytes in memory of the pool.
public final class PooledSink: ByteSink {
  private var memory: PooledBytes
  private var count = 0

  /// - Parameter capacity: the expected number of bytes; the memory grows if more are written.
  public init(reserving capacity: Int) { memory = PooledBytes(capacity: max(1, capacity)) }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    guard let start = bytes.baseAddress else { return }
    if count + bytes.count > memory.capacity {
      let larger = PooledBytes(capacity: max(count + bytes.count, 2 * memory.capacity))
      larger.base.copyMemory(from: memory.base, byteCount: count)
      memory = larger
    }
    (memory.base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// The bytes written so far. No bytes may be written after reading this.
  public var bytes: EncodedBytes { EncodedBytes(memory: memory, count: count) }
}
