import ImageCore

/// The metadata that `save` writes: the option `metadata`, which all formats share.
///
/// All choices write only EXIF fields of the standard, see `EXIFTags.carriedMain`, and no XMP that describes or
/// contains other pixels, see `PixelBoundXMP`.
package enum MetadataChoice: Sendable, Hashable {
  /// EXIF, XMP, IPTC, the ICC profile, and the resolution.
  case all
  /// All of the above except the location and the owner: without the GPS directory, HostComputer, ImageUniqueID,
  /// CameraOwnerName, BodySerialNumber, LensSerialNumber, and without their equivalents in XMP and IPTC. Creator,
  /// copyright, credit, dates, the camera's model and comments are kept.
  case `public`
  /// Only the resolution, and the orientation if the pixels are not upright.
  case none
  /// These fields, and the fields that displays need.
  case keep(Set<MetadataField>)

  /// Reads the option; the default is `all` for formats without it.
  package init(_ arguments: Arguments) {
    // The descriptor allows no other value.
    switch arguments["metadata"] {
    case .text("public")?: self = .public
    case .text("none")?: self = .none
    case .list(let names)?:
      self = .keep(
        Set(names.compactMap { if case .text(let name) = $0 { MetadataField(rawValue: name) } else { nil } }))
    default: self = .all
    }
  }

  package static let parameter = ParameterDescriptor(
    "metadata",
    .choiceOrList(["all", "public", "none"], named: "keep", of: MetadataField.allCases.map(\.rawValue)),
    default: .text("all"),
    help:
      "metadata to carry over; public removes place, owner and serial numbers; none converts to sRGB and keeps only resolution and orientation; a table such as { keep = { 'copyright', 'date' } } keeps these, too"
  )

  /// Returns the metadata for a file, and the losses that the user did not request.
  package func applied(to metadata: PictureMetadata, _ layout: PictureLayout) -> (
    metadata: PictureMetadata, losses: [MetadataLoss]
  ) {
    var result = metadata
    result.exifBlock = exif(metadata.exifBlock)
    (result.xmp, result.iptc, result.losses) = ([], [], [])
    guard self != .none else {
      // The pixels are sRGB; see the option `profile` of `save`.
      result.iccProfile = []
      return (result, metadata.losses.filter(\.changesColours))
    }
    // A profile that is ignored changes the picture's colours, so the loss is reported for every choice.
    var losses = isBroad ? metadata.losses : metadata.losses.filter(\.changesColours)
    if !metadata.xmp.isEmpty {
      do throws(XMPFault) {
        var packet = try XMPPacket(metadata.xmp)
        let bound = PixelBoundXMP.remove(from: &packet, result, layout)
        if isBroad { losses += bound.filter { !losses.contains($0) } }
        packet.removeAll { !has($0) }
        result.xmp = packet.bytes()
      } catch {
        losses.append(.unreadable(.xmp, reason: error.description))
      }
    }
    if !metadata.iptc.isEmpty {
      if var record = IPTCRecord(metadata.iptc) {
        record.removeAll { !has($0) }
        result.iptc = record.bytes
      } else {
        losses.append(.unreadable(.iptc, reason: IPTCRecord.problem(metadata.iptc)))
      }
    }
    return (result, losses)
  }

  /// Whether the choice names the fields to leave out, instead of those to keep.
  private var isBroad: Bool { self == .all || self == .public }

  private func exif(_ block: [UInt8]) -> [UInt8] {
    switch self {
    case .all: block
    case .public: EXIFBlock.withoutPersonalFields(block)
    case .none: []
    case .keep(let fields):
      EXIFBlock.keeping(block, Set(fields.flatMap(\.exif)).union([EXIFTags.orientation]))
    }
  }

  private func has(_ name: XMPName) -> Bool {
    switch self {
    case .all: true
    case .public: PublicMetadata.has(name)
    case .none: false
    case .keep(let fields): fields.contains { $0.has(name) }
    }
  }

  private func has(_ dataset: UInt8) -> Bool {
    switch self {
    case .all: true
    case .public: PublicMetadata.has(dataset)
    case .none: false
    case .keep(let fields): fields.contains { $0.iptc.contains(dataset) }
    }
  }
}
