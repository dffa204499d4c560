import ImageCore

extension PictureMetadata {
  /// The metadata after a conversion to gray: the profile is kept only if its colour space is gray (the signature at
  /// byte 16; ICC.1:2022, 7.2.8).
  var withGrayProfileOnly: PictureMetadata {
    var result = self
    if !iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) { result.iccProfile = [] }
    return result
  }
}
