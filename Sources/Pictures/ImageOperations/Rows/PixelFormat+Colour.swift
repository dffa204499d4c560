import ImageCore

extension PixelFormat {
  /// Returns the format with three colour bands if `colour` needs them: gray pictures become RGB beside a
  /// background that is not neutral, as in libvips.
  func holding(_ colour: Colour) -> PixelFormat { colour.isNeutral ? self : with(model: .rgb) }
}

extension Colour {
  /// Whether a gray picture can hold it.
  fileprivate var isNeutral: Bool { red == green && green == blue }
}
