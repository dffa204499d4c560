import ImageCore

extension Colour {
  /// The opaque colour that looks like this one on white paper; nil if it is invisible.
  package var onPaper: Colour? { over(.white) }

  /// Returns the opaque colour that looks like this one on another, opaque colour; nil if this one is invisible.
  package func over(_ ground: Colour) -> Colour? {
    guard alpha > 0 else { return nil }
    func mixed(_ part: Double, _ under: Double) -> Double { part * alpha + under * (1 - alpha) }
    return Colour(red: mixed(red, ground.red), green: mixed(green, ground.green), blue: mixed(blue, ground.blue))
  }

  /// The colour with its opacity; nil if it is invisible.
  var visible: Colour? { alpha > 0 ? self : nil }
}
