/// The name of an XML element or attribute: a namespace, and a local name.
package struct XMPName: Sendable, Hashable {
  package let space: String
  package let local: String

  package init(_ space: String, _ local: String) {
    self.space = space
    self.local = local
  }

  static func rdf(_ local: String) -> XMPName { XMPName(XMPSpace.rdf, local) }
}

/// An element of an XMP packet: its attributes, and either text or child elements.
package struct XMPElement: Sendable, Hashable {
  struct Attribute: Sendable, Hashable {
    let name: XMPName
    var value: String
  }

  package var name: XMPName
  var attributes: [Attribute] = []
  /// The text; empty if there are child elements.
  var text = ""
  var children: [XMPElement] = []

  init(_ name: XMPName, text: String = "") {
    self.name = name
    self.text = text
  }

  func attribute(_ name: XMPName) -> String? { attributes.first { $0.name == name }?.value }
}

extension XMPElement {
  private static let containers: Set<XMPName> = [.rdf("Bag"), .rdf("Seq"), .rdf("Alt")]

  /// The items of an array; nil for any other value.
  var items: [XMPElement]? {
    guard children.count == 1, Self.containers.contains(children[0].name) else { return nil }
    return children[0].children.filter { $0.name == .rdf("li") }
  }

  /// The fields of a structure in any syntax of ISO 16684-1 (7.5 and 7.9.2.3); empty for any other value.
  var fields: [XMPElement] {
    let holder = children.count == 1 && children[0].name == .rdf("Description") ? children[0] : self
    let short = holder.attributes.filter { $0.name.space != XMPSpace.rdf && $0.name.space != XMPSpace.xml }
    let plain = holder.children.filter { $0.name.space != XMPSpace.rdf }
    return short.map { XMPElement($0.name, text: $0.value) } + plain
  }

  /// The text of a simple value, or the address of an `rdf:resource`; nil for an array or a structure.
  var plainText: String? {
    if let address = attribute(.rdf("resource")) { return address }
    if children.count == 1, children[0].name == .rdf("Description"),
      let value = children[0].children.first(where: { $0.name == .rdf("value") })
    {
      return value.text
    }
    return children.isEmpty && fields.isEmpty ? text : nil
  }

  /// The text of a simple value, or the texts of the simple items of an array. From alternatives in several languages,
  /// only the default is included, or the first if none is the default.
  var texts: [String] {
    guard let items else { return plainText.map { [$0] } ?? [] }
    guard children[0].name == .rdf("Alt") else { return items.compactMap(\.plainText) }
    let usual = items.first { $0.attribute(XMPName(XMPSpace.xml, "lang")) == "x-default" } ?? items.first
    return usual?.plainText.map { [$0] } ?? []
  }

  /// Creates an array of simple items: `Bag`, `Seq`, or `Alt` with the default language.
  static func array(_ name: XMPName, _ kind: String, _ texts: [String]) -> XMPElement {
    var container = XMPElement(.rdf(kind))
    container.children = texts.map { text in
      var item = XMPElement(.rdf("li"), text: text)
      if kind == "Alt" { item.attributes = [Attribute(name: XMPName(XMPSpace.xml, "lang"), value: "x-default")] }
      return item
    }
    var element = XMPElement(name)
    element.children = [container]
    return element
  }
}
