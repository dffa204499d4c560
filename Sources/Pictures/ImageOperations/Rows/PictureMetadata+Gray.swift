import ImageCore

extension PictureMetadata {
  /// The metadata for the picture after a conversion to gray: a profile is kept only if it is for a gray device
  /// (ICC.1:2022, 7.2.8: the colour space signature at byte 16).
  var withGrayProfileOnly: PictureMetadata {
    var result = self
    if !iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) { result.iccProfile = [] }
    return result
  }
}
