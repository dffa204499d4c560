import Platform

/// A JSON value (RFC 8259). Fields keep their order.
package enum JSON: Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case array([JSON])
  case object([(String, JSON)])

  /// The value as JSON text on one line.
  package var line: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): value.isFinite ? ParameterValue.text(value) : "null"
    case .text(let text): JSONText.quoted(text)
    case .array(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
    case .object(let fields):
      "{" + fields.map { JSONText.quoted($0.0) + ":" + $0.1.line }.joined(separator: ",") + "}"
    }
  }

  package static func optional(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }
  package static func optional(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }

  // MARK: - Reading

  /// A field of an object; nil if there is none of that name, or if the value is not an object.
  package subscript(_ name: String) -> JSON? {
    if case .object(let fields) = self { fields.first { $0.0 == name }?.1 } else { nil }
  }

  package var items: [JSON] { if case .array(let items) = self { items } else { [] } }
  package var fields: [(String, JSON)] { if case .object(let fields) = self { fields } else { [] } }
  package var textValue: String? { if case .text(let text) = self { text } else { nil } }
  package var integerValue: Int? { if case .integer(let value) = self { value } else { nil } }
  package var isTrue: Bool { if case .boolean(true) = self { true } else { false } }

  package var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

// MARK: - Numbers

/// Numbers from a file or another program. They may have any value, and no value may crash the process.
extension JSON {
  /// The value as a size or a number of things; nil if it is not an integer, is negative or is impossibly large.
  package var countValue: Int? { integerValue.flatMap { (0...Self.mostCount).contains($0) ? $0 : nil } }

  /// The largest count: the number of bytes in a pebibyte.
  private static let mostCount = 1 << 50
}

extension Int {
  /// Adds a number; a result beyond the limits of the type becomes the limit.
  package mutating func addClamping(_ other: Int) { self = adding(clamping: other) }

  /// Returns the sum, or the limit of the type if the sum exceeds it.
  package func adding(clamping other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other > 0 ? .max : .min) : sum
  }
}

extension Sequence<Int> {
  /// The sum of the numbers, clamped.
  package var clampedSum: Int { reduce(0) { $0.adding(clamping: $1) } }
}

/// Texts as JSON strings (RFC 8259, section 7).
public enum JSONText {
  /// Returns the text between quotes, on one line, with characters escaped where necessary.
  public static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        // U+2028 and U+2029 end a line for readers that treat JSON as JavaScript.
        if scalar.value < 0x20 || scalar.value == 0x7f || (0x2028...0x2029).contains(scalar.value) {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else if let byte = PathBytes.byte(of: scalar) {
          // This is a byte of a name that is not UTF-8, encoded like Python's "surrogateescape" (PEP 383).
          result += "\\udc" + String(byte, radix: 16)
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }
}

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

  /// Reads the next value; nil if there is none, or if it is invalid or nested too deeply.
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
    // This is fast for the most common numbers, which are short integers.
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
    // This is fast for the most common strings, which have no escapes.
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
      guard position + 4 <= bytes.count, bytes[position] != UInt8(ascii: "+"), bytes[position] != UInt8(ascii: "-"),
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
