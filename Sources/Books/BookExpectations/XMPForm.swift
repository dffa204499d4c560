import ImageCore

/// The meaning of an XMP packet (ISO 16684-1), for comparing packets that are written differently. Prefixes, comments,
/// the packet's wrapper, white space between elements, and the order of attributes and properties are ignored, and so
/// are the properties that programs set when they rewrite a file: the producer, the tool, and the dates of modification
/// of the file and of its metadata.
public struct XMPForm: Sendable {
  /// The digest of the packet's elements, attributes and texts.
  public let digest: ShortDigest
  /// The values of properties with one value, or with one value per language: see `XMPNode.value`. Each key is a
  /// namespace followed by a name.
  public let properties: [String: String]

  /// Parses a packet; nil if it is not XML with an `rdf:RDF`.
  public init?(_ bytes: [UInt8]) {
    guard let text = XMPEncoding.text(bytes) else { return nil }
    var reader = XMLReader(Array(text.utf8))
    guard let element = try? reader.root(), let root = XMPNode(element)?.first(XMPNode.rdf + "RDF") else { return nil }
    digest = ShortDigest(SHA256.digest(of: Array(root.canonical.utf8)))
    var properties: [String: String] = [:]
    for description in root.children {
      for property in description.properties where properties[property.name] == nil {
        properties[property.name] = property.value
      }
    }
    self.properties = properties
  }
}

/// An XML element. The names of elements and attributes are preceded by their namespaces.
struct XMPNode {
  let name: String
  var attributes: [String: String] = [:]
  var text: String
  var children: [XMPNode] = []

  init(name: String, text: String = "") {
    self.name = name
    self.text = text
  }

  /// Creates a node from an element; nil if a prefix is not declared or an attribute is repeated.
  init?(_ element: XMLElement) {
    guard let space = element.name.space else { return nil }
    name = space + element.name.local
    text = element.text
    for (name, value) in element.attributes {
      guard let space = name.space, attributes.updateValue(value, forKey: space + name.local) == nil else { return nil }
    }
    for child in element.children {
      guard let node = XMPNode(child) else { return nil }
      children.append(node)
    }
  }

  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  static let xml = "http://www.w3.org/XML/1998/namespace"
  private static let free: Set = [
    "http://ns.adobe.com/pdf/1.3/Producer", "http://ns.adobe.com/xap/1.0/CreatorTool",
    "http://ns.adobe.com/xap/1.0/ModifyDate", "http://ns.adobe.com/xap/1.0/MetadataDate",
  ]

  /// Returns the element itself if it has the given name, or else the first descendant with that name; nil if there is
  /// none.
  func first(_ wanted: String) -> XMPNode? {
    if name == wanted { return self }
    for child in children { if let found = child.first(wanted) { return found } }
    return nil
  }

  /// The properties of an `rdf:Description`: its children, and its attributes outside the namespaces of RDF and XML
  /// (ISO 16684-1, 7.9.2.2). For other elements, the children.
  var properties: [XMPNode] {
    guard name == Self.rdf + "Description" else { return children }
    return attributes.filter { !Self.isOfSyntax($0.key) }.map { XMPNode(name: $0.key, text: $0.value) } + children
  }

  /// The value of a property that has only one; of values in several languages, the default one, else the first; nil
  /// for other lists.
  var value: String? {
    guard let list = children.first else { return text }
    let items = list.children
    if list.name == Self.rdf + "Alt" {
      return (items.first { $0.attributes[Self.xml + "lang"] == "x-default" } ?? items.first)?.text
    }
    return children.count == 1 && items.count == 1 ? items[0].text : nil
  }

  /// The canonical text of the element, which is the same for all equivalent notations. It contains control characters
  /// that XML forbids.
  var canonical: String {
    let isDescription = name == Self.rdf + "Description"
    var own = attributes.filter { !isDescription || Self.isOfSyntax($0.key) }
    if own[Self.rdf + "about"] == "" { own[Self.rdf + "about"] = nil }
    let texts = own.sorted { $0.key < $1.key }.map { "\u{2}\($0.key)\u{3}\($0.value)" }
    var parts = properties.filter { !Self.free.contains($0.name) }.map(\.canonical)
    if isDescription { parts.sort() }
    let isLayout =
      (!children.isEmpty || (name.hasPrefix(Self.rdf) && name != Self.rdf + "li"))
      && text.utf8.allSatisfy { [9, 10, 13, 32].contains($0) }
    return "\u{1}\(name)\(texts.joined())\u{4}\(isLayout ? "" : text)\(parts.joined())\u{5}"
  }

  private static func isOfSyntax(_ name: String) -> Bool { name.hasPrefix(rdf) || name.hasPrefix(xml) }
}

/// The encodings that an XMP packet may have: UTF-8, UTF-16 and UTF-32 with either byte order (ISO 16684-1, 7.1).
public enum XMPEncoding {
  /// Returns a packet's text without its byte order mark; nil if the packet has none of these encodings.
  public static func text(_ bytes: [UInt8]) -> String? {
    // The encoding follows from the byte order mark, or else from the '<' at the start of a packet.
    let zeros = bytes.prefix(4).map { $0 == 0 }
    let start = Array(bytes.prefix(2))
    let text: String? =
      if zeros == [false, true, true, true] || (start == [0xff, 0xfe] && zeros == [false, false, true, true]) {
        decoded(bytes, UTF32.self, isBigEndian: false)
      } else if zeros == [true, true, true, false] || zeros == [true, true, false, false] {
        decoded(bytes, UTF32.self, isBigEndian: true)
      } else if zeros == [false, true, false, true] || start == [0xff, 0xfe] {
        decoded(bytes, UTF16.self, isBigEndian: false)
      } else if zeros == [true, false, true, false] || start == [0xfe, 0xff] {
        decoded(bytes, UTF16.self, isBigEndian: true)
      } else {
        String(validating: bytes, as: UTF8.self)
      }
    guard let text else { return nil }
    return text.unicodeScalars.first == "\u{feff}"
      ? String(text.unicodeScalars.dropFirst()) : text
  }

  private static func decoded<Encoding: Unicode.Encoding>(
    _ bytes: [UInt8], _ encoding: Encoding.Type, isBigEndian: Bool
  ) -> String? {
    let size = MemoryLayout<Encoding.CodeUnit>.size
    guard bytes.count % size == 0 else { return nil }
    let units = stride(from: 0, to: bytes.count, by: size).map { start in
      (0..<size).reduce(Encoding.CodeUnit(0)) { unit, index in
        unit << 8 | Encoding.CodeUnit(bytes[start + (isBigEndian ? index : size - 1 - index)])
      }
    }
    return String(validating: units, as: encoding)
  }
}
