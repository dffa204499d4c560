/// Weights of the vertical pass of 16-bit samples, each in two parts of 16 bits: integers are faster than
/// floats, and one part alone would be a level off.
struct WideWeights: Sendable {
  /// Coefficients of a target sample, even, zeros at both ends.
  private let taps: Int
  /// Two source rows' coefficients in a row for each pair of rows, from an even row on.
  private let high: [Int16]
  private let low: [Int16]
  /// What one unit of each part is.
  private let highUnit: Float
  private let lowUnit: Float
  /// The first pair of rows of each target row, and how many.
  let pairs: [Range<Int32>]

  /// nil where sums might overflow.
  init?(_ axis: ResampleAxis) {
    // Samples are from -32,768 to 32,767, sums below 2^31.
    guard axis.gain < 1.95, axis.largestWeight <= 1 else { return nil }
    var pairs: [Range<Int32>] = []
    for index in 0..<axis.count {
      let (first, end) = (axis.starts[index], axis.starts[index] + axis.tapCounts[index])
      pairs.append(Int32(first / 2)..<Int32((end + 1) / 2))
    }
    let taps = 2 * (pairs.map(\.count).max() ?? 0)
    var lowBits = 12
    while lowBits > 1, axis.taps << (lowBits - 1) >= 60_000 { lowBits -= 1 }
    var high = [Int16](repeating: 0, count: axis.count * taps)
    var low = high
    for index in 0..<axis.count {
      let lead = axis.starts[index] % 2
      for k in 0..<axis.tapCounts[index] {
        let weight = axis.weights[index * axis.taps + k] * 32_768
        let whole = min(weight.rounded(.toNearestOrEven), 32_767)
        high[index * taps + lead + k] = Int16(whole)
        let rest = ((weight - whole) * Double(1 << lowBits)).rounded(.toNearestOrEven)
        low[index * taps + lead + k] = Int16(rest)
      }
    }
    self.taps = taps
    self.high = high
    self.low = low
    self.pairs = pairs
    highUnit = 1 / 32_768
    lowUnit = 1 / 32_768 / Float(1 << lowBits)
  }

  /// Weighs target row `target` out of `addresses`, of which the first is its first pair of rows.
  func weighPairs(
    _ kernels: ResampleKernels, _ target: Int, _ addresses: UnsafePointer<UnsafeRawPointer>,
    count: Int, into output: UnsafeMutableRawPointer
  ) {
    high.withUnsafeBufferPointer { high in
      low.withUnsafeBufferPointer { low in
        guard let high = high.baseAddress, let low = low.baseAddress else { return }
        let first = target * taps
        kernels.weighPairs16(
          addresses, high + first, low + first, pairs[target].count, highUnit, lowUnit, count,
          output)
      }
    }
  }
}
