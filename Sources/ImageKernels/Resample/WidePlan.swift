/// The arithmetic of 16-bit samples without alpha, of 1, 3 or 4 bands: integers with weights of two parts go
/// down, floats across.
struct WidePlan: Sendable {
  let vertical: WideWeights
  /// The first source column of each target column, from the first needed one.
  private let starts: [Int32]
  /// Weights of a target column, zeros at the end; and three zeros after the last.
  private let weights: [Float]
  private let taps: Int
  private let bands: Int

  /// nil where sums might overflow.
  ///
  /// - Parameter origin: the source column that is the first of a row.
  init?(_ horizontal: ResampleAxis, _ vertical: ResampleAxis, bands: Int, origin: Int) {
    guard bands != 2, let wide = WideWeights(vertical) else { return nil }
    self.vertical = wide
    self.bands = bands
    taps = Self.paddedTaps(horizontal, bands)
    starts = horizontal.starts.map { Int32($0 - origin) }
    var padded = [Float](repeating: 0, count: horizontal.count * taps + 3)
    for index in 0..<horizontal.count {
      for k in 0..<horizontal.tapCounts[index] {
        padded[index * taps + k] = Float(horizontal.weights[index * horizontal.taps + k])
      }
    }
    weights = padded
  }

  /// Taps of the horizontal pass: a multiple of what a kernel's step has.
  static func paddedTaps(_ horizontal: ResampleAxis, _ bands: Int) -> Int {
    let step = bands == 3 ? 5 : 4
    return (horizontal.taps + step - 1) / step * step
  }

  /// Target rows that are made together: as many as the horizontal pass' kernel takes.
  static func rows(_ bands: Int) -> Int { bands == 1 ? 4 : 2 }

  /// The horizontal pass.
  ///
  /// - Parameters:
  ///   - rows: two rows of floats; of gray one row of four interleaved ones.
  ///   - outputs: as many target rows as are made together.
  func weighPixels(
    _ kernels: ResampleKernels, _ rows: UnsafePointer<UnsafeRawPointer>,
    into outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    starts.withUnsafeBufferPointer { starts in
      weights.withUnsafeBufferPointer { weights in
        guard let first = starts.baseAddress, let weights = weights.baseAddress else { return }
        switch bands {
        case 1: kernels.weighSingles16(rows[0], first, weights, taps, starts.count, outputs)
        case 3: kernels.weighTriples16(rows, first, weights, taps, starts.count, outputs)
        default: kernels.weighQuads16(rows, first, weights, taps, starts.count, outputs)
        }
      }
    }
  }
}
