import ImageCore

extension XMPPacket {
  /// The properties that hold what IPTC's datasets say, and how (IPTC Photo Metadata Standard 2023.1).
  private static let twins: [(number: UInt8, space: String, name: String, kind: String?)] = [
    (5, XMPSpace.dc, "title", "Alt"), (10, XMPSpace.photoshop, "Urgency", nil),
    (15, XMPSpace.photoshop, "Category", nil), (20, XMPSpace.photoshop, "SupplementalCategories", "Bag"),
    (25, XMPSpace.dc, "subject", "Bag"), (40, XMPSpace.photoshop, "Instructions", nil),
    (80, XMPSpace.dc, "creator", "Seq"), (85, XMPSpace.photoshop, "AuthorsPosition", nil),
    (90, XMPSpace.photoshop, "City", nil), (92, XMPSpace.core, "Location", nil),
    (95, XMPSpace.photoshop, "State", nil), (100, XMPSpace.core, "CountryCode", nil),
    (101, XMPSpace.photoshop, "Country", nil), (103, XMPSpace.photoshop, "TransmissionReference", nil),
    (105, XMPSpace.photoshop, "Headline", nil), (110, XMPSpace.photoshop, "Credit", nil),
    (115, XMPSpace.photoshop, "Source", nil), (116, XMPSpace.dc, "rights", "Alt"),
    (120, XMPSpace.dc, "description", "Alt"), (122, XMPSpace.photoshop, "CaptionWriter", nil),
  ]

  /// The texts of IPTC's datasets whose properties the packet has.
  var iptcTexts: [(number: UInt8, texts: [String])] {
    Self.twins.compactMap { twin in
      self[XMPName(twin.space, twin.name)].map { (twin.number, $0.texts.filter { !$0.isEmpty }) }
    }
  }

  /// Adds what IPTC says and the packet does not, for formats that hold no IPTC.
  package mutating func add(_ record: IPTCRecord) {
    for twin in Self.twins {
      let name = XMPName(twin.space, twin.name)
      // Control characters would not be read again.
      let texts = record.texts(twin.number).filter { text in
        !text.isEmpty && text.unicodeScalars.allSatisfy(XMLText.isLegal)
      }
      guard let first = texts.first, self[name] == nil else { continue }
      self[name] = twin.kind.map { .array(name, $0, texts) } ?? XMPElement(name, text: first)
    }
  }
}
