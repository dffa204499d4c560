import ImageCore

/// Writes properties as RDF/XML in a fixed form: one `rdf:Description`, with all namespaces declared at its start.
struct XMPWriter {
  /// The prefixes in the parsed packet, which are used for namespaces without a usual prefix.
  private let known: [String: String]
  private var prefixes: [String: String] = [:]
  private var taken: Set<String> = ["rdf", "xml", "xmlns", "x"]

  init(_ known: [String: String]) { self.known = known }

  mutating func packet(_ properties: [XMPElement], about: String, isWrapped: Bool) -> [UInt8] {
    let texts = properties.map { text($0) }
    let declarations = prefixes.filter { $0.key != XMPSpace.rdf && $0.key != XMPSpace.xml }
      .sorted { $0.value < $1.value }.map { " xmlns:\($0.value)=\"\(XMLText.attribute($0.key))\"" }
    var lines = [
      "<x:xmpmeta xmlns:x=\"\(XMPSpace.meta)\">", "<rdf:RDF xmlns:rdf=\"\(XMPSpace.rdf)\">",
      "<rdf:Description rdf:about=\"\(XMLText.attribute(about))\"\(declarations.joined())>",
    ]
    lines += texts + ["</rdf:Description>", "</rdf:RDF>", "</x:xmpmeta>"]
    if isWrapped {
      lines.insert("<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>", at: 0)
      lines.append("<?xpacket end=\"w\"?>")
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  mutating func text(_ element: XMPElement) -> String {
    let name = prefixed(element.name)
    var start = "<" + name
    for attribute in element.attributes where attribute.name.space != "" {
      start += " \(prefixed(attribute.name))=\"\(XMLText.attribute(attribute.value))\""
    }
    let inside = element.children.map { text($0) }.joined() + XMLText.content(element.text)
    return inside.isEmpty ? start + "/>" : "\(start)>\(inside)</\(name)>"
  }

  private mutating func prefixed(_ name: XMPName) -> String {
    guard !name.space.isEmpty else { return name.local }
    if let prefix = prefixes[name.space] { return "\(prefix):\(name.local)" }
    var prefix = XMPSpace.prefixes[name.space] ?? known[name.space] ?? "ns1"
    let isReserved = name.space == XMPSpace.rdf || name.space == XMPSpace.xml
    var number = 1
    while !isReserved, taken.contains(prefix) {
      number += 1
      prefix = "ns\(number)"
    }
    taken.insert(prefix)
    prefixes[name.space] = prefix
    return "\(prefix):\(name.local)"
  }
}
