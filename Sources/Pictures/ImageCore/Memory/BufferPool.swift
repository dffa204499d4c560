import CProcessor
import Platform
import Synchronization

/// Memory for pixels and encoded bytes, used again from picture to picture.
///
/// A run makes the same few large buffers for each of thousands of pictures. With `malloc(3)`, they would leave
/// holes, and the process would grow with the number of pictures. Fresh from the system each time, their first
/// touch would cost a page fault every 4 KiB. Here they come from the system once. They go back to it when more is
/// kept than was ever in use at one time.
///
/// All functions may be called from any thread.
public enum BufferPool {
  /// Unused blocks of one size, the longest unused first.
  private struct Shelf {
    var blocks: [(base: UnsafeMutableRawPointer, stamp: Int)] = []
  }

  private struct State: @unchecked Sendable {
    // Sendable: nothing else holds the addresses.
    var shelves = [Shelf](repeating: Shelf(), count: BlockSize.count)
    var stamp = 0
    var usedByteCount = 0
    var mostUsedByteCount = 0
    var keptByteCount = 0
  }

  private static let state = Mutex(State())

  /// The number of bytes that may always be kept: buffers for a picture or two.
  private static let leastKept = 4 << 20

  /// Bytes in use and bytes kept for the next, for tests.
  package static var byteCounts: (used: Int, kept: Int) {
    state.withLock { ($0.usedByteCount, $0.keptByteCount) }
  }

  #if DEBUG
    /// The byte that fills fresh blocks. Code must not rely on the zeros in memory from the system, nor on the former
    /// content of a block: tests run with two values and compare the results.
    package static let poison = Atomic<UInt8>(0xa5)
  #endif

  /// Whether blocks are used again: not under AddressSanitizer, which is to see reads after a release.
  package static var isInUse: Bool { !imghost_has_address_sanitizer() }

  /// Returns a block of at least `byteCount` bytes, aligned to a page, with undefined content; and its size.
  static func take(_ byteCount: Int) -> (base: UnsafeMutableRawPointer, byteCount: Int) {
    let block = isInUse ? takeBlock(byteCount) : allocate(byteCount)
    #if DEBUG
      memset(block.base, Int32(poison.load(ordering: .relaxed)), block.byteCount)
    #endif
    return block
  }

  /// Takes back a block from `take`.
  static func give(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
    guard isInUse else { return free(base) }
    giveBlock(base, BlockSize(holding: byteCount))
  }

  /// Returns new memory of exactly that size, so that AddressSanitizer sees reads beyond its end or after its
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
      state.shelves[size.index].blocks.append((base, state.stamp))
      state.usedByteCount -= size.byteCount
      state.keptByteCount += size.byteCount
      return removeExcess(&state)
    }
    unmap(excess)
  }

  /// Takes the most recently used block, which may still be in cache, of the wanted size or up to half larger.
  private static func takeKept(_ state: inout State, _ wanted: BlockSize)
    -> (base: UnsafeMutableRawPointer, size: BlockSize)?
  {
    for index in wanted.index..<min(wanted.index + 3, BlockSize.count) {
      guard let block = state.shelves[index].blocks.popLast() else { continue }
      let size = BlockSize(index: index)
      state.keptByteCount -= size.byteCount
      return (block.base, size)
    }
    return nil
  }

  /// Removes blocks kept beyond the most that was ever in use, the longest unused first.
  private static func removeExcess(_ state: inout State) -> [(base: UnsafeMutableRawPointer, size: BlockSize)] {
    var excess: [(UnsafeMutableRawPointer, BlockSize)] = []
    let limit = max(state.mostUsedByteCount, leastKept)
    while state.keptByteCount > 0, state.usedByteCount + state.keptByteCount > limit {
      let oldest = state.shelves.indices.filter { !state.shelves[$0].blocks.isEmpty }
        .min { state.shelves[$0].blocks[0].stamp < state.shelves[$1].blocks[0].stamp }!
      let size = BlockSize(index: oldest)
      excess.append((state.shelves[oldest].blocks.removeFirst().base, size))
      state.keptByteCount -= size.byteCount
    }
    return excess
  }

  /// Bytes from which huge pages are used, if the system allows: then the first touch of a whole picture costs a
  /// page fault every 2 MiB only.
  private static let leastInHugePages = 8 << 20

  /// Wraps `mmap(2)`, and `madvise(2)`.
  private static func map(_ size: BlockSize) -> UnsafeMutableRawPointer {
    let base = mmap(
      nil, size.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let base, base != MAP_FAILED else { MemoryShortage.end(size.byteCount) }
    if size.byteCount >= leastInHugePages { preferHugePages(base, byteCount: size.byteCount) }
    return base
  }

  /// Wraps `munmap(2)`.
  private static func unmap(_ blocks: [(base: UnsafeMutableRawPointer, size: BlockSize)]) {
    for block in blocks { munmap(block.base, block.size.byteCount) }
  }
}

/// A size of blocks in the pool: 16 KiB, and four sizes for each doubling from there.
struct BlockSize {
  let index: Int

  static let count = 4 * (48 - leastShift) + 1
  private static let leastShift = 14

  init(index: Int) { self.index = index }

  /// The smallest size that holds `byteCount` bytes.
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
