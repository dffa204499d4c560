import ImageCore

extension PictureMetadata {
  /// The metadata of the picture made gray: a profile stays only if it is for a gray device (ICC.1:2022, 7.2.8:
  /// the colour space signature at byte 16).
  var withGrayProfileOnly: PictureMetadata {
    var result = self
    if !iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) { result.iccProfile = [] }
    return result
  }
}
