import ImageCore

extension PictureMetadata {
  /// The same for a result whose colours an operation may have added to a gray picture: a profile of a gray
  /// device does not describe those (ICC.1:2022, 7.2.8: the colour space signature at byte 16).
  func describing(_ result: PictureLayout, madeOf input: PictureLayout) -> PictureMetadata {
    let isPromoted = input.format.model == .gray && result.format.model == .rgb
    guard isPromoted, iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) else { return self }
    var metadata = self
    metadata.iccProfile = []
    return metadata
  }
}
