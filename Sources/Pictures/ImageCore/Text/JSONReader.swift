/// Reads JSON (RFC 8259) that a program of imghost wrote.
package struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private static let maximumDepth = 64

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns a value; nil if the text is not one JSON value.
  package static func value(of text: some StringProtocol) -> JSON? {
    var reader = JSONReader(Array(text.utf8))
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.position == reader.bytes.count ? value : nil
  }

  private mutating func value(depth: Int) -> JSON? {
    skipSpace()
    guard depth < Self.maximumDepth, position < bytes.count else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "{"): return object(depth)
    case UInt8(ascii: "["): return array(depth)
    case UInt8(ascii: "\""): return string().map { .text($0) }
    default: return word()
    }
  }

  private mutating func object(_ depth: Int) -> JSON? {
    position += 1
    var fields: [(String, JSON)] = []
    if accept("}") { return .object(fields) }
    while true {
      skipSpace()
      guard let key = string(), accept(":"), let value = value(depth: depth + 1) else { return nil }
      fields.append((key, value))
      if accept("}") { return .object(fields) }
      guard accept(",") else { return nil }
    }
  }

  private mutating func array(_ depth: Int) -> JSON? {
    position += 1
    var items: [JSON] = []
    if accept("]") { return .array(items) }
    while true {
      guard let item = value(depth: depth + 1) else { return nil }
      items.append(item)
      if accept("]") { return .array(items) }
      guard accept(",") else { return nil }
    }
  }

  private mutating func word() -> JSON? {
    let start = position
    while position < bytes.count, !",]} \n\t\r".utf8.contains(bytes[position]) { position += 1 }
    switch String(decoding: bytes[start..<position], as: UTF8.self) {
    case "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case let text: return Int(text).map { .integer($0) } ?? Double(text).map { .number($0) }
    }
  }

  private mutating func string() -> String? {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    position += 1
    var text: [UInt8] = []
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

  /// Reads an escape after its backslash. imghost's programs write no surrogates.
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
        let scalar = UnicodeScalar(value)
      else { return nil }
      position += 4
      return String(scalar)
    default: return String(UnicodeScalar(byte))
    }
  }

  private mutating func accept(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, " \n\t\r".utf8.contains(bytes[position]) { position += 1 }
  }
}
