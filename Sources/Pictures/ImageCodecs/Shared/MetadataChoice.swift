import ImageCore

/// The metadata that `save` writes: the option `metadata`, which all formats share.
///
/// Every choice carries only fields of the Exif standard, see `EXIFTags.carriedMain`.
package enum MetadataChoice: String, CaseIterable {
  /// EXIF, the ICC profile, the resolution.
  case all
  /// The same without the place and the owner of the equipment: without the GPS directory, HostComputer,
  /// ImageUniqueID, CameraOwnerName, BodySerialNumber, LensSerialNumber. Artist, copyright, dates, the
  /// camera's model and comments stay.
  case `public`
  /// Only the data that displays need: the ICC profile, the resolution, and the orientation of pixels that are not
  /// upright.
  case none

  package init(_ arguments: Arguments) {
    // The descriptor allows no other value.
    self = MetadataChoice(rawValue: arguments.text("metadata"))!
  }

  package static let parameter = ParameterDescriptor(
    "metadata", .choice(allCases.map(\.rawValue)), default: .text(all.rawValue),
    help:
      "metadata to carry over; public removes place, owner and serial numbers; none keeps profile, resolution and orientation"
  )

  /// Returns the metadata for the encoder.
  package func applied(to metadata: PictureMetadata) -> PictureMetadata {
    var metadata = metadata
    switch self {
    case .all: break
    case .public: metadata.exifBlock = EXIFBlock.withoutPersonalFields(metadata.exifBlock)
    case .none: metadata.exifBlock = []
    }
    return metadata
  }
}
