import CExitCleanup
import CProcessor
import Platform
import Synchronization

/// Memory for pixels and encoded bytes, reused from picture to picture.
///
/// A run allocates the same few large buffers for each of thousands of pictures. With `malloc(3)`, they would fragment
/// the heap, and the process would grow with the number of pictures. With fresh memory from the system each time, the
/// first access would cost a page fault every 4 KiB. The pool keeps memory for reuse, and returns the excess to the
/// system if it holds more than was ever in use at one time.
///
/// All functions may be called from any thread.
public enum BufferPool {
  private struct State: @unchecked Sendable {
    // `@unchecked Sendable`: no other code knows the addresses of the kept blocks, and the state is accessed only under
    // its lock.
    /// The unused blocks of each size; the one unused for longest comes first.
    var shelves: [[(base: UnsafeMutableRawPointer, stamp: Int)]] = Array(repeating: [], count: BlockSize.count)
    var stamp = 0
    var usedByteCount = 0
    var mostUsedByteCount = 0
    var keptByteCount = 0
  }

  private static let state = Mutex(State())

  /// The number of bytes that used and kept blocks together may always take: enough for the buffers of one or two
  /// pictures.
  private static let leastKept = 4 << 20

  /// The bytes in use, and the bytes kept for reuse, for tests.
  package static var byteCounts: (used: Int, kept: Int) {
    state.withLock { ($0.usedByteCount, $0.keptByteCount) }
  }

  #if DEBUG
    /// The byte that fills fresh blocks. Code must rely neither on the zeros in memory from the system nor on the
    /// former content of a block: tests run with two values and compare the results.
    package static let poison = Atomic<UInt8>(0xa5)
  #endif

  /// Whether blocks are reused; false under AddressSanitizer, so that it can detect reads of released blocks.
  package static var isInUse: Bool { !imghost_has_address_sanitizer() }

  /// Returns a block of at least `byteCount` bytes, aligned to a page and with undefined content, and its size.
  static func take(_ byteCount: Int) -> (base: UnsafeMutableRawPointer, byteCount: Int) {
    let block = isInUse ? takeBlock(byteCount) : allocate(byteCount)
    #if DEBUG
      memset(block.base, Int32(poison.load(ordering: .relaxed)), block.byteCount)
    #endif
    return block
  }

  /// Takes back a block that `take` returned.
  static func give(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
    guard isInUse else { return free(base) }
    giveBlock(base, BlockSize(holding: byteCount))
  }

  /// Returns new memory of exactly this size, so that AddressSanitizer detects reads beyond its end or after its
  /// release. Wraps `posix_memalign(3)`.
  private static func allocate(_ byteCount: Int) -> (base: UnsafeMutableRawPointer, byteCount: Int) {
    var base: UnsafeMutableRawPointer?
    guard posix_memalign(&base, 4_096, byteCount) == 0, let base else { MemoryShortage.end(byteCount) }
    return (base, byteCount)
  }

  private static func takeBlock(_ byteCount: Int) -> (base: UnsafeMutableRawPointer, byteCount: Int) {
    let wanted = BlockSize(holding: byteCount)
    let (found, excess) = state.withLock { state in
      let found = takeKept(&state, wanted)
      state.usedByteCount += (found?.size ?? wanted).byteCount
      state.mostUsedByteCount = max(state.mostUsedByteCount, state.usedByteCount)
      return (found, removeExcess(&state))
    }
    unmap(excess)
    let block = found ?? (map(wanted), wanted)
    return (block.base, block.size.byteCount)
  }

  private static func giveBlock(_ base: UnsafeMutableRawPointer, _ size: BlockSize) {
    let excess = state.withLock { state in
      state.stamp += 1
      state.shelves[size.index].append((base, state.stamp))
      state.usedByteCount -= size.byteCount
      state.keptByteCount += size.byteCount
      return removeExcess(&state)
    }
    unmap(excess)
  }

  /// Takes a kept block of the requested size or up to half more; nil if there is none. Among equal sizes, it takes the
  /// most recently used one, which may still be in the processor's cache.
  private static func takeKept(_ state: inout State, _ wanted: BlockSize)
    -> (base: UnsafeMutableRawPointer, size: BlockSize)?
  {
    for index in wanted.index..<min(wanted.index + 3, BlockSize.count) {
      guard let block = state.shelves[index].popLast() else { continue }
      let size = BlockSize(index: index)
      state.keptByteCount -= size.byteCount
      return (block.base, size)
    }
    return nil
  }

  /// Removes and returns the blocks that have been unused for longest, until used and kept blocks together take no more
  /// bytes than the greater of `mostUsedByteCount` and `leastKept`.
  private static func removeExcess(_ state: inout State) -> [(base: UnsafeMutableRawPointer, size: BlockSize)] {
    var excess: [(UnsafeMutableRawPointer, BlockSize)] = []
    let limit = max(state.mostUsedByteCount, leastKept)
    while state.keptByteCount > 0, state.usedByteCount + state.keptByteCount > limit {
      let oldest = state.shelves.indices.filter { !state.shelves[$0].isEmpty }
        .min { state.shelves[$0][0].stamp < state.shelves[$1][0].stamp }!
      let size = BlockSize(index: oldest)
      excess.append((state.shelves[oldest].removeFirst().base, size))
      state.keptByteCount -= size.byteCount
    }
    return excess
  }

  /// The size from which blocks use huge pages, if the system allows it. The first access to a whole picture then costs
  /// one page fault per 2 MiB instead of one per 4 KiB.
  private static let leastInHugePages = 8 << 20

  /// Allocates a block; wraps `mmap(2)` and `madvise(2)`.
  private static func map(_ size: BlockSize) -> UnsafeMutableRawPointer {
    let base = mmap(
      nil, size.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let base, base != MAP_FAILED else { MemoryShortage.end(size.byteCount) }
    if size.byteCount >= leastInHugePages { preferHugePages(base, byteCount: size.byteCount) }
    return base
  }

  /// Frees blocks; wraps `munmap(2)`.
  private static func unmap(_ blocks: [(base: UnsafeMutableRawPointer, size: BlockSize)]) {
    for block in blocks { munmap(block.base, block.size.byteCount) }
  }
}

/// A size of blocks in the pool: 16 KiB, and from there four sizes for each doubling.
struct BlockSize {
  let index: Int

  static let count = 4 * (48 - leastShift) + 1
  private static let leastShift = 14

  init(index: Int) { self.index = index }

  init(holding byteCount: Int) {
    guard byteCount > 1 << Self.leastShift else {
      index = 0
      return
    }
    let shift = Int.bitWidth - 1 - (byteCount - 1).leadingZeroBitCount
    precondition(shift < 48, "a buffer of \(byteCount) bytes")
    let quarter = 1 << (shift - 2)
    index = (shift - Self.leastShift) * 4 + (byteCount - 1 - 1 << shift) / quarter + 1
  }

  var byteCount: Int {
    guard index > 0 else { return 1 << Self.leastShift }
    let shift = Self.leastShift + (index - 1) / 4
    return 1 << shift + ((index - 1) % 4 + 1) << (shift - 2)
  }
}

/// A block of the pool, which returns to the pool when its last reference is released. Its content is undefined at
/// first.
///
/// `@unchecked Sendable`: the code that fills a block is its only user until it hands the block on, and from then on
/// the block is only read.
public final class PooledBytes: @unchecked Sendable {
  /// The first byte, aligned to at least 64 bytes.
  public let base: UnsafeMutableRawPointer
  /// The size in bytes, at least the requested one.
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

/// Ends the process when the system has no memory for pixels.
///
/// A shortage is not an error that is thrown, because operations and codecs also allocate rows where they cannot throw.
public enum MemoryShortage {
  private static let farewell = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets a closure to be called before the process ends.
  public static func onEnd(_ body: @escaping @Sendable () -> Void) { farewell.withLock { $0 = body } }

  /// Calls the closure set by `onEnd`, prints one line, removes temporary files, and ends the process with status 1.
  static func end(_ byteCount: Int) -> Never {
    farewell.withLock { $0 }?()
    let size = max(1, (byteCount + 0xf_ffff) >> 20)
    cexitcleanup_end(
      1,
      "imghost: the system gives no \(size) MB of memory for pixels; "
        + "lower --memory or --jobs, or raise 'ulimit -v'\n")
  }
}
