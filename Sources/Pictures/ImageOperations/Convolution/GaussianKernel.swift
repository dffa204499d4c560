import Platform

/// A sampled Gaussian whose weights add up to 1.
struct GaussianKernel: Sendable {
  /// The number of neighbours on each side: 4 standard deviations, beyond which there is 1/16,000 of the area.
  let radius: Int
  /// `2 * radius + 1` weights.
  let weights: [Float]
  /// The weights of the centre and of the `radius` neighbours on one side, in double precision.
  let exactHalf: [Double]

  init(sigma: Double) {
    radius = Self.radius(sigma: sigma)
    let values = (-radius...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
    let sum = values.reduce(0, +)
    weights = values.map { Float($0 / sum) }
    exactHalf = values[radius...].map { $0 / sum }
  }

  static func radius(sigma: Double) -> Int { max(1, Int((4 * sigma).rounded(.up))) }
}
