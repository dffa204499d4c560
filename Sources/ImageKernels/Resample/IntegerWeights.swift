/// Weights of one axis as 16-bit numbers of `shift` fraction bits.
struct IntegerWeights: Sendable {
  /// Fraction bits.
  let shift: Int
  /// Coefficients of a target sample, zeros at the end; a multiple of what was asked for.
  let taps: Int
  /// `taps` coefficients for each target sample, with a sum of exactly `1 << shift`.
  let coefficients: [Int16]
  /// The first source sample of each, a multiple of `alignment`, from the axis' origin.
  let starts: [Int32]
  /// Root of the largest sum of squared rounding errors of one target sample.
  let error: Double
  /// The largest sum of absolute rounding errors of one target sample.
  let absoluteError: Double

  /// - Parameters:
  ///   - origin: source sample that `starts` count from.
  ///   - alignment: `starts` are multiples of it.
  ///   - multiple: `taps` is a multiple of it.
  ///   - together: as many target samples, from the first on, begin with the same source sample.
  ///   - largestShift: more fraction bits would overflow the sums.
  init(
    _ axis: ResampleAxis, origin: Int, alignment: Int, multiple: Int, together: Int = 1,
    largestShift: Int
  ) {
    let shift = Self.shift(largestWeight: axis.largestWeight, atMost: largestShift)

    var starts = [Int32](repeating: 0, count: axis.count)
    var taps = 0
    for index in 0..<axis.count {
      let first = axis.starts[index] - origin
      let shared = axis.starts[index / together * together] - origin
      let aligned = shared / alignment * alignment
      starts[index] = Int32(aligned)
      taps = max(taps, first - aligned + axis.tapCounts[index])
    }
    taps = (taps + multiple - 1) / multiple * multiple

    let scale = Double(1 << shift)
    var coefficients = [Int16](repeating: 0, count: axis.count * taps)
    var worst = 0.0
    var worstSum = 0.0
    coefficients.withUnsafeMutableBufferPointer { coefficients in
      axis.weights.withUnsafeBufferPointer { weights in
        for index in 0..<axis.count {
          let lead = axis.starts[index] - origin - Int(starts[index])
          let tapCount = axis.tapCounts[index]
          var exact = 0.0
          var rounded = 0.0
          var squares = 0.0
          var sum = 0.0
          for k in 0..<tapCount {
            let weight = weights[index * axis.taps + k] * scale
            // Rounding the running sum carries each error into the next coefficient: the total is exact,
            // and what is left is high-frequency, of which pictures have least.
            exact += weight
            let total = k == tapCount - 1 ? scale : (exact + Self.rounding) - Self.rounding
            let value = total - rounded
            rounded = total
            squares += (value - weight) * (value - weight)
            sum += (value - weight).magnitude
            coefficients[index * taps + lead + k] = Int16(value)
          }
          worst = max(worst, squares)
          worstSum = max(worstSum, sum)
        }
      }
    }
    self.shift = shift
    self.taps = taps
    self.coefficients = coefficients
    self.starts = starts
    self.error = worst.squareRoot() / scale
    absoluteError = worstSum / scale
  }

  /// Adding this and taking it away rounds numbers below 2^51 in magnitude to whole ones, halves to even.
  private static let rounding = 6_755_399_441_055_744.0

  /// The most fraction bits, up to `largest`, that weights can have in 16 bits. 32,000 leaves room for the
  /// carried rounding error.
  static func shift(largestWeight: Double, atMost largest: Int) -> Int {
    var shift = largest
    while shift > 1, largestWeight * Double(1 << shift) > 32_000 { shift -= 1 }
    return shift
  }
}
