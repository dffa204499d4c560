/// Computes the weights of equally spaced source samples, for many target samples.
///
/// For Lanczos kernels, sines at `x + k step` come from the angle addition formula,
/// sin(a + b) = sin a cos b + cos a sin b. The sine and cosine of `k step` are the same for all target samples, and are
/// computed only once.
struct KernelRow {
  private let kernel: ResampleKernel
  private let step: Double
  /// For Lanczos kernels and each `k`, the sine and cosine of `k step` and of `k step / radius`, in half turns.
  private let turns: [Turn]

  private struct Turn {
    let (sine, cosine): (Double, Double)
    let (wideSine, wideCosine): (Double, Double)

    init(_ x: Double, radius: Double) {
      (sine, cosine) = (HalfTurns.sine(x), HalfTurns.cosine(x))
      (wideSine, wideCosine) = (HalfTurns.sine(x / radius), HalfTurns.cosine(x / radius))
    }
  }

  /// - Parameters:
  ///   - step: the distance between neighbouring source samples, in the kernel's unit.
  ///   - taps: the greatest number of source samples of a target sample.
  init(_ kernel: ResampleKernel, step: Double, taps: Int) {
    self.kernel = kernel
    self.step = step
    turns = kernel.isLanczos ? (0..<taps).map { Turn(Double($0) * step, radius: kernel.radius) } : []
  }

  /// Writes `count` weights, at least one, with a sum of 1: the weights of samples at `distance`, `distance + step` and
  /// so on.
  func write(from distance: Double, count: Int, into weights: UnsafeMutablePointer<Double>) {
    if kernel.isLanczos {
      writeLanczos(distance, count, weights)
    } else {
      for k in 0..<count { (weights + k).initialize(to: kernel.weight(distance + Double(k) * step)) }
    }
    var sum = 0.0
    for k in 0..<count { sum += weights[k] }
    let scale = 1 / sum
    for k in 0..<count {
      // At integer distances, where weights should be 0, rounding leaves tiny weights. They would be visible where all
      // samples with larger weights are transparent.
      let weight = weights[k] * scale
      weights[k] = weight.magnitude < 1e-14 ? 0 : weight
    }
  }

  private func writeLanczos(_ distance: Double, _ count: Int, _ weights: UnsafeMutablePointer<Double>) {
    let radius = kernel.radius
    let first = Turn(distance, radius: radius)
    let factor = radius / (Double.pi * Double.pi)
    turns.withUnsafeBufferPointer { turns in
      for k in 0..<count {
        let turn = turns[k]
        let x = distance + Double(k) * step
        let sine = first.sine * turn.cosine + first.cosine * turn.sine
        let wide = first.wideSine * turn.wideCosine + first.wideCosine * turn.wideSine
        (weights + k).initialize(to: sine * wide * factor / (x * x))
      }
    }
    // Near 0, both sines are small, and their relative errors large, so the weight is computed directly.
    let middle = min(max(Int((-distance / step).rounded()), 0), count - 1)
    for k in max(0, middle - 1)...min(count - 1, middle + 1) {
      let x = distance + Double(k) * step
      if x.magnitude < 0.01 { weights[k] = kernel.weight(x) }
    }
  }
}
