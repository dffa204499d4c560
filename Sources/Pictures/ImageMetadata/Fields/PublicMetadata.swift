/// The metadata that may be published: without locations, the owner of the equipment, and serial numbers.
enum PublicMetadata {
  /// The namespaces with known properties. Properties of other namespaces may contain paths, faces or identifiers.
  private static let spaces: Set<String> = [
    XMPSpace.dc, XMPSpace.xmp, XMPSpace.rights, XMPSpace.photoshop, XMPSpace.core, XMPSpace.ext, XMPSpace.exif,
    XMPSpace.exifEX, XMPSpace.tiff, XMPSpace.aux, XMPSpace.plus, XMPSpace.creativeCommons, XMPSpace.lightroom,
  ]

  /// Properties that name the owner, or identify the equipment or the file.
  static let personal = MetadataField.names(
    (XMPSpace.aux, ["SerialNumber", "LensSerialNumber", "OwnerName", "ImageNumber", "LensID"]),
    (XMPSpace.exifEX, ["BodySerialNumber", "SerialNumber", "LensSerialNumber", "CameraOwnerName", "ImageUniqueID"]),
    (XMPSpace.exif, ["ImageUniqueID", "MakerNote"]), (XMPSpace.tiff, ["HostComputer"]),
    (XMPSpace.ext, ["DigImageGUID", "RegistryId"]), (XMPSpace.dc, ["identifier"]), (XMPSpace.xmp, ["Identifier"]),
    (XMPSpace.photoshop, ["History", "DocumentAncestors", "TransmissionReference"]))

  /// Job, document and owner identifiers.
  private static let personalDatasets: Set<UInt8> = [22, 50, 103, 184, 185, 186, 187, 188]

  static func has(_ name: XMPName) -> Bool {
    spaces.contains(name.space) && !personal.contains(name) && !MetadataField.place.has(name)
  }

  static func has(_ dataset: UInt8) -> Bool {
    !MetadataField.place.iptc.contains(dataset) && !personalDatasets.contains(dataset)
  }
}
