/// The weights of one axis as 16-bit numbers with `shift` fraction bits.
struct IntegerWeights: Sendable {
  /// The number of fraction bits.
  let shift: Int
  /// The number of coefficients of a target sample, including zeros at the end.
  let taps: Int
  /// `taps` coefficients for each target sample, with a sum of exactly `1 << shift`.
  let coefficients: [Int16]
  /// The first source sample of each target sample, a multiple of `alignment`, counted from the axis's origin.
  let starts: [Int32]
  /// The root of the largest sum of squared rounding errors of a target sample.
  let error: Double
  /// The largest sum of absolute rounding errors of a target sample.
  let absoluteError: Double

  /// - Parameters:
  ///   - origin: the source sample from which `starts` are counted.
  ///   - alignment: a divisor of all `starts`.
  ///   - multiple: a divisor of `taps`.
  ///   - together: the number of consecutive target samples that begin with the same source sample.
  ///   - largestShift: the maximum number of fractional bits without overflow in sums.
  init(_ axis: ResampleAxis, origin: Int, alignment: Int, multiple: Int, together: Int = 1, largestShift: Int) {
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
    var (worst, worstSum) = (0.0, 0.0)
    coefficients = [Int16](unsafeUninitializedCapacity: axis.count * taps) { coefficients, known in
      known = axis.count * taps
      coefficients.initialize(repeating: 0)
      guard let first = coefficients.baseAddress else { return }
      axis.weights.withUnsafeBufferPointer { weights in
        for index in 0..<axis.count {
          let lead = axis.starts[index] - origin - Int(starts[index])
          let own = first + index * taps
          let twin = axis.twin(of: index) { axis.starts[$0] - origin - Int(starts[$0]) == lead }
          if let twin {
            own.update(from: first + twin * taps, count: taps)
            continue
          }
          let exact = UnsafeBufferPointer(rebasing: weights[index * axis.taps..<(index + 1) * axis.taps])
          let errors = Self.round(exact.prefix(axis.tapCounts[index]), scale, into: own + lead)
          worst = max(worst, errors.squares)
          worstSum = max(worstSum, errors.sum)
        }
      }
    }
    self.shift = shift
    self.taps = taps
    self.starts = starts
    self.error = worst.squareRoot() / scale
    absoluteError = worstSum / scale
  }

  /// Rounds weights times `scale` to integers with a sum of exactly `scale`. Rounding the running sum carries each
  /// error into the next coefficient: the total is exact, and the remaining errors are of high frequency, which
  /// pictures contain least.
  private static func round(
    _ weights: Slice<UnsafeBufferPointer<Double>>, _ scale: Double, into coefficients: UnsafeMutablePointer<Int16>
  ) -> (squares: Double, sum: Double) {
    var (exact, rounded) = (0.0, rounding)
    var (squares, sum) = (0.0, 0.0)
    for k in 0..<weights.count {
      let weight = weights[weights.startIndex + k] * scale
      exact += weight
      let total = k == weights.count - 1 ? scale + rounding : exact + rounding
      let difference = (total - rounded) - weight
      // The difference of numbers this large is the difference of their bits.
      coefficients[k] = Int16(truncatingIfNeeded: Int64(bitPattern: total.bitPattern &- rounded.bitPattern))
      rounded = total
      squares += difference * difference
      sum += difference.magnitude
    }
    return (squares, sum)
  }

  /// The number whose addition and subtraction rounds numbers below 2^51 in magnitude to integers, ties to even.
  private static let rounding = 6_755_399_441_055_744.0

  /// Returns the most fraction bits, up to `largest`, that weights can have in 16 bits. The limit 32,000 leaves room
  /// for the carried rounding error.
  static func shift(largestWeight: Double, atMost largest: Int) -> Int {
    var shift = largest
    while shift > 1, largestWeight * Double(1 << shift) > 32_000 { shift -= 1 }
    return shift
  }
}
