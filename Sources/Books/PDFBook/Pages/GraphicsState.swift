import ImageCore
import Platform

/// A graphics state that sets the opacity of shapes (PDF 32000-1:2008, 8.4.5 and 11.6.4.4). Its name contains the
/// opacity, so that the opacity can be read from content streams.
struct GraphicsState: Hashable, Comparable {
  private let thousandths: Int

  init(_ colour: Colour) { thousandths = Int((colour.alpha * 1_000).rounded()) }

  var name: String { "G\(thousandths)" }

  /// The entry in a page's resource dictionary.
  var resource: String { "/\(name)<</ca \(PDFNumber.text(Double(thousandths) / 1_000))>>" }

  static func < (left: Self, right: Self) -> Bool { left.thousandths < right.thousandths }
}

/// A stack of equally transparent layers that together form the soft edge of a shadow.
struct SoftLayers {
  /// The opacity of each layer, a multiple of a thousandth.
  let opacity: Double
  /// The opacity of the soft edge at each layer's outline, as a share of the total opacity, from the outermost layer to
  /// the innermost. It is halfway between the opacities just outside and just inside the outline.
  let shares: [Double]

  /// The largest opacity of a layer: about eight of 255 levels. The distances between layers are too small for such
  /// steps to be seen.
  private static let mostOpacity = 0.03

  /// - Parameter whole: the minimum opacity of all layers together.
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
