/// A kind of information about a picture, with its places in EXIF, XMP and IPTC.
///
/// The equivalences follow the Guidelines for Handling Image Metadata of the Metadata Working Group (2.0, 5) and the
/// IPTC Photo Metadata Standard.
package enum MetadataField: String, CaseIterable, Sendable {
  case copyright, creator, credit, title, description, keywords, date, camera, rating, place

  /// The tags in the main and EXIF directories.
  var exif: Set<Int> {
    switch self {
    case .copyright: [0x8298]
    case .creator: [0x013b, 0x9c9d, 0xa437, 0xa438]
    case .credit: []
    case .title: [0x010d, 0x9c9b, 0xa436]
    case .description: [0x010e, 0x9286, 0x9c9c, 0x9c9f]
    case .keywords: [0x9c9e]
    // Offsets from UTC exist only since Exif 2.31, so ExifVersion is needed to interpret them.
    case .date: [0x0132, 0x9000, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292]
    case .camera:
      EXIFTags.carriedMain.union(EXIFTags.carriedExif).subtracting(EXIFTags.personal)
        .subtracting(Self.allCases.filter { $0 != .camera }.flatMap(\.exif))
    case .rating: [0x4746, 0x4749]
    case .place: [EXIFTags.gpsDirectory]
    }
  }

  /// Returns whether an XMP property belongs to the field.
  func has(_ name: XMPName) -> Bool {
    switch self {
    case .camera: Self.isOfCamera(name)
    case .place: Self.isPlace(name)
    default: Self.properties[self]?.contains(name) ?? false
    }
  }

  /// The numbers of the datasets in IPTC's application record (record 2).
  var iptc: Set<UInt8> {
    switch self {
    case .copyright: [116]
    case .creator: [80, 85, 118]
    case .credit: [110, 115]
    case .title: [5, 105]
    case .description: [120, 121, 122]
    case .keywords: [15, 20, 25]
    case .date: [55, 60, 62, 63]
    case .camera: [65, 70]
    case .rating: [10]
    case .place: [26, 27, 90, 92, 95, 100, 101]
    }
  }

  private static let properties: [MetadataField: Set<XMPName>] = [
    .copyright: names(
      (XMPSpace.dc, ["rights"]), (XMPSpace.tiff, ["Copyright"]), (XMPSpace.exifEX, ["Copyright"]),
      (XMPSpace.rights, ["Marked", "UsageTerms", "WebStatement", "Certificate", "Owner"]),
      (XMPSpace.creativeCommons, ["license", "attributionName", "attributionURL", "morePermissions"]),
      (XMPSpace.plus, ["CopyrightOwner", "Licensor", "LicensorURL", "ImageCreator", "DataMining"])),
    .creator: names(
      (XMPSpace.dc, ["creator", "contributor"]), (XMPSpace.tiff, ["Artist"]), (XMPSpace.exifEX, ["Photographer"]),
      (XMPSpace.photoshop, ["AuthorsPosition"]), (XMPSpace.core, ["CreatorContactInfo"])),
    .credit: names((XMPSpace.photoshop, ["Credit", "Source"]), (XMPSpace.dc, ["source", "publisher"])),
    .title: names((XMPSpace.dc, ["title"]), (XMPSpace.photoshop, ["Headline"]), (XMPSpace.exifEX, ["ImageTitle"])),
    .description: names(
      (XMPSpace.dc, ["description"]), (XMPSpace.tiff, ["ImageDescription"]), (XMPSpace.exif, ["UserComment"]),
      (XMPSpace.photoshop, ["CaptionWriter"]), (XMPSpace.core, ["AltTextAccessibility", "ExtDescrAccessibility"])),
    .keywords: names(
      (XMPSpace.dc, ["subject"]), (XMPSpace.lightroom, ["hierarchicalSubject", "weightedFlatSubject"]),
      (XMPSpace.photoshop, ["Category", "SupplementalCategories"]), (XMPSpace.core, ["SubjectCode", "Scene"])),
    .date: names(
      (XMPSpace.dc, ["date"]), (XMPSpace.xmp, ["CreateDate", "ModifyDate", "MetadataDate"]),
      (XMPSpace.photoshop, ["DateCreated"]), (XMPSpace.tiff, ["DateTime"]),
      (XMPSpace.exif, ["DateTimeOriginal", "DateTimeDigitized"])),
    .rating: names((XMPSpace.xmp, ["Rating", "Label"]), (XMPSpace.photoshop, ["Urgency"])),
  ]

  static func names(_ groups: (String, [String])...) -> Set<XMPName> {
    Set(groups.flatMap { space, names in names.map { XMPName(space, $0) } })
  }

  /// Returns whether a property describes the equipment or the exposure, and contains neither the owner nor a serial
  /// number.
  private static func isOfCamera(_ name: XMPName) -> Bool {
    let isTechnical = [XMPSpace.tiff, XMPSpace.exif, XMPSpace.exifEX, XMPSpace.aux].contains(name.space)
    let isOther = allCases.contains { $0 != .camera && $0.has(name) }
    return (isTechnical || name == XMPName(XMPSpace.xmp, "CreatorTool")) && !isOther
      && !PublicMetadata.personal.contains(name)
  }

  private static func isPlace(_ name: XMPName) -> Bool {
    if name.space == XMPSpace.exif || name.space == XMPSpace.exifEX { return name.local.hasPrefix("GPS") }
    return places.contains(name)
  }

  private static let places = names(
    (XMPSpace.core, ["Location", "CountryCode"]), (XMPSpace.photoshop, ["City", "State", "Country"]),
    (
      XMPSpace.ext,
      [
        "LocationCreated", "LocationShown", "City", "CountryCode", "CountryName", "ProvinceState",
        "Sublocation", "WorldRegion", "LocationId",
      ]
    ), (XMPSpace.dc, ["coverage"]))
}
