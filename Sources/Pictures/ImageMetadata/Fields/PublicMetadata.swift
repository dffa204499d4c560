/// The metadata that may be published: without locations, the owner of the equipment, and serial numbers.
enum PublicMetadata {
  /// The namespaces with known properties. Properties of other namespaces may contain paths, faces or identifiers.
  private static let spaces: Set<String> = [
    XMPSpace.dc, XMPSpace.xmp, XMPSpace.rights, XMPSpace.photoshop, XMPSpace.core, XMPSpace.ext, XMPSpace.exif,
    XMPSpace.exifEX, XMPSpace.tiff, XMPSpace.aux, XMPSpace.plus, XMPSpace.creativeCommons, XMPSpace.lightroom,
  ]

  /// Properties that name the owner, or identify the equipment or the file.
  static let personal: Set<XMPName> = [
    XMPName(XMPSpace.aux, "SerialNumber"), XMPName(XMPSpace.aux, "LensSerialNumber"),
    XMPName(XMPSpace.aux, "OwnerName"), XMPName(XMPSpace.aux, "ImageNumber"), XMPName(XMPSpace.aux, "LensID"),
    XMPName(XMPSpace.exifEX, "BodySerialNumber"), XMPName(XMPSpace.exifEX, "SerialNumber"),
    XMPName(XMPSpace.exifEX, "LensSerialNumber"), XMPName(XMPSpace.exifEX, "CameraOwnerName"),
    XMPName(XMPSpace.exif, "ImageUniqueID"), XMPName(XMPSpace.exif, "MakerNote"),
    XMPName(XMPSpace.exifEX, "ImageUniqueID"), XMPName(XMPSpace.tiff, "HostComputer"),
    XMPName(XMPSpace.ext, "DigImageGUID"), XMPName(XMPSpace.ext, "RegistryId"),
    XMPName(XMPSpace.dc, "identifier"), XMPName(XMPSpace.xmp, "Identifier"),
    XMPName(XMPSpace.photoshop, "History"), XMPName(XMPSpace.photoshop, "DocumentAncestors"),
    XMPName(XMPSpace.photoshop, "TransmissionReference"),
  ]

  /// Job, document and owner identifiers.
  private static let personalDatasets: Set<UInt8> = [22, 50, 103, 184, 185, 186, 187, 188]

  static func has(_ name: XMPName) -> Bool {
    spaces.contains(name.space) && !personal.contains(name) && !MetadataField.place.has(name)
  }

  static func has(_ dataset: UInt8) -> Bool {
    !MetadataField.place.iptc.contains(dataset) && !personalDatasets.contains(dataset)
  }
}
