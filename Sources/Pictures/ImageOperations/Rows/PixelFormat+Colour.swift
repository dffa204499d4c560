import ImageCore

extension PixelFormat {
  /// Returns a format that can represent `colour`: RGB instead of gray if the colour is not neutral, as in libvips.
  func holding(_ colour: Colour) -> PixelFormat { colour.isNeutral ? self : with(model: .rgb) }
}

extension Colour {
  /// Whether the colour is black, white or gray.
  fileprivate var isNeutral: Bool { red == green && green == blue }
}

extension PictureMetadata {
  /// The metadata after a conversion to gray: the profile is kept only if its colour space is gray (the signature at
  /// byte 16; ICC.1:2022, 7.2.6).
  var withGrayProfileOnly: PictureMetadata {
    var result = self
    if !iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) { result.iccProfile = [] }
    return result
  }
}
