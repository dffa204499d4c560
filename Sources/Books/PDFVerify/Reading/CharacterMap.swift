/// The characters of a font's two-byte codes, from its ToUnicode CMap (PDF 32000-1:2008, 9.10.3).
struct CharacterMap {
  private var texts: [UInt16: String] = [:]

  init(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      var lexer = PDFLexer(bytes)
      var values: [PDFValue] = []
      while let token = lexer.token() {
        if case .keyword(let word) = token {
          if word == "endbfchar" { addCharacters(values) }
          if word == "endbfrange" { addRanges(values) }
          values.removeAll(keepingCapacity: true)
        } else if let value = lexer.value(startingWith: token) {
          values.append(value)
        } else {
          return
        }
      }
    }
  }

  /// Returns the text of a string of codes, ignoring codes without a character.
  func text(_ codes: [UInt8]) -> String {
    stride(from: 0, to: codes.count - 1, by: 2).map { place in
      texts[UInt16(codes[place]) << 8 | UInt16(codes[place + 1])] ?? ""
    }.joined()
  }

  private mutating func addCharacters(_ values: [PDFValue]) {
    for place in stride(from: 0, to: values.count - 1, by: 2) {
      if let code = Self.code(values[place]), let text = Self.text(values[place + 1]) { texts[code] = text }
    }
  }

  private mutating func addRanges(_ values: [PDFValue]) {
    for place in stride(from: 0, to: values.count - 2, by: 3) {
      guard let first = Self.code(values[place]), let last = Self.code(values[place + 1]), first <= last
      else { continue }
      if let list = values[place + 2].array {
        for (code, value) in zip(first...last, list) { texts[code] = Self.text(value) }
      } else if let text = Self.text(values[place + 2]) {
        // In a range, the last UTF-16 unit counts up.
        var units = Array(text.utf16)
        for code in first...last {
          texts[code] = String(decoding: units, as: UTF16.self)
          if let unit = units.last { units[units.count - 1] = unit &+ 1 }
        }
      }
    }
  }

  private static func code(_ value: PDFValue) -> UInt16? {
    guard case .string(let bytes) = value, bytes.count == 2 else { return nil }
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  /// Reads UTF-16BE without a byte order mark.
  private static func text(_ value: PDFValue) -> String? {
    guard case .string(let bytes) = value else { return nil }
    return TextString.text([0xfe, 0xff] + bytes)
  }
}
