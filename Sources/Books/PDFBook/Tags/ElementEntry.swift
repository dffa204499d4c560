import BookExpectations
import ImageCore

/// An entry of a structure element (PDF 32000-1:2008, table 323): as it is written, and as `TagSeal` has it.
struct ElementEntry: Sendable, Hashable {
  let key: String
  /// With what parts it from its key.
  let value: String
  let seal: String

  private init(_ key: String, text: String) {
    self.key = key
    value = PDFString.text(text)
    seal = TagSeal.text(text)
  }

  private init(_ key: String, value: String, seal: String) {
    (self.key, self.value, self.seal) = (key, value, seal)
  }

  /// What is read instead of a picture (14.9.3).
  static func alternative(_ text: String) -> ElementEntry { ElementEntry("Alt", text: text) }

  /// What is read instead of the element's own letters (14.9.4).
  static func actualText(_ text: String) -> ElementEntry { ElementEntry("ActualText", text: text) }

  /// 14.9.2.
  static func language(_ tag: String) -> ElementEntry { ElementEntry("Lang", text: tag) }

  /// The attributes of a figure (14.8.5.4): what it covers of the page; left, bottom, right and top.
  static func box(_ edges: [Double]) -> ElementEntry {
    ElementEntry(
      "A", value: "<</O/Layout/Placement/Block/BBox[\(PDFNumber.text(edges))]>>",
      seal: TagSeal.dictionary([
        ("O", "/Layout"), ("Placement", "/Block"),
        ("BBox", TagSeal.list(edges.map(TagSeal.number))),
      ]))
  }
}

extension [ElementEntry] {
  /// As a dictionary has them.
  var text: String { map { "/\($0.key)\($0.value)" }.joined() }

  /// As `TagSeal` has them.
  var sealed: [(key: String, value: String)] { map { ($0.key, $0.seal) } }
}
