import ImageCore

/// The option `metadata` of `save` for all formats: the metadata to be written.
///
/// No choice writes EXIF fields other than those that `EXIFTags` carries, or XMP properties that describe or contain
/// other pixels (see `PixelBoundXMP`).
package enum MetadataChoice: Sendable, Hashable {
  /// EXIF, XMP, IPTC, the ICC profile, and the resolution.
  case all
  /// The metadata of `all` without the location, the owner and identifiers: the GPS directory, HostComputer,
  /// ImageUniqueID, CameraOwnerName, BodySerialNumber, LensSerialNumber, and what `PublicMetadata` excludes in XMP and
  /// IPTC. Creator, copyright, credit, dates, the camera's model and comments are kept.
  case `public`
  /// Only the resolution, and the orientation if the pixels are not upright.
  case none
  /// Only these fields, and what viewers need: the ICC profile, the orientation and the resolution.
  case keep(Set<MetadataField>)

  /// Reads the option; `all` if it is not given.
  package init(_ arguments: Arguments) {
    // The parameter's descriptor allows no other values than these.
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

  /// Returns the metadata for a file, and the losses that the user has not asked for.
  package func applied(to metadata: PictureMetadata, _ layout: PictureLayout) -> (
    metadata: PictureMetadata, losses: [MetadataLoss]
  ) {
    var result = metadata
    result.exifBlock = exif(metadata.exifBlock)
    (result.xmp, result.iptc, result.losses) = ([], [], [])
    guard self != .none else {
      // The pixels have been converted to sRGB; see the option `profile` of `save`.
      result.iccProfile = []
      return (result, metadata.losses.filter(\.changesColours))
    }
    // Ignoring a profile changes the picture's colours, so this loss is reported for every choice.
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

  /// Whether the choice keeps everything except certain fields, rather than only certain fields.
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
