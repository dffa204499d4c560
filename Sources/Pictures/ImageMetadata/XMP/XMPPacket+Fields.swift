import ImageCore

extension XMPPacket {
  /// The most fields that are reported, and the deepest structures.
  private static let maximumFields = 5_000

  /// The values by their names: `dc:title`, texts and lists of texts. A field of a structure has a path:
  /// `xmpMM:DerivedFrom/stRef:documentID`, `xmpMM:History[1]/stEvt:action`.
  package var fields: [String: MetadataValue] {
    var fields: [String: MetadataValue] = [:]
    for property in properties { add(property, prefixed(property.name), to: &fields) }
    return fields
  }

  private func add(_ element: XMPElement, _ path: String, to fields: inout [String: MetadataValue]) {
    guard fields.count < Self.maximumFields else { return }
    if let items = element.items {
      let texts = element.texts
      if element.children[0].name == .rdf("Alt"), let text = texts.first {
        fields[path] = .text(text)
      } else if texts.count == items.count, !texts.isEmpty {
        fields[path] = .texts(texts)
      } else {
        for (index, item) in items.enumerated() { add(item, "\(path)[\(index + 1)]", to: &fields) }
      }
    } else if let text = element.plainText {
      fields[path] = .text(text)
    } else {
      for field in element.fields { add(field, "\(path)/\(prefixed(field.name))", to: &fields) }
    }
  }
}
