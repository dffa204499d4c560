import CKernels
import CProcessor

/// The interleaved source rows of one worker. Each source row is interleaved once, from the first sample to the last.
///
/// If the source rows of four target rows do not fit into the second-level cache, only one block of columns is kept at
/// a time, and rows are interleaved again for every four target rows.
final class InterleavedRing {
  /// The number of source rows that form an interleaved row.
  private let rowCount: Int
  /// The number of interleaved rows that are kept: enough for the target rows that are computed together.
  private let capacity: Int
  /// The number of samples that are kept of each source row, a multiple of 128.
  private let samples: Int
  /// Whether whole rows are kept, instead of blocks of columns.
  private let isWhole: Bool
  /// The number of bytes from one interleaved row to the next.
  private let size: Int
  private let memory: UnsafeMutableRawPointer
  /// The index of the interleaved row in each slot, or -1.
  private var units: [Int]
  /// The addresses of the requested interleaved rows.
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  private let rows: UnsafeMutablePointer<UnsafeRawPointer>

  /// The maximum size in bytes of a ring of whole rows; a larger ring keeps blocks of columns.
  private static let most = 3 << 19

  /// - Parameters:
  ///   - capacity: the greatest number of interleaved rows that are requested at once.
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

  /// Returns the addresses of the `wanted` interleaved rows, and the block's offset from them. Rows that are missing
  /// are created.
  ///
  /// - Parameters:
  ///   - known: the source rows in memory. If an interleaved row contains other source rows, which have weights of 0,
  ///     the nearest known row takes their place. The interleaved row is then created again at the next call, unless
  ///     the other source rows are beyond the picture's `height`.
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
        // The next row is prefetched, because processors do not predict the jump to it.
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

/// Vertical weights of 8-bit samples, in the form of `VerticalPass8.coefficients`.
struct InterleavedWeights: Sendable {
  /// The number of source rows that are interleaved: 2 or 4.
  let rows: Int
  /// For each target row, its interleaved source rows.
  let units: [Range<Int>]
  /// The number of bytes of a target row's coefficients.
  let stride: Int
  /// The coefficients of each interleaved row: two 16-bit numbers for two source rows. For four source rows, each
  /// coefficient is `256 high + low`, and four signed bytes `high` are followed by four signed bytes `low`.
  let coefficients: [Int8]

  /// Rearranges the coefficients of `weights`, which must have origin 0 and alignment 1.
  init(_ axis: ResampleAxis, _ weights: IntegerWeights, rows: Int) {
    self.rows = rows
    units = (0..<axis.count).map { target in
      let start = axis.starts[target]
      return start / rows..<(start + axis.tapCounts[target] + rows - 1) / rows
    }
    let stride = 2 * rows * units.reduce(0) { max($0, $1.count) }
    self.stride = stride
    coefficients = [Int8](unsafeUninitializedCapacity: stride * axis.count) { bytes, known in
      known = stride * axis.count
      bytes.initialize(repeating: 0)
      let own = UnsafeMutableRawBufferPointer(bytes)
      weights.coefficients.withUnsafeBufferPointer { coefficients in
        for target in 0..<axis.count {
          let start = axis.starts[target]
          let first = target * weights.taps + start - Int(weights.starts[target])
          let values = UnsafeBufferPointer(rebasing: coefficients[first..<first + axis.tapCounts[target]])
          let place = UnsafeMutableRawBufferPointer(rebasing: own[target * stride..<(target + 1) * stride])
          if rows == 4 {
            Self.takeApart(values, from: start % 4, into: place)
          } else {
            UnsafeMutableRawBufferPointer(rebasing: place[start % 2 * 2..<stride])
              .copyMemory(from: UnsafeRawBufferPointer(values))
          }
        }
      }
    }
  }

  /// Splits each weight, `256 high + low`, into two bytes: each group of four weights becomes four high bytes, followed
  /// by four low bytes. The first weight is number `lead` of the first group.
  private static func takeApart(
    _ weights: UnsafeBufferPointer<Int16>, from lead: Int, into bytes: UnsafeMutableRawBufferPointer
  ) {
    for index in 0..<weights.count {
      let weight = weights[index]
      let low = Int8(truncatingIfNeeded: weight)
      let place = (lead + index) / 4 * 8 + (lead + index) % 4
      bytes[place] = UInt8(truncatingIfNeeded: (Int(weight) - Int(low)) >> 8)
      bytes[place + 4] = UInt8(bitPattern: low)
    }
  }

  /// Returns the interleaved source rows of target rows `targets`; the range must not be empty.
  func units(of targets: Range<Int>) -> Range<Int> {
    units[targets.lowerBound].lowerBound..<units[targets.upperBound - 1].upperBound
  }

  /// Returns the greatest number of interleaved source rows that any `count` adjacent target rows need.
  func most(ofRows count: Int) -> Int {
    var most = 0
    for first in units.indices {
      let last = min(first + count, units.count) - 1
      most = max(most, units(of: first..<last + 1).count)
    }
    return most
  }
}
