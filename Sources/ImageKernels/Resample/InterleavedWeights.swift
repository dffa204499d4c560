/// Vertical weights of 8-bit samples, in the form that the kernels weigh interleaved rows with.
struct InterleavedWeights: Sendable {
  /// Source rows that are interleaved: 2 or 4.
  let rows: Int
  /// Which interleaved rows each target row is made of.
  let units: [Range<Int>]
  /// Bytes of a target row's coefficients.
  let stride: Int
  /// Of two rows two 16-bit numbers; of four, four times `high` and four times `low` of `256 high + low`.
  let coefficients: [Int8]

  /// The same numbers as `weights` has, whose `starts` are whole rows from 0.
  init(_ axis: ResampleAxis, _ weights: IntegerWeights, rows: Int) {
    self.rows = rows
    units = (0..<axis.count).map { target in
      let start = axis.starts[target]
      return start / rows..<(start + axis.tapCounts[target] + rows - 1) / rows
    }
    stride = 2 * rows * (units.map(\.count).max() ?? 0)
    var bytes = [Int8](repeating: 0, count: stride * axis.count)
    for target in 0..<axis.count {
      let first = Int(weights.starts[target])
      let origin = rows * units[target].lowerBound
      for row in axis.starts[target]..<axis.starts[target] + axis.tapCounts[target] {
        let weight = weights.coefficients[target * weights.taps + row - first]
        let low = Int8(truncatingIfNeeded: weight)
        let place = target * stride + (row - origin) / rows * 2 * rows
        let index = (row - origin) % rows
        if rows == 4 {
          bytes[place + index] = Int8((Int(weight) - Int(low)) >> 8)
          bytes[place + 4 + index] = low
        } else {
          bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: weight, toByteOffset: place + 2 * index, as: Int16.self)
          }
        }
      }
    }
    coefficients = bytes
  }

  /// The interleaved rows that target rows `targets`, at least one, are made of.
  func units(of targets: Range<Int>) -> Range<Int> {
    units[targets.lowerBound].lowerBound..<units[targets.upperBound - 1].upperBound
  }

  /// The most interleaved rows that `count` adjoining target rows are made of.
  func most(ofRows count: Int) -> Int {
    var most = 0
    for first in units.indices {
      let last = min(first + count, units.count) - 1
      most = max(most, units(of: first..<last + 1).count)
    }
    return most
  }
}
