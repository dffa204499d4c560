import CKernels

/// A rotation about the centre by any angle, with resampling.
///
/// Target pixel `(x, y)` shows the source at the point to which the inverse rotation maps its centre; the centres of
/// source and target coincide. Samples are weighted with the kernel's values at 1,024 positions between two samples.
/// Edges blend into the background, which surrounds the source. With a `PointMapping`, target pixels show the points
/// that it returns instead.
package struct RotationPlan: Sendable {
  package let sourceWidth: Int
  package let sourceHeight: Int
  package let targetWidth: Int
  package let targetHeight: Int
  let cosine: Double
  let sine: Double
  /// A mapping that replaces the rotation.
  let mapping: PointMapping?
  /// The number of source samples of a target pixel in each direction.
  let taps: Int
  /// `phases` rows of `taps` weights.
  let weights: [Float]
  let kernels: ResampleKernels

  static let phaseBits = 10
  static let phases = 1 << phaseBits

  /// - Parameters:
  ///   - degrees: the angle, clockwise.
  ///   - expands: whether the target grows to contain the whole source, as in libvips' affine: each side is that of the
  ///     rotated picture's bounds, rounded half up. Otherwise it has the source's size.
  package init(
    sourceWidth: Int, sourceHeight: Int, degrees: Double, expands: Bool, kernel: ResampleKernel,
    instructions: InstructionSet = .current
  ) {
    kernels = ResampleKernels(instructions)
    self.sourceWidth = sourceWidth
    self.sourceHeight = sourceHeight
    sine = HalfTurns.sine(degrees / 180)
    cosine = HalfTurns.cosine(degrees / 180)
    let (wide, high) = (Double(sourceWidth), Double(sourceHeight))
    let (s, c) = (sine.magnitude, cosine.magnitude)
    targetWidth = expands ? max(1, Int((wide * c + high * s + 0.5).rounded(.down))) : sourceWidth
    targetHeight = expands ? max(1, Int((wide * s + high * c + 0.5).rounded(.down))) : sourceHeight
    mapping = nil
    (taps, weights) = Self.weights(kernel)
  }

  /// Makes a plan for any projective mapping. A source that is reduced by it is sampled, not averaged.
  package init(
    source: (width: Int, height: Int), target: (width: Int, height: Int), mapping: PointMapping,
    kernel: ResampleKernel, instructions: InstructionSet = .current
  ) {
    kernels = ResampleKernels(instructions)
    (sourceWidth, sourceHeight) = source
    (targetWidth, targetHeight) = target
    (cosine, sine) = (1, 0)
    self.mapping = mapping
    (taps, weights) = Self.weights(kernel)
  }

  private static func weights(_ kernel: ResampleKernel) -> (taps: Int, weights: [Float]) {
    let taps = kernel == .nearest ? 2 : Int(2 * kernel.radius)
    var weights: [Float] = []
    for phase in 0..<phases {
      let fraction = Double(phase) / Double(phases)
      var row = (0..<taps).map { k -> Double in
        let distance = Double(k - (taps / 2 - 1)) - fraction
        if kernel == .nearest { return (fraction < 0.5) == (k == 0) ? 1 : 0 }
        return kernel.weight(distance)
      }
      let sum = row.reduce(0, +)
      for k in row.indices { row[k] /= sum }
      weights += row.map(Float.init)
    }
    return (taps, weights)
  }
}
