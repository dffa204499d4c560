/// Reads tokens and values from bytes (PDF 32000-1:2008, 7.2 and 7.3). Never reads out of bounds, and never recurses
/// deeper than `maximumDepth`.
///
/// The bytes must outlive the lexer.
struct PDFLexer {
  enum Token: Equatable {
    case value(PDFValue)
    case arrayStart, arrayEnd, dictionaryStart, dictionaryEnd
    /// A word that is not a value, such as `obj`, `stream` or an operator.
    case keyword(String)
  }

  let bytes: UnsafeRawBufferPointer
  var position: Int
  static let maximumDepth = 64
  /// Generations other than 0, by object number; nil if they are not known yet.
  private let generations: [Int: Int]?
  /// The key of an entry that occurs twice in a dictionary with different values; readers may use either (7.3.7).
  private(set) var doubledKey: String?
  /// Whether reading a value was abandoned because it has too many parts, or is nested too deeply.
  private(set) var isOverLimit = false
  /// The maximum number of parts of a value: each takes about 50 bytes in memory, and at least 2 in the file.
  private let mostParts: Int
  private var partsLeft: Int

  init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0, generations: [Int: Int]? = nil, mostParts: Int = 2 << 20)
  {
    (self.mostParts, partsLeft) = (mostParts, mostParts)
    self.bytes = bytes
    self.position = position
    self.generations = generations
  }

  private var byte: UInt8? { position >= 0 && position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while let byte {
      if byte == UInt8(ascii: "%") {
        while let byte = self.byte, byte != 10, byte != 13 { position += 1 }
      } else if Self.isSpace(byte) {
        position += 1
      } else {
        return
      }
    }
  }

  /// Returns the next token; nil at the end, and for a malformed string or a stray delimiter.
  mutating func token() -> Token? {
    skipSpace()
    guard let first = byte else { return nil }
    switch first {
    case UInt8(ascii: "["): return take(1, .arrayStart)
    case UInt8(ascii: "]"): return take(1, .arrayEnd)
    case UInt8(ascii: "("): return literalString()
    case UInt8(ascii: "/"): return nameToken()
    case UInt8(ascii: "<"):
      return follows(UInt8(ascii: "<")) ? take(2, .dictionaryStart) : hexadecimalString()
    case UInt8(ascii: ">"):
      return follows(UInt8(ascii: ">")) ? take(2, .dictionaryEnd) : nil
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x30...0x39: return number()
    case UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"): return nil
    default: return word()
    }
  }

  /// Returns the next value, including references; nil if there is none, or if it is malformed or exceeds a limit.
  mutating func value(depth: Int = 0) -> PDFValue? {
    guard let token = token() else { return nil }
    return value(startingWith: token, depth: depth)
  }

  mutating func value(startingWith token: Token, depth: Int = 0) -> PDFValue? {
    if depth == 0 { partsLeft = mostParts }
    partsLeft -= 1
    guard depth < Self.maximumDepth, partsLeft >= 0 else {
      isOverLimit = true
      return nil
    }
    switch token {
    case .value(.integer(let number)): return reference(number) ?? .integer(number)
    case .value(let value): return value
    case .arrayStart:
      var items: [PDFValue] = []
      while let token = self.token() {
        if token == .arrayEnd { return .array(items) }
        guard let item = value(startingWith: token, depth: depth + 1) else { return nil }
        items.append(item)
      }
      return nil
    case .dictionaryStart:
      return dictionary(depth)
    default: return nil
    }
  }

  private mutating func dictionary(_ depth: Int) -> PDFValue? {
    var entries: [String: PDFValue] = [:]
    var nulls: Set<String> = []
    while let token = self.token() {
      if token == .dictionaryEnd { return .dictionary(entries) }
      guard case .value(.name(let key)) = token, let value = value(depth: depth + 1) else { return nil }
      let old = value == .null ? entries[key] : entries.updateValue(value, forKey: key)
      // An entry with the value null counts as missing (7.3.7).
      if value == .null { nulls.insert(key) }
      let isOther = old.map { $0 != value } ?? (value != .null && nulls.contains(key))
      if isOther { doubledKey = key }
    }
    return nil
  }

  /// Moves past the given word if it comes next, and returns whether it does.
  mutating func accept(_ keyword: String) -> Bool {
    let start = position
    if token() == .keyword(keyword) { return true }
    position = start
    return false
  }

  mutating func integer() -> Int? {
    if case .value(.integer(let value))? = token() { return value }
    return nil
  }

  /// Reads the rest of a reference such as `12 0 R` after its first number. A reference with a wrong generation is null
  /// (7.3.10).
  private mutating func reference(_ number: Int) -> PDFValue? {
    let start = position
    if number >= 0, case .value(.integer(let generation))? = token(), token() == .keyword("R") {
      guard let generations else { return .reference(number) }
      return generation == generations[number] ?? 0 ? .reference(number) : .null
    }
    position = start
    return nil
  }

  private func follows(_ next: UInt8) -> Bool { position + 1 < bytes.count && bytes[position + 1] == next }

  private mutating func take(_ count: Int, _ token: Token) -> Token {
    position += count
    return token
  }

  private mutating func regular() -> UnsafeRawBufferPointer {
    let start = position
    while let byte, !Self.isSpace(byte), !Self.isDelimiter(byte) { position += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  /// The largest magnitude of an integer; larger ones are read as real numbers. No file is as long, and sums of such
  /// integers cannot overflow.
  private static let largestInteger: UInt = 999_999_999_999_999

  private mutating func number() -> Token? {
    let bytes = regular()
    if let value = Self.shortNumber(bytes) { return .value(value) }
    let text = String(decoding: bytes, as: UTF8.self)
    if let value = Int(text), value.magnitude <= Self.largestInteger { return .value(.integer(value)) }
    let isPlain = bytes.allSatisfy { $0 < 0x3a && $0 != UInt8(ascii: ",") }
    if isPlain, let value = Double(text), value.isFinite { return .value(.real(value)) }
    return .keyword(text)
  }

  /// Reads a number of at most 15 digits as a quotient of two integers, which is rounded correctly, and fast enough for
  /// pages with millions of numbers. Returns nil for any other bytes.
  private static func shortNumber(_ bytes: UnsafeRawBufferPointer) -> PDFValue? {
    var (mantissa, scale, digits) = (0, 1, 0)
    var hasPoint = false
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case 0x30...0x39:
        mantissa = mantissa * 10 + Int(byte - 0x30)
        if hasPoint { scale *= 10 }
        digits += 1
        guard digits <= 15 else { return nil }
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      case UInt8(ascii: "-"), UInt8(ascii: "+"): guard index == 0 else { return nil }
      default: return nil
      }
    }
    guard digits > 0 else { return nil }
    let isNegative = bytes[0] == UInt8(ascii: "-")
    if !hasPoint { return .integer(isNegative ? -mantissa : mantissa) }
    let value = Double(mantissa) / Double(scale)
    return .real(isNegative ? -value : value)
  }

  private mutating func word() -> Token {
    switch String(decoding: regular(), as: UTF8.self) {
    case "true": .value(.boolean(true))
    case "false": .value(.boolean(false))
    case "null": .value(.null)
    case let text: .keyword(text)
    }
  }

  private mutating func nameToken() -> Token {
    position += 1
    var name: [UInt8] = []
    let raw = regular()
    var index = 0
    while index < raw.count {
      if raw[index] == UInt8(ascii: "#"), index + 2 < raw.count,
        let high = Self.digit(raw[index + 1]), let low = Self.digit(raw[index + 2])
      {
        name.append(high << 4 | low)
        index += 3
      } else {
        name.append(raw[index])
        index += 1
      }
    }
    return .value(.name(String(decoding: name, as: UTF8.self)))
  }

  private mutating func literalString() -> Token? {
    position += 1
    var text: [UInt8] = []
    var depth = 1
    while let byte {
      position += 1
      switch byte {
      case UInt8(ascii: "\\"):
        if let escaped = escapedCharacter() { text.append(escaped) }
        continue
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return .value(.string(text)) }
      default: break
      }
      text.append(byte)
    }
    return nil
  }

  /// Reads the characters after a backslash, and returns the character that they represent (7.3.4.2); nil for a line
  /// end, which represents none.
  private mutating func escapedCharacter() -> UInt8? {
    guard let first = byte else { return nil }
    position += 1
    switch first {
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "b"): return 8
    case UInt8(ascii: "f"): return 12
    case 10: return nil
    case 13:
      if byte == 10 { position += 1 }
      return nil
    case 0x30...0x37:
      var value = Int(first - 0x30)
      for _ in 0..<2 {
        guard let next = byte, (0x30...0x37).contains(next) else { break }
        value = value * 8 + Int(next - 0x30)
        position += 1
      }
      return UInt8(truncatingIfNeeded: value)
    default: return first
    }
  }

  private mutating func hexadecimalString() -> Token? {
    position += 1
    var digits: [UInt8] = []
    while let byte {
      position += 1
      if byte == UInt8(ascii: ">") {
        if digits.count % 2 == 1 { digits.append(0) }
        let pairs = stride(from: 0, to: digits.count, by: 2)
        return .value(.string(pairs.map { digits[$0] << 4 | digits[$0 + 1] }))
      }
      if let digit = Self.digit(byte) {
        digits.append(digit)
      } else if !Self.isSpace(byte) {
        return nil
      }
    }
    return nil
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 10 || byte == 13 || byte == 9 || byte == 12 || byte == 0
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "/"), UInt8(ascii: "%"):
      true
    default: false
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

enum ByteSearch {
  static func first(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start >= 0, bytes.count >= needle.count else { return nil }
    var position = start
    while position <= bytes.count - needle.count {
      if matches(needle, bytes, position) { return position }
      position += 1
    }
    return nil
  }

  /// Returns the last occurrence at or after `limit`.
  static func last(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer, downTo limit: Int) -> Int? {
    var position = bytes.count - needle.count
    while position >= max(0, limit) {
      if matches(needle, bytes, position) { return position }
      position -= 1
    }
    return nil
  }

  /// Returns the position after an optional line end: CR, LF, or both.
  static func endOfLine(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
    var position = position
    if position < bytes.count, bytes[position] == 13 { position += 1 }
    if position < bytes.count, bytes[position] == 10 { position += 1 }
    return position
  }

  private static func matches(_ needle: [UInt8], _ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    for index in needle.indices where bytes[position + index] != needle[index] { return false }
    return true
  }
}
