/// A block of the pool, given back with its last reference. What is in it at first is undefined.
///
/// `@unchecked Sendable`: whoever fills it is its only user until it is handed on; from then on it is only
/// read.
public final class PooledBytes: @unchecked Sendable {
  /// The first byte, aligned to 64 bytes at least.
  public let base: UnsafeMutableRawPointer
  /// Bytes there is room for: what was asked for, or more.
  public let capacity: Int

  /// - Parameter capacity: bytes there must be room for, at least 1.
  public init(capacity: Int) { (base, self.capacity) = BufferPool.take(capacity) }

  deinit { BufferPool.give(base, capacity) }
}

/// Bytes that an encoder made: a page on its way into a book. A value; copies share the memory.
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

  /// - Parameter capacity: bytes to expect; more are taken.
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

  /// What has been written. Nothing is written after that.
  public var bytes: EncodedBytes { EncodedBytes(memory: memory, count: count) }
}
