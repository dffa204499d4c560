import ImageCore

/// Texts for captions and file names, which XMP, IPTC or EXIF may contain.
extension PictureMetadata {
  /// Returns the title or the description from the first of XMP, IPTC and EXIF that has one; nil if none has one, and
  /// for any other field.
  package func text(
    of field: MetadataField, _ packet: @autoclosure () -> XMPPacket?, _ record: @autoclosure () -> IPTCRecord?
  )
    -> String?
  {
    let places: (xmp: [XMPName], iptc: [UInt8], exif: [String])
    switch field {
    case .title:
      places = (
        [XMPName(XMPSpace.dc, "title"), XMPName(XMPSpace.photoshop, "Headline")], [5, 105], ["XPTitle", "DocumentName"]
      )
    case .description:
      places = (
        [XMPName(XMPSpace.dc, "description"), XMPName(XMPSpace.tiff, "ImageDescription")], [120],
        ["ImageDescription", "XPComment", "XPSubject", "UserComment"]
      )
    default: return nil
    }
    func isText(_ text: String) -> Bool { !text.allSatisfy(\.isWhitespace) }
    if let packet = packet(), let text = places.xmp.lazy.compactMap({ packet[$0]?.texts.first }).first(where: isText) {
      return text
    }
    if let record = record(), let text = places.iptc.lazy.flatMap({ record.texts($0) }).first(where: isText) {
      return text
    }
    return places.exif.lazy.compactMap { name -> String? in
      if case .text(let text)? = exif[name] { text } else { nil }
    }.first(where: isText)
  }
}
