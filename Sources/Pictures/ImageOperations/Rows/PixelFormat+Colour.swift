import ImageCore

extension PixelFormat {
  /// Returns a format that can represent `colour`: RGB instead of gray if the colour is not neutral, as in libvips.
  func holding(_ colour: Colour) -> PixelFormat { colour.isNeutral ? self : with(model: .rgb) }
}

extension Colour {
  /// Whether the colour is black, white or gray.
  fileprivate var isNeutral: Bool { red == green && green == blue }
}
