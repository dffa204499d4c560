import ImageCore

/// Parses the XML of an XMP packet, in the subset that XMP needs: elements, attributes and texts, with namespaces.
///
/// Packets are untrusted. Parsing stops at a document type before it can declare an entity, only XML's five predefined
/// entities are known, and size, depth and count are limited, so that the time is linear for at most 1 MB.
package struct XMPParser {
  package static let maximumByteCount = 1 << 20
  static let maximumDepth = 64
  static let maximumCount = 50_000
  /// The maximum number of namespaces in scope at one position.
  private static let maximumSpaces = 256

  private let bytes: [UInt8]
  private var position = 0
  private var count = 0
  /// The declared prefixes, the innermost last; the default namespace has an empty prefix.
  private var spaces: [(prefix: ArraySlice<UInt8>, space: String)] = []
  /// The first prefix that the packet uses for each namespace.
  private(set) var prefixes: [String: String] = [:]

  init(_ bytes: [UInt8]) throws(XMPFault) {
    guard bytes.count <= Self.maximumByteCount else { throw .tooLarge(bytes.count) }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
    self.bytes = bytes
  }

  /// Parses the root element. The rest of the packet is padding, and is ignored.
  mutating func root() throws(XMPFault) -> XMPElement {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "<") else { throw .malformed(position) }
      if try !skipAside() { return try element(depth: 0) }
    }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips a comment or a processing instruction if there is one.
  private mutating func skipAside() throws(XMPFault) -> Bool {
    if accept("<?") {
      try skip(past: "?>")
    } else if accept("<!--") {
      try skip(past: "-->")
    } else if bytes[position...].starts(with: "<!D".utf8) {
      throw .documentType
    } else {
      return false
    }
    return true
  }

  private mutating func element(depth: Int) throws(XMPFault) -> XMPElement {
    guard depth < Self.maximumDepth else { throw .tooDeep }
    try add()
    let start = position
    guard accept("<") else { throw .malformed(start) }
    let outer = spaces.count
    defer { spaces.removeLast(spaces.count - outer) }
    let tag = name()
    guard !tag.isEmpty else { throw .malformed(start) }
    let (attributes, isOpen) = try attributes()
    var element = XMPElement(try expanded(tag, isAttribute: false))
    for (name, value) in attributes {
      let full = try expanded(name, isAttribute: true)
      if element.attribute(full) == nil { element.attributes.append(.init(name: full, value: value)) }
    }
    if isOpen { try content(of: &element, tag, depth) }
    return element
  }

  /// Parses the attributes of a tag. Namespaces are declared first, because attributes before the declaration may use
  /// them.
  private mutating func attributes() throws(XMPFault) -> ([(ArraySlice<UInt8>, String)], isOpen: Bool) {
    var attributes: [(ArraySlice<UInt8>, String)] = []
    while true {
      skipSpace()
      if accept("/>") { return (attributes, false) }
      if accept(">") { return (attributes, true) }
      try add()
      let name = name()
      skipSpace()
      guard !name.isEmpty, accept("=") else { throw .malformed(position) }
      skipSpace()
      guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
        throw .malformed(position)
      }
      position += 1
      let value = try text(until: quote)
      position += 1
      if name.elementsEqual("xmlns".utf8) {
        try declare([], value)
      } else if name.starts(with: "xmlns:".utf8) {
        try declare(name.dropFirst(6), value)
      } else {
        // The check for repeated attributes is quadratic, so their number is limited.
        guard attributes.count < 1_000 else { throw .tooMany }
        attributes.append((name, value))
      }
    }
  }

  private mutating func content(of element: inout XMPElement, _ tag: ArraySlice<UInt8>, _ depth: Int) throws(XMPFault) {
    while true {
      guard let byte = next else { throw .malformed(position) }
      if byte != UInt8(ascii: "<") {
        element.text += try text(until: UInt8(ascii: "<"))
      } else if accept("</") {
        guard name().elementsEqual(tag) else { throw .malformed(position) }
        skipSpace()
        guard accept(">") else { throw .malformed(position) }
        // Between child elements there is only white space.
        if !element.children.isEmpty { element.text = "" }
        return
      } else if accept("<![CDATA[") {
        let start = position
        try skip(past: "]]>")
        element.text += try plain(bytes[start..<position - 3], start)
      } else if try !skipAside() {
        element.children.append(try self.element(depth: depth + 1))
      }
    }
  }

  /// Parses text up to a terminator, which is not consumed. `<` is only allowed as the end of an element's text.
  private mutating func text(until end: UInt8) throws(XMPFault) -> String {
    var result = ""
    var start = position
    while let byte = next, byte != end {
      if byte == UInt8(ascii: "<") { throw .malformed(position) }
      guard byte == UInt8(ascii: "&") else {
        position += 1
        continue
      }
      result += try plain(bytes[start..<position], start)
      result.unicodeScalars.append(try reference())
      start = position
    }
    guard next != nil else { throw .malformed(position) }
    return result + (try plain(bytes[start..<position], start))
  }

  /// Resolves the references in a text. Line ends become line feeds (XML 1.0, 2.11).
  private func plain(_ bytes: ArraySlice<UInt8>, _ start: Int) throws(XMPFault) -> String {
    guard bytes.allSatisfy({ $0 >= 0x20 || $0 == 9 || $0 == 10 || $0 == 13 }) else { throw .malformed(start) }
    let text = String(decoding: bytes, as: UTF8.self)
    guard bytes.contains(13) else { return text }
    return text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
  }

  private mutating func reference() throws(XMPFault) -> Unicode.Scalar {
    let start = position
    position += 1
    let rest = bytes[position...].prefix(12)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw .malformed(start) }
    let name = String(decoding: rest[..<end], as: UTF8.self)
    position = end + 1
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { throw .entity(name) }
      let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
      guard let scalar = number.flatMap(Unicode.Scalar.init), XMLText.isLegal(scalar) else { throw .malformed(start) }
      return scalar
    }
  }

  private mutating func declare(_ prefix: ArraySlice<UInt8>, _ space: String) throws(XMPFault) {
    guard spaces.count < Self.maximumSpaces else { throw .tooMany }
    spaces.append((prefix, space))
    if prefixes[space] == nil, !prefix.isEmpty { prefixes[space] = String(decoding: prefix, as: UTF8.self) }
  }

  private func expanded(_ name: ArraySlice<UInt8>, isAttribute: Bool) throws(XMPFault) -> XMPName {
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    let prefix = colon.map { name[..<$0] } ?? []
    let local = String(decoding: colon.map { name[($0 + 1)...] } ?? name, as: UTF8.self)
    guard !local.isEmpty, !local.contains(":") else { throw .malformed(name.startIndex) }
    if prefix.elementsEqual("xml".utf8) { return XMPName(XMPSpace.xml, local) }
    // Attributes without a prefix have no namespace, except for those of RDF, which old packets write without one.
    if prefix.isEmpty, isAttribute {
      return XMPName(["about", "ID", "resource", "parseType"].contains(local) ? XMPSpace.rdf : "", local)
    }
    guard let known = spaces.last(where: { $0.prefix.elementsEqual(prefix) }) else {
      if prefix.isEmpty { return XMPName("", local) }
      throw .malformed(name.startIndex)
    }
    return XMPName(known.space, local)
  }

  /// Parses a name; empty if there is none.
  private mutating func name() -> ArraySlice<UInt8> {
    let start = position
    while let byte = next, Self.isNamePart(byte, isFirst: position == start) { position += 1 }
    return bytes[start..<position]
  }

  private static func isNamePart(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...: true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"): !isFirst
    default: false
    }
  }

  private mutating func add() throws(XMPFault) {
    count += 1
    guard count <= Self.maximumCount else { throw .tooMany }
  }

  private mutating func accept(_ text: StaticString) -> Bool {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] { return false }
    position = end
    return true
  }

  private mutating func skip(past end: StaticString) throws(XMPFault) {
    while position < bytes.count {
      if accept(end) { return }
      position += 1
    }
    throw .malformed(position)
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { position += 1 }
  }
}

/// The reason why an XMP packet cannot be used, as a clause about it.
package enum XMPFault: Error, Sendable, Hashable {
  case tooLarge(Int)
  case notUTF8
  case documentType
  case entity(String)
  case tooDeep
  case tooMany
  case malformed(Int)
  case noDescription
  case incomplete
}

extension XMPFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLarge(let count): "it has \(count) bytes, more than 1 MB"
    case .notUTF8: "it is not UTF-8"
    case .documentType: "it has a document type"
    case .entity(let name): "it has the unknown entity '\(name)'"
    case .tooDeep: "its elements are nested more than \(XMPParser.maximumDepth) deep"
    case .tooMany: "it has more than \(XMPParser.maximumCount) elements and attributes"
    case .malformed(let place): "it is damaged at byte \(place)"
    case .noDescription: "it has no rdf:RDF"
    case .incomplete: "a part of it is missing"
    }
  }
}
