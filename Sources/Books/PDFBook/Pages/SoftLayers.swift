import ImageCore
import Platform

/// Equal veils, one over another, whose opacities add up to the soft edge of a shadow, which is round at its corners.
struct SoftLayers {
  /// The opacity of each veil, in whole thousandths.
  let opacity: Double
  /// The opacity of all veils up to one and half of it, as a share of the whole, from the outermost to the last one.
  let shares: [Double]

  /// The opacity of a veil at most: about eight of 255 levels, at distances too small to be told apart.
  private static let mostOpacity = 0.03

  /// - Parameter whole: the opacity of all veils together, which they reach at least.
  init(whole: Double) {
    let whole = min(0.999, max(0.001, whole))
    let count = max(1, (log(1 - whole) / log(1 - Self.mostOpacity)).rounded(.up))
    let exact = 1 - pow(1 - whole, 1 / count)
    // A thousandth of a thousandth allows for rounding.
    opacity = (exact * 1_000 - 0.001).rounded(.up) / 1_000
    let veil = opacity
    shares = (1...Int(count)).map { min(0.999, (1 - pow(1 - veil, Double($0) - 0.5)) / whole) }
  }
}
