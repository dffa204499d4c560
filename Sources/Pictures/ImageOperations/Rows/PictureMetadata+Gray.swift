import ImageCore

extension PictureMetadata {
  /// The same for a picture that becomes gray: a profile stays only where it is one of a gray device
  /// (ICC.1:2022, 7.2.8: the colour space signature at byte 16).
  var withGrayProfileOnly: PictureMetadata {
    var result = self
    if !iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) { result.iccProfile = [] }
    return result
  }
}
