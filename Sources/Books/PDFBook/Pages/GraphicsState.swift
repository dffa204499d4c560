import ImageCore
import Platform

/// The opacity of painted shapes (PDF 32000-1:2008, 8.4.5 and 11.6.4.4). The name of the state contains the opacity, so
/// that content streams state it.
struct GraphicsState: Hashable, Comparable {
  private let thousandths: Int

  init(_ colour: Colour) { thousandths = Int((colour.alpha * 1_000).rounded()) }

  var name: String { "G\(thousandths)" }

  /// The entry in a page's resource dictionary.
  var resource: String { "/\(name)<</ca \(PDFNumber.text(Double(thousandths) / 1_000))>>" }

  static func < (left: Self, right: Self) -> Bool { left.thousandths < right.thousandths }
}

/// The opacities of equal veils on top of each other that together form the soft edge of a shadow.
struct SoftLayers {
  /// The opacity of each veil, in whole thousandths.
  let opacity: Double
  /// For each veil, from the outermost to the innermost, the joint opacity of the veils before it and half of itself,
  /// as a share of the whole opacity.
  let shares: [Double]

  /// The largest opacity of a veil: about eight of 255 levels, at distances too small to be distinguished.
  private static let mostOpacity = 0.03

  /// - Parameter whole: the opacity that all veils together have at least.
  init(whole: Double) {
    let whole = min(0.999, max(0.001, whole))
    let count = max(1, (log(1 - whole) / log(1 - Self.mostOpacity)).rounded(.up))
    let exact = 1 - pow(1 - whole, 1 / count)
    // A small tolerance allows for rounding.
    opacity = (exact * 1_000 - 0.001).rounded(.up) / 1_000
    let veil = opacity
    shares = (1...Int(count)).map { min(0.999, (1 - pow(1 - veil, Double($0) - 0.5)) / whole) }
  }
}
