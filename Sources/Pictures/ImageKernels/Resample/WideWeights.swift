/// Weights of one axis for 16-bit samples without alpha: floats that are whole multiples of 2^-24, so that
/// products and sums need no more than `Double` has and every processor can make them by one rounding.
struct WideWeights: Sendable {
  /// The number of weights of a target sample, zeros at the end.
  let taps: Int
  let weights: [Float]

  /// nil where a weight would need more bits than `Float` has, or sums might be too large.
  ///
  /// - Parameter multiple: `taps` is a multiple of it.
  init?(_ axis: ResampleAxis, multiple: Int) {
    guard axis.gain < 1.95, axis.largestWeight <= 1 else { return nil }
    let taps = (axis.taps + multiple - 1) / multiple * multiple
    self.taps = taps
    weights = [Float](unsafeUninitializedCapacity: axis.count * taps) { weights, known in
      known = axis.count * taps
      weights.initialize(repeating: 0)
      guard let first = weights.baseAddress else { return }
      axis.weights.withUnsafeBufferPointer { exact in
        for index in 0..<axis.count {
          let own = first + index * taps
          if let twin = axis.twin(of: index) {
            own.update(from: first + twin * taps, count: taps)
            continue
          }
          var (sum, rounded) = (0.0, 0.0)
          for k in 0..<axis.tapCounts[index] {
            // The total is rounded, so that each weight takes over the error of the one before.
            sum += exact[index * axis.taps + k]
            let isLast = k == axis.tapCounts[index] - 1
            let total = isLast ? 1 : (sum + Self.rounding) - Self.rounding
            own[k] = Float(total - rounded)
            rounded = total
          }
        }
      }
    }
  }

  /// The last bit of `Double` from 2^28 to 2^29 is 2^-24: adding and taking away this rounds to multiples of it.
  private static let rounding = 402_653_184.0
}
