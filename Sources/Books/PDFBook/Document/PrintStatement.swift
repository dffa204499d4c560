import ImageCore

/// The statement in Info and XMP that a file follows PDF/X.
///
/// PDF/X-1a (ISO 15930-4:2003) requires GTS_PDFXVersion, Trapped, Title, Creator, Producer, CreationDate and ModDate in
/// Info. PDF/X-4 (ISO 15930-7:2010) requires the same facts and also identifiers in the XMP packet. Files of either
/// standard have the entries in Info and the properties in XMP.
struct PrintStatement: Sendable, Hashable {
  /// The value of GTS_PDFXVersion, such as `PDF/X-4`.
  let version: String
  let info: DocumentInfo

  /// The value of Trapped: imghost does not trap pictures.
  private static let trapped = "False"

  /// The entries that PDF/X adds to Info.
  var entries: String {
    "/Creator(\(DocumentInfo.producer))/ModDate\(PDFString.date(info.creationTime ?? 0))"
      + "/GTS_PDFXVersion\(PDFString.text(version))/Trapped/\(Self.trapped)"
  }

  /// The entries that `imghost-verify` checks.
  var statements: [(String, String)] { [("GTS_PDFXVersion", version), ("Trapped", Self.trapped)] }

  /// The properties that PDF/X adds to the XMP packet.
  var properties: [String] {
    let date = PDFString.isoDate(info.creationTime ?? 0)
    let isModern = version == "PDF/X-4"
    let space = isModern ? "pdfxid" : "pdfx"
    return [
      "<\(space):GTS_PDFXVersion>\(version)</\(space):GTS_PDFXVersion>", "<pdf:Trapped>\(Self.trapped)</pdf:Trapped>",
      "<xmp:ModifyDate>\(date)</xmp:ModifyDate>", "<xmp:MetadataDate>\(date)</xmp:MetadataDate>",
      "<xmp:CreatorTool>\(DocumentInfo.producer)</xmp:CreatorTool>",
      "<xmpMM:DocumentID>uuid:\(identifier)</xmpMM:DocumentID>", "<xmpMM:VersionID>1</xmpMM:VersionID>",
      "<xmpMM:RenditionClass>default</xmpMM:RenditionClass>",
    ]
  }

  /// The prefixes and namespaces that only `properties` need.
  static let spaces = [
    ("pdfxid", "http://www.npes.org/pdfx/ns/id/"), ("xmpMM", "http://ns.adobe.com/xap/1.0/mm/"),
  ]

  /// A UUID derived from the document's facts (RFC 9562, 5.8), so that equal books have equal identifiers.
  private var identifier: String {
    let facts = [info.title, info.author, info.subject, info.keywords, "\(info.creationTime ?? 0)"]
    var bytes = Array(SHA256.digest(of: Array(facts.joined(separator: "\0").utf8)).bytes.prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = Hexadecimal.text(bytes)
    var parts: [String] = []
    var rest = Substring(digits)
    for length in [8, 4, 4, 4, 12] {
      parts.append(String(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return parts.joined(separator: "-")
  }
}
