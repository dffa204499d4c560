/// Weights of the vertical pass of 16-bit samples, each in two parts of 16 bits: integers are faster than
/// floats, and one part alone would be a level off.
struct WideWeights: Sendable {
  /// Coefficients of a target sample: two high parts and two low ones for each pair of source rows, from an
  /// even row on, zeros at both ends.
  private let taps: Int
  private let coefficients: [Int16]
  /// What one unit of each part is.
  private let highUnit: Float
  private let lowUnit: Float
  /// The first pair of rows of each target row, and how many.
  private let pairs: [Range<Int32>]

  /// nil where sums might overflow.
  init?(_ axis: ResampleAxis) {
    // Samples are from -32,768 to 32,767, sums below 2^31.
    guard axis.gain < 1.95, axis.largestWeight <= 1 else { return nil }
    var pairs: [Range<Int32>] = []
    for index in 0..<axis.count {
      let (first, end) = (axis.starts[index], axis.starts[index] + axis.tapCounts[index])
      pairs.append(Int32(first / 2)..<Int32((end + 1) / 2))
    }
    let taps = 4 * (pairs.map(\.count).max() ?? 0)
    var lowBits = 12
    while lowBits > 1, axis.taps << (lowBits - 1) >= 60_000 { lowBits -= 1 }
    let lowScale = Double(1 << lowBits)
    coefficients = [Int16](unsafeUninitializedCapacity: axis.count * taps) { buffer, count in
      buffer.initialize(repeating: 0)
      count = buffer.count
      for index in 0..<axis.count {
        let lead = axis.starts[index] % 2
        for k in 0..<axis.tapCounts[index] {
          let weight = axis.weights[index * axis.taps + k] * 32_768
          let whole = min(weight.rounded(.toNearestOrEven), 32_767)
          let at = index * taps + (lead + k) / 2 * 4 + (lead + k) % 2
          buffer[at] = Int16(whole)
          buffer[at + 2] = Int16(((weight - whole) * lowScale).rounded(.toNearestOrEven))
        }
      }
    }
    self.taps = taps
    self.pairs = pairs
    highUnit = 1 / 32_768
    lowUnit = 1 / 32_768 / Float(1 << lowBits)
  }

  /// Weighs one or two target rows.
  ///
  /// - Parameters:
  ///   - rows: addresses of their `rows(of:)`.
  ///   - offset: bytes from these to the first sample.
  ///   - count: samples, a multiple of 64; both outputs have room for as many floats, also for one target row.
  func weighRows(
    _ kernels: ResampleKernels, _ targets: Range<Int>, _ rows: UnsafePointer<UnsafeRawPointer>,
    offset: Int, count: Int, _ output0: UnsafeMutableRawPointer,
    _ output1: UnsafeMutableRawPointer
  ) {
    let (first, last) = (targets.lowerBound, targets.upperBound - 1)
    let origin = pairs[first].lowerBound
    let end = Int(pairs[first].upperBound - origin)
    // A single target row has no second one: an empty one then.
    let start = first == last ? end : Int(pairs[last].lowerBound - origin)
    coefficients.withUnsafeBufferPointer { coefficients in
      guard let base = coefficients.baseAddress else { return }
      kernels.weighWideRows16(
        rows, offset, base + first * taps, end, base + last * taps, start,
        Int(pairs[last].upperBound - origin), highUnit, lowUnit, count, output0, output1)
    }
  }

  /// The source rows of one or two target rows, two for each pair; the first one may be before the first row that counts,
  /// and the last one after the last.
  func rows(of targets: Range<Int>) -> Range<Int> {
    let (first, last) = (pairs[targets.lowerBound], pairs[targets.upperBound - 1])
    return 2 * Int(first.lowerBound)..<2 * Int(last.upperBound)
  }
}
