import ImageCore

extension PixelFormat {
  /// The same format, with three colour bands where it takes them to hold `colour`: gray pictures become
  /// RGB beside a background that is not neutral, as in libvips.
  func holding(_ colour: Colour) -> PixelFormat {
    colour.isNeutral ? self : with(model: .rgb)
  }
}

extension Colour {
  /// Whether a gray picture can hold it.
  fileprivate var isNeutral: Bool { red == green && green == blue }
}
