/// An XML element with its attributes, text and child elements. References in texts are replaced, and line ends are
/// line feeds (XML 1.0, section 2.11).
package struct XMLElement: Sendable {
  package let name: XMLName
  /// The position of the element's first byte.
  package let position: Int
  package fileprivate(set) var attributes: [(name: XMLName, value: String)] = []
  /// All text between the element's tags except for that in child elements.
  package fileprivate(set) var text = ""
  package fileprivate(set) var children: [XMLElement] = []
}

/// The name of an element or an attribute (Namespaces in XML 1.0).
package struct XMLName: Sendable, Hashable {
  /// The namespace: empty for a name without one, nil for a prefix that is not declared.
  package let space: String?
  package let local: String
  package let hasPrefix: Bool
}

/// The reason why a text is not XML, or is XML that is not accepted here.
package enum XMLFault: Error {
  /// A document type, which could declare entities.
  case documentType
  /// A reference to an entity other than XML's five predefined ones.
  case entity(String)
  case tooDeep
  case tooMany
  /// Any other fault: a clause about the text, and the index of the byte where it was found.
  case malformed(String, at: Int)
}

/// Reads XML as XMP packets use it: elements, attributes and texts with namespaces (XML 1.0, fifth edition), without
/// document types.
///
/// Texts are untrusted. Only XML's five predefined entities are known, and depth and count are limited, so that the
/// time is linear.
package struct XMLReader {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private let maximumCount: Int
  private let keepsContent: Bool
  private let acceptsRepeats: Bool
  private var position = 0
  private var count = 0
  /// The declared prefixes, the innermost last; the default namespace has an empty prefix.
  private var spaces: [(prefix: ArraySlice<UInt8>, space: String)] = []
  /// The first prefix that the text declares for each namespace.
  package private(set) var prefixes: [String: String] = [:]

  /// The maximum number of namespaces in scope at one position, and of attributes of an element: both are searched one
  /// by one.
  private static let maximumSpaces = 256
  private static let maximumAttributes = 1_000

  private struct Open {
    var element: XMLElement
    let tag: ArraySlice<UInt8>
    /// The number of namespaces in scope around the element.
    let spaceCount: Int
  }

  /// - Parameters:
  ///   - bytes: the text in UTF-8.
  ///   - maximumCount: the maximum number of elements and attributes.
  ///   - keepsContent: whether elements hold their texts and children; otherwise a text is only checked.
  ///   - acceptsRepeats: whether an element may have two attributes of one name.
  package init(
    _ bytes: [UInt8], maximumDepth: Int = 64, maximumCount: Int = .max, keepsContent: Bool = true,
    acceptsRepeats: Bool = false
  ) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.maximumCount = maximumCount
    self.keepsContent = keepsContent
    self.acceptsRepeats = acceptsRepeats
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
  }

  /// Reads the root element. Nothing after it is read or checked.
  package mutating func root() throws(XMLFault) -> XMLElement {
    guard let root = try nextElement() else { throw .malformed("it has no element", at: position) }
    return root
  }

  /// Checks the whole text.
  package mutating func readAll() throws(XMLFault) {
    _ = try root()
    while try nextElement() != nil {}
  }

  // MARK: Elements

  /// Reads the next element at the top level; nil at the end.
  private mutating func nextElement() throws(XMLFault) -> XMLElement? {
    while true {
      skipSpace()
      guard let next else { return nil }
      guard next == UInt8(ascii: "<") else {
        throw .malformed("text outside the root element, at byte \(position)", at: position)
      }
      if try !skipAside() { return try element() }
    }
  }

  /// Reads an element. A list of open elements replaces recursion, which could exhaust the stack.
  private mutating func element() throws(XMLFault) -> XMLElement {
    var open: [Open] = []
    while true {
      let finished: XMLElement
      if let next, next != UInt8(ascii: "<") {
        let text = try text(until: UInt8(ascii: "<"))
        if keepsContent { open[open.count - 1].element.text += text }
        continue
      } else if accept("</") {
        finished = try endTag(open.last)
        spaces.removeLast(spaces.count - open.removeLast().spaceCount)
      } else if !open.isEmpty, accept("<![CDATA[") {
        let start = position
        try skip(past: "]]>", "a CDATA section")
        let text = try plain(bytes[start..<position - 3], start)
        if keepsContent { open[open.count - 1].element.text += text }
        continue
      } else if try skipAside() {
        continue
      } else if next != nil {
        let spaceCount = spaces.count
        let (element, tag, isOpen) = try startTag()
        guard open.count < maximumDepth else { throw .tooDeep }
        guard !isOpen else {
          open.append(Open(element: element, tag: tag, spaceCount: spaceCount))
          continue
        }
        spaces.removeLast(spaces.count - spaceCount)
        finished = element
      } else {
        throw .malformed("element '\(Self.string(open.last?.tag ?? []))' is never closed", at: position)
      }
      if open.isEmpty { return finished }
      if keepsContent { open[open.count - 1].element.children.append(finished) }
    }
  }

  private mutating func endTag(_ open: Open?) throws(XMLFault) -> XMLElement {
    let start = position
    let tag = name()
    skipSpace()
    guard accept(">") else { throw .malformed("the end tag of '\(Self.string(tag))' has no end", at: position) }
    guard let open else { throw .malformed("'\(Self.string(tag))' ends but never began", at: start) }
    guard open.tag.elementsEqual(tag) else {
      throw .malformed("'\(Self.string(open.tag))' is closed as '\(Self.string(tag))'", at: start)
    }
    return open.element
  }

  /// Reads a start tag. All its namespaces are declared before its names are expanded, because an attribute may use a
  /// namespace that a later attribute declares.
  private mutating func startTag() throws(XMLFault) -> (XMLElement, tag: ArraySlice<UInt8>, isOpen: Bool) {
    let start = position
    position += 1
    let tag = name()
    guard !tag.isEmpty else { throw .malformed("invalid '<', at byte \(start)", at: start) }
    try add()
    var values: [(name: ArraySlice<UInt8>, value: String)] = []
    var names: Set<ArraySlice<UInt8>> = []
    var isOpen = true
    while true {
      let before = position
      skipSpace()
      if accept(">") { break }
      if accept("/>") {
        isOpen = false
        break
      }
      let name = name()
      guard !name.isEmpty, position > before else {
        throw .malformed("element '\(Self.string(tag))': its tag has no end", at: position)
      }
      let value = try value(of: name, tag)
      if name.elementsEqual("xmlns".utf8) {
        try declare([], value)
      } else if name.starts(with: "xmlns:".utf8) {
        try declare(name.dropFirst(6), value)
      } else {
        guard values.count < Self.maximumAttributes else { throw .tooMany }
        guard acceptsRepeats || names.insert(name).inserted else {
          throw .malformed(
            "element '\(Self.string(tag))': duplicate attribute '\(Self.string(name))'", at: name.startIndex)
        }
        values.append((name, value))
      }
    }
    var element = XMLElement(name: try expanded(tag, isAttribute: false), position: start)
    for (name, value) in values { element.attributes.append((try expanded(name, isAttribute: true), value)) }
    return (element, tag, isOpen)
  }

  /// Reads the value after an attribute's name.
  private mutating func value(of name: ArraySlice<UInt8>, _ tag: ArraySlice<UInt8>) throws(XMLFault) -> String {
    let place = "element '\(Self.string(tag))': "
    try add()
    skipSpace()
    guard accept("=") else {
      throw .malformed(place + "attribute '\(Self.string(name))' has no value", at: position)
    }
    skipSpace()
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw .malformed(place + "the value of attribute '\(Self.string(name))' is not quoted", at: position)
    }
    position += 1
    let value = try text(until: quote)
    guard next == quote else {
      throw .malformed(
        place + (next == nil ? "a value has no end" : "the value of attribute '\(Self.string(name))' has a '<'"),
        at: position)
    }
    position += 1
    return value
  }

  // MARK: Names

  private mutating func declare(_ prefix: ArraySlice<UInt8>, _ space: String) throws(XMLFault) {
    guard spaces.count < Self.maximumSpaces else { throw .tooMany }
    spaces.append((prefix, space))
    if prefixes[space] == nil, !prefix.isEmpty { prefixes[space] = Self.string(prefix) }
  }

  private func expanded(_ name: ArraySlice<UInt8>, isAttribute: Bool) throws(XMLFault) -> XMLName {
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    let prefix = colon.map { name[..<$0] } ?? []
    let local = Self.string(colon.map { name[($0 + 1)...] } ?? name)
    guard !local.isEmpty, !local.contains(":") else {
      throw .malformed("'\(Self.string(name))' is no name", at: name.startIndex)
    }
    if prefix.elementsEqual("xml".utf8) {
      return XMLName(space: "http://www.w3.org/XML/1998/namespace", local: local, hasPrefix: true)
    }
    let declared = spaces.last { $0.prefix.elementsEqual(prefix) }?.space
    // The default namespace does not apply to attributes.
    let space = prefix.isEmpty ? (isAttribute ? "" : declared ?? "") : declared
    return XMLName(space: space, local: local, hasPrefix: colon != nil)
  }

  /// Reads a name; empty if there is none.
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

  // MARK: Texts

  /// Reads text up to a terminator or a `<`, which are not consumed.
  private mutating func text(until end: UInt8) throws(XMLFault) -> String {
    var result = ""
    var start = position
    while let byte = next, byte != end, byte != UInt8(ascii: "<") {
      guard byte == UInt8(ascii: "&") else {
        position += 1
        continue
      }
      result += try plain(bytes[start..<position], start)
      result.unicodeScalars.append(try reference())
      start = position
    }
    return result + (try plain(bytes[start..<position], start))
  }

  /// Checks a text without references, and returns it with line feeds as line ends; empty if content is not kept.
  private func plain(_ bytes: ArraySlice<UInt8>, _ start: Int) throws(XMLFault) -> String {
    if let index = bytes.firstIndex(where: { $0 < 0x20 && !Self.isSpace($0) }) {
      throw .malformed("it has the control character \(bytes[index]), at byte \(index)", at: start)
    }
    guard keepsContent else { return "" }
    let text = Self.string(bytes)
    guard bytes.contains(13) else { return text }
    return text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
  }

  private mutating func reference() throws(XMLFault) -> Unicode.Scalar {
    let start = position
    let rest = bytes[(start + 1)...].prefix(12)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
      throw .malformed("an '&' begins no reference, at byte \(start)", at: start)
    }
    let name = Self.string(rest[..<end])
    position = end + 1
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.hasPrefix("#") else { throw .entity(name) }
      let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
      // `UInt32` would accept a sign.
      let number = digits.first?.isHexDigit == true ? UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10) : nil
      guard let scalar = number.flatMap(Unicode.Scalar.init), XMLText.isLegal(scalar) else {
        throw .malformed("the reference '&\(name);' is no character", at: start)
      }
      return scalar
    }
  }

  // MARK: Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips a comment or a processing instruction. Returns whether there was one.
  private mutating func skipAside() throws(XMLFault) -> Bool {
    if accept("<?") {
      try skip(past: "?>", "a processing instruction")
    } else if accept("<!--") {
      try skip(past: "-->", "a comment")
    } else if accept("<!") {
      throw .documentType
    } else {
      return false
    }
    return true
  }

  private mutating func add() throws(XMLFault) {
    count += 1
    guard count <= maximumCount else { throw .tooMany }
  }

  private mutating func accept(_ text: StaticString) -> Bool {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[position + index] != text.utf8Start[index] { return false }
    position = end
    return true
  }

  private mutating func skip(past end: StaticString, _ what: String) throws(XMLFault) {
    while position < bytes.count {
      if accept(end) { return }
      position += 1
    }
    throw .malformed("\(what) has no end", at: position)
  }

  private mutating func skipSpace() {
    while let byte = next, Self.isSpace(byte) { position += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

  private static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
