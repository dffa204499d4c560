import BookExpectations
import ImageCore

/// Checks whether a text is well-formed XML (Extensible Markup Language 1.0, fifth edition, section 2.1), as far as XMP
/// packets need it: elements are nested and closed, attributes quoted and unique, references known.
struct XMLChecker {
  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the first problem; nil for none.
  static func problem(with bytes: [UInt8]) -> String? {
    guard let text = XMPEncoding.text(bytes) else { return "it is not UTF-8, UTF-16 or UTF-32" }
    var checker = XMLChecker(Array(text.utf8))
    return checker.run()
  }

  private mutating func run() -> String? {
    var open: [ArraySlice<UInt8>] = []
    var roots = 0
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "<") else {
        if let problem = text(isInside: !open.isEmpty) { return problem }
        continue
      }
      if accept("<?") {
        guard skip(to: "?>") else { return "a processing instruction has no end" }
      } else if accept("<!--") {
        guard skip(to: "-->") else { return "a comment has no end" }
      } else if accept("<![CDATA[") {
        guard skip(to: "]]>") else { return "a CDATA section has no end" }
      } else if accept("<!") {
        return "it has a document type, which XMP does not allow"
      } else if accept("</") {
        let name = name()
        skipSpace()
        guard accept(">") else { return "the end tag of '\(text(name))' has no end" }
        guard let last = open.popLast() else { return "'\(text(name))' ends but never began" }
        guard last.elementsEqual(name) else { return "'\(text(last))' is closed as '\(text(name))'" }
      } else {
        position += 1
        let name = name()
        guard !name.isEmpty else { return "invalid '<', at byte \(position - 1)" }
        switch attributes() {
        case .problem(let problem): return "element '\(text(name))': " + problem
        case .opened: open.append(name)
        case .closed: break
        }
        if open.count + (open.isEmpty ? 1 : 0) == 1 { roots += 1 }
        if open.count > 256 { return "elements are nested more than 256 deep" }
      }
    }
    if let last = open.last { return "element '\(text(last))' is never closed" }
    return roots == 0 ? "it has no element" : nil
  }

  private enum Tag {
    case opened, closed
    case problem(String)
  }

  /// Reads the attributes after an element's name.
  private mutating func attributes() -> Tag {
    var names: Set<[UInt8]> = []
    while true {
      let before = position
      skipSpace()
      if accept("/>") { return .closed }
      if accept(">") { return .opened }
      let name = name()
      guard !name.isEmpty, position > before else { return .problem("its tag has no end") }
      guard names.insert(Array(name)).inserted else { return .problem("duplicate attribute '\(text(name))'") }
      skipSpace()
      guard accept("=") else { return .problem("attribute '\(text(name))' has no value") }
      skipSpace()
      guard position < bytes.count, bytes[position] == 0x22 || bytes[position] == 0x27 else {
        return .problem("the value of attribute '\(text(name))' is not quoted")
      }
      let quote = bytes[position]
      position += 1
      while position < bytes.count, bytes[position] != quote {
        if bytes[position] == UInt8(ascii: "<") {
          return .problem("the value of attribute '\(text(name))' has a '<'")
        }
        if let problem = character() { return .problem(problem) }
      }
      guard position < bytes.count else { return .problem("a value has no end") }
      position += 1
    }
  }

  /// Reads text up to the next tag.
  private mutating func text(isInside: Bool) -> String? {
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
      // A byte order mark before the packet is allowed.
      if !isInside, !Self.isSpace(bytes[position]), ![0xef, 0xbb, 0xbf].contains(bytes[position]) {
        return "text outside the root element, at byte \(position)"
      }
      if let problem = character() { return problem }
    }
    return nil
  }

  /// Reads one character or reference.
  private mutating func character() -> String? {
    let byte = bytes[position]
    if byte < 0x20, !Self.isSpace(byte) { return "it has the control character \(byte), at byte \(position)" }
    guard byte == UInt8(ascii: "&") else {
      position += 1
      return nil
    }
    let rest = bytes[(position + 1)...].prefix(12)
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
      return "an '&' begins no reference, at byte \(position)"
    }
    let name = String(decoding: rest[..<end], as: UTF8.self)
    guard name.hasPrefix("#") || ["amp", "lt", "gt", "quot", "apos"].contains(name) else {
      return "the reference '&\(name);' is unknown"
    }
    position = end + 1
    return nil
  }

  private mutating func name() -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, !Self.isSpace(bytes[position]), !"<>/=\"'&?!".utf8.contains(bytes[position]) {
      position += 1
    }
    return bytes[start..<position]
  }

  private mutating func accept(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func skip(to end: String) -> Bool {
    while position < bytes.count {
      if accept(end) { return true }
      position += 1
    }
    return false
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

  private func text(_ name: ArraySlice<UInt8>) -> String { String(decoding: name, as: UTF8.self) }
}
