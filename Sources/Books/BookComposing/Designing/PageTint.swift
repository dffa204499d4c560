import ImageCore
import PictureTraits

/// Muted page colours, derived from the colours of the pictures.
enum PageTint {
  /// The lightness in Oklab behind dark text (near paper) and behind light text (near black).
  private static let (light, dark) = (0.95, 0.25)
  /// The maximum chroma: a higher one would compete with the pictures, and tint their edges.
  private static let mostChroma = 0.016

  /// Returns the mean of page colours; nil if there are none.
  static func mean(of colours: [Colour]) -> Colour? {
    guard !colours.isEmpty else { return nil }
    let places = colours.map { Oklab.place(of: SIMD3($0.red, $0.green, $0.blue)) }
    return Oklab.colour(at: places.reduce(SIMD3(), +) / Double(places.count))
  }

  /// Returns a colour for a page on which texts have, if possible, a contrast of at least 4.5. The first text
  /// determines whether the page is light or dark. On a light page, only dark texts count; on a dark page, only light
  /// texts.
  ///
  /// The hue is the mean of the pictures' colours, weighted by the area of each picture and by the rank of the colour.
  /// Colours of opposite hues cancel each other out, so that a colourful page becomes grey.
  ///
  /// - Parameters:
  ///   - pictures: the dominant colours of each picture, the most frequent first, and its area in any unit.
  ///   - texts: the colours of the page's texts.
  static func colour(of pictures: [(colours: [Colour], area: Double)], behind texts: [Colour]) -> Colour {
    var (sum, weight) = (SIMD3<Double>(), 0.0)
    for picture in pictures {
      for (rank, colour) in picture.colours.enumerated() {
        let own = picture.area / Double(rank + 1)
        sum += Oklab.place(of: SIMD3(colour.red, colour.green, colour.blue)) * own
        weight += own
      }
    }
    var tint = weight > 0 ? sum / weight : SIMD3()
    let chroma = (tint.y * tint.y + tint.z * tint.z).squareRoot()
    let factor = chroma > mostChroma ? mostChroma / chroma : 1
    let isDark = texts.first?.isLight ?? false
    tint = SIMD3(isDark ? dark : light, tint.y * factor, tint.z * factor)
    // Moves the colour towards paper or ink until all texts are readable, if possible.
    for _ in 0..<20 {
      let colour = Oklab.colour(at: tint)
      if texts.allSatisfy({ $0.isLight != isDark || $0.contrast(to: colour) >= Colour.readableContrast }) {
        return colour
      }
      tint = isDark ? tint * 0.8 : SIMD3(min(1, tint.x + 0.01), tint.y * 0.8, tint.z * 0.8)
    }
    return isDark ? .black : .white
  }
}
