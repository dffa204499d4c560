import ImageCore

extension PictureMetadata {
  /// Returns the metadata for the result of an operation. If the operation has added colours to a gray picture, the
  /// profile for gray is removed, because it does not describe them (ICC.1:2022, 7.2.8: the colour space signature at
  /// byte 16).
  func describing(_ result: PictureLayout, madeOf input: PictureLayout) -> PictureMetadata {
    let isPromoted = input.format.model == .gray && result.format.model == .rgb
    guard isPromoted, iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) else { return self }
    var metadata = self
    metadata.iccProfile = []
    return metadata
  }
}
