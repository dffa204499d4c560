import BookExpectations
import ImageCore

/// Compares the Info dictionary with the XMP packet, which must agree (ISO 19005-1:2005, 6.7.3).
struct InformationAgreement {
  let packet: XMPForm

  private static let dublinCore = "http://purl.org/dc/elements/1.1/"
  private static let pdf = "http://ns.adobe.com/pdf/1.3/"
  private static let xmp = "http://ns.adobe.com/xap/1.0/"
  /// The entries of Info with the corresponding XMP properties.
  private static let names: [(key: String, property: String)] = [
    ("Title", dublinCore + "title"), ("Author", dublinCore + "creator"),
    ("Subject", dublinCore + "description"), ("Keywords", pdf + "Keywords"),
    ("Creator", xmp + "CreatorTool"), ("Producer", pdf + "Producer"),
    ("CreationDate", xmp + "CreateDate"), ("ModDate", xmp + "ModifyDate"),
  ]

  /// Returns a clause for each entry of Info that contradicts the packet.
  func differences(_ info: [String: String]) -> [String] {
    Self.names.compactMap { key, property in
      guard let stated = info[key], !stated.isEmpty else { return nil }
      let meant = packet.properties[property]
      if let meant, Self.isSame(stated, meant) { return nil }
      return "its Info dictionary has the \(key) \(FaultText.quoted(stated)), its XMP metadata "
        + (meant.map(FaultText.quoted) ?? "none")
    }
  }

  /// Returns a clause for each contradiction between a changed packet and the Info dictionary as it was written.
  func changes(_ meant: [DocumentExpectation.Entry]) -> [String] {
    let texts = Dictionary(meant.map { ($0.key, $0.text) }, uniquingKeysWith: { first, _ in first })
    return Self.names.filter { !["Producer", "Creator", "ModDate"].contains($0.key) }.compactMap { key, property in
      switch (packet.properties[property], texts[key]) {
      case (nil, nil): nil
      case (let found?, let text?) where Self.isSame(text, found): nil
      case (let found?, let text):
        "\(key) is \(FaultText.quoted(found)) there, and was " + (text.map(FaultText.quoted) ?? "not written")
      case (nil, let text?): "\(key) \(FaultText.quoted(text)) is missing there"
      }
    }
  }

  private static func isSame(_ info: String, _ property: String) -> Bool {
    guard info != property else { return true }
    guard let first = PDFDate(info), let second = PDFDate(property) else { return false }
    return first.isSame(as: second)
  }
}
