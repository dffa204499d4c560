import ImageCore

extension PixelFormat {
  /// Returns the format with three colour bands if `colour` needs them: a gray picture becomes RGB if the background is
  /// not neutral, as in libvips.
  func holding(_ colour: Colour) -> PixelFormat { colour.isNeutral ? self : with(model: .rgb) }
}

extension Colour {
  /// Whether a gray picture can represent the colour.
  fileprivate var isNeutral: Bool { red == green && green == blue }
}
