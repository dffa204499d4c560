/// Reads the XML of XMP packets: elements, attributes and texts with their namespaces (Namespaces in XML 1.0), without
/// document types. The root is nil if the text cannot be read.
struct XMPReader {
  private let bytes: [UInt8]
  private var position = 0
  private static let maximumDepth = 64

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func root() -> XMPNode? {
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") {
        position += 1
      } else if accept("<?") {
        guard content(to: "?>") != nil else { return nil }
      } else if accept("<!--") {
        guard content(to: "-->") != nil else { return nil }
      } else {
        return element(["xml": XMPNode.xml], depth: 0)
      }
    }
    return nil
  }

  /// - Parameter spaces: namespaces by their prefixes; the default one's prefix is empty.
  private mutating func element(_ spaces: [String: String], depth: Int) -> XMPNode? {
    guard depth < Self.maximumDepth, accept("<") else { return nil }
    let tag = name()
    var spaces = spaces
    var attributes: [(name: String, value: String)] = []
    var isOpen = false
    while true {
      skipSpace()
      if accept("/>") { break }
      if accept(">") {
        isOpen = true
        break
      }
      let name = name()
      guard !name.isEmpty, let value = attribute() else { return nil }
      if name == "xmlns" {
        spaces[""] = value
      } else if name.hasPrefix("xmlns:") {
        spaces[String(name.dropFirst(6))] = value
      } else {
        attributes.append((name, value))
      }
    }
    guard let expanded = Self.expanded(tag, spaces, isAttribute: false) else { return nil }
    var node = XMPNode(name: expanded)
    for (name, value) in attributes {
      guard let name = Self.expanded(name, spaces, isAttribute: true),
        node.attributes.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    return !isOpen || readContent(of: &node, tag, spaces, depth) ? node : nil
  }

  /// Reads an element's content and its end tag.
  private mutating func readContent(
    of node: inout XMPNode, _ tag: String, _ spaces: [String: String], _ depth: Int
  ) -> Bool {
    while position < bytes.count {
      if accept("</") {
        guard name() == tag else { return false }
        skipSpace()
        return accept(">")
      } else if accept("<!--") {
        guard content(to: "-->") != nil else { return false }
      } else if accept("<?") {
        guard content(to: "?>") != nil else { return false }
      } else if accept("<![CDATA[") {
        guard let data = content(to: "]]>") else { return false }
        node.text += String(decoding: data, as: UTF8.self)
      } else if bytes[position] == UInt8(ascii: "<") {
        guard let child = element(spaces, depth: depth + 1) else { return false }
        node.children.append(child)
      } else {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
        guard let text = Self.text(bytes[start..<position]) else { return false }
        node.text += text
      }
    }
    return false
  }

  private mutating func attribute() -> String? {
    skipSpace()
    guard accept("=") else { return nil }
    skipSpace()
    for quote in ["\"", "'"] where accept(quote) { return content(to: quote).flatMap(Self.text) }
    return nil
  }

  private static func expanded(_ name: String, _ spaces: [String: String], isAttribute: Bool) -> String? {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    if parts.count == 2 { return spaces[String(parts[0])].map { $0 + parts[1] } }
    return isAttribute ? name : (spaces[""] ?? "") + name
  }

  /// Returns a text with references replaced and line ends as single line feeds (XML 1.0, 2.11 and 4.1).
  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    var result = String.UnicodeScalarView()
    var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if scalar == "\r" {
        if scalars.first == "\n" { scalars.removeFirst() }
        result.append("\n")
      } else if scalar != "&" {
        guard isLegal(scalar) else { return nil }
        result.append(scalar)
      } else {
        guard let end = scalars.firstIndex(of: ";"), let meant = reference(String(scalars[..<end])), isLegal(meant)
        else { return nil }
        result.append(meant)
        scalars = scalars[scalars.index(after: end)...]
      }
    }
    return String(result)
  }

  private static func reference(_ name: String) -> Unicode.Scalar? {
    let known: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    if let scalar = known[name] { return scalar }
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16)
      : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    return number.flatMap { Unicode.Scalar($0) }
  }

  private static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 32 || ["\t", "\n", "\r"].contains(scalar)
  }

  private mutating func name() -> String {
    let start = position
    while position < bytes.count, !Self.isSpace(bytes[position]), !"<>/=\"'&?!".utf8.contains(bytes[position]) {
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Returns the content up to an end marker, and skips the marker.
  private mutating func content(to end: String) -> ArraySlice<UInt8>? {
    let start = position
    while position < bytes.count {
      let here = position
      if accept(end) { return bytes[start..<here] }
      position += 1
    }
    return nil
  }

  private mutating func accept(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }
}
