/// Vertical weights of 8-bit samples, in the form of `VerticalPass8.coefficients`.
struct InterleavedWeights: Sendable {
  /// The number of source rows that are interleaved: 2 or 4.
  let rows: Int
  /// For each target row, its interleaved source rows.
  let units: [Range<Int>]
  /// The bytes of a target row's coefficients.
  let stride: Int
  /// The coefficients: for two rows, two 16-bit numbers; for four rows, four times `high` and four times `low` of `256
  /// high + low`.
  let coefficients: [Int8]

  /// Rearranges the numbers of `weights`, whose `starts` must be complete rows from 0.
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

  /// Returns the most interleaved source rows of any `count` adjacent target rows.
  func most(ofRows count: Int) -> Int {
    var most = 0
    for first in units.indices {
      let last = min(first + count, units.count) - 1
      most = max(most, units(of: first..<last + 1).count)
    }
    return most
  }
}
