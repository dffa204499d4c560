import ImageCore
import ImageMetadata

/// The metadata of a picture by field names of templates. The picture's file is read at most once, for the first field
/// that needs it.
final class PictureFields {
  private let picture: Picture
  private let info: Picture.Info?
  private(set) lazy var metadata = picture.metadata()
  private lazy var packet = metadata.xmp.isEmpty ? nil : try? XMPPacket(metadata.xmp)
  private lazy var record = IPTCRecord(metadata.iptc)
  private lazy var xmp = packet?.fields ?? [:]

  /// The fields whose text may come from any block of metadata.
  static let texts = ["title", "description"]
  /// The prefixes of fields that belong to one block.
  static let blocks = ["exif.", "xmp.", "iptc."]

  /// - Parameter info: the facts kept for planning, which may include some of the EXIF.
  init(_ picture: Picture, _ info: Picture.Info?) { (self.picture, self.info) = (picture, info) }

  /// Returns whether a field comes from a picture's metadata, so that its value may be anything.
  static func has(_ name: String) -> Bool { texts.contains(name) || blocks.contains(where: name.hasPrefix) }

  /// Returns the value of a field; nil if the picture does not have it.
  func value(_ name: String) -> MetadataValue? {
    if let field = MetadataField(rawValue: name), Self.texts.contains(name) {
      return metadata.text(of: field, packet, record).map { .text($0) }
    }
    guard let block = Self.blocks.first(where: name.hasPrefix) else { return nil }
    let field = String(name.dropFirst(block.count))
    switch block {
    case "exif.": return info?.metadata.exif[field] ?? metadata.exif[field]
    case "xmp.": return xmpValue(field)
    default: return IPTCNames.name(meaning: field).flatMap { record?.fields[$0] }
    }
  }

  /// The prefixes that are tried, in this order, for a property that is given without one.
  private static let prefixes = ["dc", "photoshop", "xmp", "Iptc4xmpCore", "Iptc4xmpExt", "tiff", "exif"]

  private func xmpValue(_ field: String) -> MetadataValue? {
    if let value = xmp[field] { return value }
    guard !field.contains(":") else { return nil }
    if let prefix = Self.prefixes.first(where: { xmp["\($0):\(field)"] != nil }) { return xmp["\(prefix):\(field)"] }
    let others = xmp.keys.filter { !$0.contains("/") && $0.split(separator: ":").last.map(String.init) == field }
    return others.min().flatMap { xmp[$0] }
  }
}

extension Picture {
  /// The properties of XMP by their prefixed names; empty if there is no readable packet.
  package var xmpFields: [String: MetadataValue] { (try? XMPPacket(metadata().xmp))?.fields ?? [:] }

  /// The fields of IPTC by ExifTool's names; empty if there is no readable block.
  package var iptcFields: [String: MetadataValue] { IPTCRecord(metadata().iptc)?.fields ?? [:] }

  /// Returns the number of times that the animation in the picture's file plays, 0 for endless repetition; nil if there
  /// is no animation, or if the codec does not state the number. Reads the header.
  func readLoopCount() throws(PictureError) -> Int? {
    guard case .source(let file, _, _) = root.step, try file.read().header.delay != nil,
      case .integer(let count)? = try file.wholeHeader().details[PictureHeader.loopCount]
    else { return nil }
    return min(max(0, count), 65_535)
  }
}

extension PictureMetadata {
  /// Returns the metadata for the result of an operation. If the operation has added colours to a gray picture, the
  /// profile for gray is removed, because it does not describe them (ICC.1:2022, 7.2.6: the colour space signature at
  /// byte 16).
  func describing(_ result: PictureLayout, madeOf input: PictureLayout) -> PictureMetadata {
    let isPromoted = input.format.model == .gray && result.format.model == .rgb
    guard isPromoted, iccProfile.dropFirst(16).starts(with: Array("GRAY".utf8)) else { return self }
    var metadata = self
    metadata.iccProfile = []
    return metadata
  }
}
