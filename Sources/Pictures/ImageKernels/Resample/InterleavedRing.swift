import CKernels
import CProcessor

/// One worker's source rows, interleaved: each once, in the order in which they lie in memory.
///
/// If the rows that four target rows need would not stay in the second-level cache, only a block of columns is kept, and
/// made anew for each four.
final class InterleavedRing {
  /// Source rows that are interleaved.
  private let rowCount: Int
  /// The number of interleaved rows that are kept: those of the target rows that are made together.
  private let capacity: Int
  /// Samples of each, a multiple of 128.
  private let samples: Int
  /// Whether they are whole rows.
  private let isWhole: Bool
  /// Bytes from one to the next.
  private let size: Int
  private let memory: UnsafeMutableRawPointer
  /// The interleaved row in each slot.
  private var units: [Int]
  /// The addresses of the wanted interleaved rows.
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  private let rows: UnsafeMutablePointer<UnsafeRawPointer>

  /// Bytes that are kept at most.
  private static let most = 3 << 19

  /// - Parameters:
  ///   - capacity: interleaved rows that are asked for at once, at most.
  ///   - samples: of a row, a multiple of 128.
  ///   - block: samples of a block.
  init(rows rowCount: Int, capacity: Int, samples: Int, block: Int) {
    self.rowCount = rowCount
    self.capacity = capacity
    isWhole = capacity * samples * rowCount <= Self.most
    self.samples = isWhole ? samples : min(samples, block)
    // An odd number of cache lines, as rows that are a power of 2 apart compete for the same places.
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

  /// Makes a block of the `wanted` interleaved rows, except those it has, and returns their addresses and the block's
  /// offset from these.
  ///
  /// - Parameters:
  ///   - known: source rows in memory. Interleaved rows that need others repeat known ones, which get weights of 0.
  ///     They are made again the next time unless the missing rows are beyond the picture's `height`.
  ///   - source: the first needed sample of a row.
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
        // Processors do not foresee the jump to the next row.
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
