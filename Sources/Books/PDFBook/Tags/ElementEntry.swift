import BookExpectations
import ImageCore

/// An entry of a structure element (PDF 32000-1:2008, table 323), in PDF's syntax and in the canonical form
/// of `TagDigest`.
struct ElementEntry: Sendable, Hashable {
  let key: String
  /// The value, with a separator before it if the key needs one.
  let value: String
  let canonical: String

  private init(_ key: String, text: String) {
    self.key = key
    value = PDFString.text(text)
    canonical = TagDigest.text(text)
  }

  private init(_ key: String, value: String, canonical: String) {
    (self.key, self.value, self.canonical) = (key, value, canonical)
  }

  /// Returns the alternative text of a picture (14.9.3).
  static func alternative(_ text: String) -> ElementEntry { ElementEntry("Alt", text: text) }

  /// Returns the text that replaces the element's own letters (14.9.4).
  static func actualText(_ text: String) -> ElementEntry { ElementEntry("ActualText", text: text) }

  /// Returns the language of the element (14.9.2).
  static func language(_ tag: String) -> ElementEntry { ElementEntry("Lang", text: tag) }

  /// Returns the layout attributes of a figure (14.8.5.4): its box on the page, as left, bottom, right and top.
  static func box(_ edges: [Double]) -> ElementEntry {
    ElementEntry(
      "A", value: "<</O/Layout/Placement/Block/BBox[\(PDFNumber.text(edges))]>>",
      canonical: TagDigest.dictionary([
        ("O", "/Layout"), ("Placement", "/Block"),
        ("BBox", TagDigest.list(edges.map(TagDigest.number))),
      ]))
  }
}

extension [ElementEntry] {
  /// The entries in a dictionary's syntax.
  var text: String { map { "/\($0.key)\($0.value)" }.joined() }

  /// The entries in the canonical form of `TagDigest`.
  var canonical: [(key: String, value: String)] { map { ($0.key, $0.canonical) } }
}
