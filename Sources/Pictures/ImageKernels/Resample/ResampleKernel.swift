/// A resampling kernel: the weight of a source sample as a function of its distance from the target sample.
package enum ResampleKernel: String, Sendable, CaseIterable {
  /// Copies the source pixel that contains the centre of the target pixel; never antialiased.
  case nearest
  /// A triangle of radius 1.
  case linear
  /// Catmull-Rom: B = 0, C = 1/2.
  case cubic
  /// Mitchell-Netravali: B = C = 1/3.
  case mitchell
  case lanczos2
  case lanczos3

  /// The distance beyond which the weight is 0.
  package var radius: Double {
    switch self {
    case .nearest: 0.5
    case .linear: 1
    case .cubic, .mitchell, .lanczos2: 2
    case .lanczos3: 3
    }
  }

  var isLanczos: Bool { self == .lanczos2 || self == .lanczos3 }

  /// Returns the weight of a sample at a distance in samples.
  ///
  /// The cubic kernels are equation 8 of Mitchell and Netravali, "Reconstruction Filters in Computer Graphics",
  /// SIGGRAPH 1988. The Lanczos kernels are from Duchon, "Lanczos Filtering in One and Two Dimensions", 1979.
  package func weight(_ distance: Double) -> Double {
    let x = distance.magnitude
    guard x < radius else { return 0 }
    return switch self {
    case .nearest: 1
    case .linear: 1 - x
    case .cubic: Self.cubic(x, b: 0, c: 0.5)
    case .mitchell: Self.cubic(x, b: 1.0 / 3, c: 1.0 / 3)
    case .lanczos2: Self.sinc(x) * Self.sinc(x / 2)
    case .lanczos3: Self.sinc(x) * Self.sinc(x / 3)
    }
  }

  private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
    if x < 1 { return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + (6 - 2 * b)) / 6 }
    let cubed = (-b - 6 * c) * x * x * x
    return (cubed + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + (8 * b + 24 * c)) / 6
  }

  private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : HalfTurns.sine(x) / (Double.pi * x) }
}

/// Sine and cosine of angles in half turns (1 is 180°). Angles must be below 2^63 in magnitude.
///
/// The functions of the C library are not used: they have variants with and without fused multiply-add, so their last
/// bit depends on the processor, but equal inputs must give equal bytes everywhere. Results are exact at multiples of a
/// quarter turn, and elsewhere the error is at most 2 units in the last place.
package enum HalfTurns {
  package static func sine(_ x: Double) -> Double {
    let whole = x.rounded(.toNearestOrEven)
    let rest = x - whole
    let sign = Int(whole) & 1 == 0 ? 1.0 : -1.0
    if rest.magnitude == 0.5 { return rest > 0 ? sign : -sign }
    let angle = rest * Double.pi
    let square = angle * angle
    // This is the Taylor series, with 1/n! for odd n. The remainder after the 23rd power is below 1e-19 for
    // |angle| <= π/2.
    var sum = -1 / 25_852_016_738_884_976_640_000.0
    sum = sum * square + 1 / 51_090_942_171_709_440_000.0
    sum = sum * square - 1 / 121_645_100_408_832_000.0
    sum = sum * square + 1 / 355_687_428_096_000.0
    sum = sum * square - 1 / 1_307_674_368_000.0
    sum = sum * square + 1 / 6_227_020_800.0
    sum = sum * square - 1 / 39_916_800.0
    sum = sum * square + 1 / 362_880.0
    sum = sum * square - 1 / 5040.0
    sum = sum * square + 1 / 120.0
    sum = sum * square - 1 / 6.0
    return sign * angle * (sum * square + 1)
  }

  package static func cosine(_ x: Double) -> Double { sine(0.5 + x) }
}
