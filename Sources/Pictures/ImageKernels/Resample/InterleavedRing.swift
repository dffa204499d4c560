import CKernels
import CProcessor

/// One worker's source rows, interleaved. Each source row is interleaved once, in memory order.
///
/// If the rows for four target rows do not fit into the second-level cache, only a block of columns is kept, and
/// interleaved again for every four target rows.
final class InterleavedRing {
  /// The number of source rows that are interleaved together.
  private let rowCount: Int
  /// The number of interleaved rows that are kept: those of the target rows that are computed together.
  private let capacity: Int
  /// The number of samples per source row, a multiple of 128.
  private let samples: Int
  /// Whether whole rows are kept, instead of blocks of columns.
  private let isWhole: Bool
  /// The number of bytes from one interleaved row to the next.
  private let size: Int
  private let memory: UnsafeMutableRawPointer
  /// The interleaved row in each slot.
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

  /// Provides a block of the `wanted` interleaved rows, creating those that are missing, and returns their addresses
  /// and the block's offset from them.
  ///
  /// - Parameters:
  ///   - known: the source rows in memory. An interleaved row repeats known rows in place of unknown ones, which have
  ///     weights of 0. Such a row is created again the next time, unless the missing rows are beyond the picture's
  ///     `height`.
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
        // Processors do not predict the jump to the next row, so it is prefetched.
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
  /// The coefficients: for two rows, two 16-bit numbers; for four rows, four times `high` and four times `low` of `256
  /// high + low`.
  let coefficients: [Int8]

  /// Rearranges the coefficients of `weights`, whose `starts` must be counted from source row 0, without alignment.
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

  /// Splits weights into four high parts, followed by four low parts, of `256 high + low`; the first weight is at
  /// `lead`.
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

  /// Returns the interleaved source rows of target rows `targets`, of which there must be at least one.
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
