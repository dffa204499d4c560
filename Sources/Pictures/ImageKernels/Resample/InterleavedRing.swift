import CKernels
import CProcessor

/// One worker's source rows, interleaved. Each is interleaved once, in memory order.
///
/// If the rows for four target rows do not fit into the second-level cache, only a block of columns is kept, and
/// created again for each four rows.
final class InterleavedRing {
  /// The number of source rows that are interleaved together.
  private let rowCount: Int
  /// The number of interleaved rows that are kept: those of the target rows that are computed together.
  private let capacity: Int
  /// The number of samples per source row, a multiple of 128.
  private let samples: Int
  /// Whether whole rows are kept, instead of blocks of columns.
  private let isWhole: Bool
  /// The bytes from one interleaved row to the next.
  private let size: Int
  private let memory: UnsafeMutableRawPointer
  /// The interleaved row in each slot.
  private var units: [Int]
  /// The addresses of the requested interleaved rows.
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  private let rows: UnsafeMutablePointer<UnsafeRawPointer>

  /// The most bytes that are kept.
  private static let most = 3 << 19

  /// - Parameters:
  ///   - capacity: the most interleaved rows that are requested at once.
  ///   - samples: the number of samples of a row, a multiple of 128.
  ///   - block: the number of samples of a block.
  init(rows rowCount: Int, capacity: Int, samples: Int, block: Int) {
    self.rowCount = rowCount
    self.capacity = capacity
    isWhole = capacity * samples * rowCount <= Self.most
    self.samples = isWhole ? samples : min(samples, block)
    // The size is an odd number of cache lines, because rows at distances of a power of 2 compete for the same cache
    // sets.
    size = (self.samples * rowCount / 64 | 1) * 64
    memory = .allocate(byteCount: capacity * size, alignment: 64)
    units = [Int](repeating: -1, count: capacity)
    addresses = .allocate(capacity: capacity)
    rows = .allocate(capacity: rowCount)
  }

  deinit {
    memory.deallocate()
    addresses.deallocate()
    rows.deallocate()
  }

  /// Provides a block of the `wanted` interleaved rows, creating those that are missing, and returns their addresses
  /// and the block's offset from them.
  ///
  /// - Parameters:
  ///   - known: the source rows in memory. Interleaved rows that need other rows repeat known ones, which have weights
  ///     of 0. They are created again the next time, unless the missing rows are beyond the picture's `height`.
  ///   - source: returns the address of the first needed sample of a row.
  func present(
    _ wanted: Range<Int>, _ block: IntegerBlock, known: Range<Int>, height: Int,
    _ interleave: (RowAddresses, Int, UnsafeMutableRawPointer) -> Void, source: (Int) -> UnsafeRawPointer
  ) -> (rows: UnsafePointer<UnsafeRawPointer>, offset: Int) {
    if isWhole, block.offset > 0 { return (UnsafePointer(addresses), block.offset * rowCount) }
    for unit in wanted {
      let slot = unit % capacity
      let address = memory + slot * size
      addresses.advanced(by: unit - wanted.lowerBound).initialize(to: UnsafeRawPointer(address))
      if isWhole, units[slot] == unit { continue }
      let first = rowCount * unit
      for row in 0..<rowCount {
        let clamped = min(max(first + row, known.lowerBound), known.upperBound - 1)
        let offset = isWhole ? 0 : block.offset
        rows.advanced(by: row).initialize(to: source(clamped) + offset)
        // Processors do not predict the jump to the next row.
        let next = min(clamped + rowCount, known.upperBound - 1)
        imghost_prefetch(source(next) + offset, 1024)
      }
      interleave(rows, isWhole ? samples : block.count, address)
      let isComplete = first + rowCount <= known.upperBound || known.upperBound == height
      units[slot] = isComplete ? unit : -1
    }
    return (UnsafePointer(addresses), 0)
  }
}
