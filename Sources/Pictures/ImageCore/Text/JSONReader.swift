import Platform

/// Reads JSON (RFC 8259) that a program of imghost wrote, either a whole value or the items of long lists one after
/// another.
package struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0
  private static let maximumDepth = 64

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns a value; nil if the text is not one JSON value.
  package static func value(of text: some StringProtocol) -> JSON? {
    var reader = JSONReader(Array(text.utf8))
    guard let value = reader.value() else { return nil }
    return reader.isAtEnd ? value : nil
  }

  /// Whether only white space is left.
  package var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == bytes.count
    }
  }

  /// Reads the next value; nil if there is none.
  package mutating func value() -> JSON? {
    skipSpace()
    guard position < bytes.count else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "{"):
      var fields: [(String, JSON)] = []
      fields.reserveCapacity(4)
      let isWhole = eachField { name, reader in
        guard let value = reader.value() else { return false }
        fields.append((name, value))
        return true
      }
      return isWhole ? .object(fields) : nil
    case UInt8(ascii: "["):
      var items: [JSON] = []
      let isWhole = eachItem { reader in
        guard let value = reader.value() else { return false }
        items.append(value)
        return true
      }
      return isWhole ? .array(items) : nil
    case UInt8(ascii: "\""): return string().map { .text($0) }
    default: return word()
    }
  }

  /// Reads an object; `body` reads its fields one after another.
  ///
  /// - Parameter body: receives a field's name, reads its value, and returns whether the value is valid.
  /// - Returns: false if there is no complete object, or `body` returned false.
  package mutating func eachField(_ body: (String, inout JSONReader) -> Bool) -> Bool {
    each(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { reader in
      reader.skipSpace()
      guard let key = reader.string(), reader.accept(UInt8(ascii: ":")) else { return false }
      return body(key, &reader)
    }
  }

  /// Reads a list; `body` reads its items one after another; see `eachField`.
  package mutating func eachItem(_ body: (inout JSONReader) -> Bool) -> Bool {
    each(from: UInt8(ascii: "["), to: UInt8(ascii: "]"), body)
  }

  private mutating func each(from start: UInt8, to end: UInt8, _ body: (inout JSONReader) -> Bool) -> Bool {
    guard depth < Self.maximumDepth, accept(start) else { return false }
    depth += 1
    defer { depth -= 1 }
    if accept(end) { return true }
    while true {
      guard body(&self) else { return false }
      if accept(end) { return true }
      guard accept(UInt8(ascii: ",")) else { return false }
    }
  }

  private mutating func word() -> JSON? {
    let start = position
    // Most numbers are short integers.
    var whole = 0
    while position < bytes.count, position - start < 18, let digit = Self.digit(bytes[position]) {
      whole = whole * 10 + digit
      position += 1
    }
    if position > start, position == bytes.count || Self.endsWord(bytes[position]) { return .integer(whole) }
    while position < bytes.count, !Self.endsWord(bytes[position]) { position += 1 }
    switch String(decoding: bytes[start..<position], as: UTF8.self) {
    case "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    // JSON has no infinity and no NaN, so callers need not check for them.
    case let text:
      return Int(text).map { .integer($0) } ?? Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    }
  }

  private static func digit(_ byte: UInt8) -> Int? {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") || isSpace(byte)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private mutating func string() -> String? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    position += 1
    // Nearly all strings have no escapes.
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "\\") {
      position += 1
    }
    guard position < bytes.count else { return nil }
    if bytes[position] == UInt8(ascii: "\"") {
      position += 1
      return String(decoding: bytes[start..<position - 1], as: UTF8.self)
    }
    return escapedString(Array(bytes[start..<position]))
  }

  /// Reads the rest of a string with escapes.
  private mutating func escapedString(_ beginning: [UInt8]) -> String? {
    var text = beginning
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard position < bytes.count, let character = escape() else { return nil }
        text += Array(character.utf8)
      default: text.append(byte)
      }
    }
    return nil
  }

  /// Reads an escape after its backslash. imghost's programs write no surrogates, except for bytes that are not UTF-8:
  /// see `JSONText`.
  private mutating func escape() -> String? {
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "u"):
      guard position + 4 <= bytes.count,
        let value = UInt32(
          String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16),
        let scalar = value & 0xff80 == 0xdc80 ? PathBytes.scalar(for: UInt8(value & 0xff)) : UnicodeScalar(value)
      else { return nil }
      position += 4
      return String(scalar)
    default: return String(UnicodeScalar(byte))
    }
  }

  private mutating func accept(_ character: UInt8) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == character else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }
}
