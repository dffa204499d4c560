import ImageCore

/// New values for fields of a picture in EXIF, XMP and IPTC. An empty value removes a field; nil leaves it unchanged.
package struct MetadataEdit: Sendable, Hashable {
  package var copyright: String?
  package var creator: [String]?
  package var title: String?
  package var description: String?
  package var keywords: [String]?
  package var date: MetadataDate?
  /// Whether the location is removed.
  package var removesPlace = false

  package init() {}

  /// Takes the values from an XMP packet.
  package init(_ packet: XMPPacket) {
    func texts(_ space: String, _ name: String) -> [String]? { packet[XMPName(space, name)]?.texts }
    copyright = texts(XMPSpace.dc, "rights")?.first
    creator = texts(XMPSpace.dc, "creator")
    title = texts(XMPSpace.dc, "title")?.first
    description = texts(XMPSpace.dc, "description")?.first
    keywords = texts(XMPSpace.dc, "subject")
    date = (texts(XMPSpace.photoshop, "DateCreated") ?? texts(XMPSpace.exif, "DateTimeOriginal"))?.first
      .flatMap { StatedDate($0) }.flatMap { MetadataDate($0) }
  }

  /// Returns metadata with the values applied.
  package func applied(to metadata: PictureMetadata) -> PictureMetadata {
    var result = metadata
    result.exifBlock = EXIFBlock.edited(metadata.exifBlock, edit)
    result.exif = EXIFBlock(result.exifBlock)?.fields ?? [:]
    if result.exif.isEmpty { result.exifBlock = [] }
    var packet = XMPPacket()
    if !metadata.xmp.isEmpty {
      do throws(XMPFault) { packet = try XMPPacket(metadata.xmp) } catch {
        result.losses.append(.unreadable(.xmp, reason: error.description))
      }
    }
    edit(&packet)
    result.xmp = packet.bytes()
    var record = IPTCRecord()
    if !metadata.iptc.isEmpty {
      if let known = IPTCRecord(metadata.iptc) {
        record = known
      } else {
        result.losses.append(.unreadable(.iptc, reason: IPTCRecord.problem(metadata.iptc)))
      }
    }
    edit(&record)
    result.iptc = record.bytes
    return result
  }
}

// MARK: EXIF

extension MetadataEdit {
  private func edit(_ fields: inout TIFFFields) {
    func set(_ tag: Int, _ text: String?, windows: Int? = nil) {
      guard let text else { return }
      if tag != 0 { fields[tag] = text.isEmpty ? nil : .text(text) }
      if let windows { fields[windows] = text.isEmpty ? nil : .utf16(text) }
    }
    set(0x8298, copyright)
    set(0x013b, creator?.joined(separator: "; "), windows: 0x9c9d)
    set(0, title, windows: 0x9c9b)
    set(0x010e, description)
    set(0, keywords?.joined(separator: "; "), windows: 0x9c9e)
    if removesPlace { fields[EXIFTags.gpsDirectory] = nil }
    guard let date else { return }
    var below: TIFFFields = [:]
    if case .directory(let known)? = fields[EXIFTags.exifDirectory] { below = known }
    below[0x9003] = .text(date.exif)
    below[0x9011] = date.exifOffset.map { .text($0) }
    // The fraction of a second (SubSecTimeOriginal) belongs to the old time.
    below[0x9291] = nil
    if below[0x9000] == nil { below[0x9000] = .value(type: 7, bytes: Array("0232".utf8)) }
    fields[EXIFTags.exifDirectory] = .directory(below)
  }
}

extension TIFFField {
  /// Returns a text in the encoding of the fields that Windows adds: little-endian UTF-16.
  fileprivate static func utf16(_ text: String) -> TIFFField {
    .value(type: 1, bytes: (Array(text.utf16) + [0]).flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
  }
}

// MARK: XMP and IPTC

extension MetadataEdit {
  private func edit(_ packet: inout XMPPacket) {
    func set(_ space: String, _ name: String, _ kind: String, _ texts: [String]?, twins: [XMPName] = []) {
      guard let texts = texts?.filter({ !$0.isEmpty }) else { return }
      let name = XMPName(space, name)
      packet[name] = texts.isEmpty ? nil : .array(name, kind, texts)
      for twin in twins { packet[twin] = nil }
    }
    set(XMPSpace.dc, "rights", "Alt", copyright.map { [$0] }, twins: [XMPName(XMPSpace.tiff, "Copyright")])
    set(XMPSpace.dc, "creator", "Seq", creator, twins: [XMPName(XMPSpace.tiff, "Artist")])
    set(XMPSpace.dc, "title", "Alt", title.map { [$0] })
    set(
      XMPSpace.dc, "description", "Alt", description.map { [$0] }, twins: [XMPName(XMPSpace.tiff, "ImageDescription")])
    set(XMPSpace.dc, "subject", "Bag", keywords)
    if removesPlace { packet.removeAll(where: MetadataField.place.has) }
    guard let date else { return }
    for name in [XMPName(XMPSpace.photoshop, "DateCreated"), XMPName(XMPSpace.exif, "DateTimeOriginal")] {
      packet[name] = XMPElement(name, text: date.xmp)
    }
  }

  private func edit(_ record: inout IPTCRecord) {
    func set(_ number: UInt8, _ texts: [String]?) {
      if let texts = texts?.filter({ !$0.isEmpty }) { record.set(number, to: texts) }
    }
    set(116, copyright.map { [$0] })
    set(80, creator)
    set(5, title.map { [$0] })
    set(120, description.map { [$0] })
    set(25, keywords)
    if removesPlace { record.removeAll(where: MetadataField.place.iptc.contains) }
    guard let date else { return }
    set(55, [date.iptcDay])
    set(60, date.iptcTime.map { [$0] } ?? [])
  }
}
