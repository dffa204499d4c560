import ImageCore

/// What `save` writes beside the pixels: the option `metadata`, which all formats share.
///
/// Only fields of the Exif standard are ever carried, whatever is chosen: see `EXIFTags.carriedMain`.
enum MetadataChoice: String, CaseIterable {
  /// EXIF, the ICC profile, the resolution.
  case all
  /// The same without what tells where and with whose equipment: the GPS directory, HostComputer,
  /// ImageUniqueID, CameraOwnerName, BodySerialNumber, LensSerialNumber. Artist, copyright, dates, the
  /// camera's model and whatever was typed into comments stay.
  case `public`
  /// What the pixels need to be shown right: the ICC profile, the resolution, and the orientation of pixels
  /// that are not upright.
  case none

  init(_ arguments: Arguments) {
    // The descriptor admits no other.
    self = MetadataChoice(rawValue: arguments.text("metadata"))!
  }

  static let parameter = ParameterDescriptor(
    "metadata", .choice(allCases.map(\.rawValue)), default: .text(all.rawValue),
    help:
      "what to carry over; public drops place, owner and serial numbers; none keeps the profile")

  /// What an encoder is given.
  func applied(to metadata: PictureMetadata) -> PictureMetadata {
    var metadata = metadata
    switch self {
    case .all: break
    case .public: metadata.exifBlock = EXIFBlock.withoutPersonalFields(metadata.exifBlock)
    case .none: metadata.exifBlock = []
    }
    return metadata
  }
}
