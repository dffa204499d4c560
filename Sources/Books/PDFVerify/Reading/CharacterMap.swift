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
        // In a range, the last UTF-16 unit increases with the code.
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

/// Text strings (PDF 32000-1:2008, 7.9.2.2): UTF-16 or UTF-8 after a byte order mark, else PDFDocEncoding.
enum TextString {
  static func text(_ bytes: [UInt8]) -> String {
    if bytes.starts(with: [0xfe, 0xff]) {
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(decoding: units, as: UTF16.self)
    }
    // UTF-8 is allowed since PDF 2.0.
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return String(decoding: bytes.dropFirst(3), as: UTF8.self) }
    var text = String.UnicodeScalarView()
    for byte in bytes { text.append(scalar(byte)) }
    return String(text)
  }

  /// Decodes PDFDocEncoding (Annex D.2), which equals Latin 1 except for two ranges.
  private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
    switch byte {
    case 0x18...0x1f: accents[Int(byte) - 0x18]
    case 0x80...0xa0: signs[Int(byte) - 0x80]
    default: Unicode.Scalar(byte)
    }
  }

  private static let accents = Array("\u{2d8}\u{2c7}\u{2c6}\u{2d9}\u{2dd}\u{2db}\u{2da}\u{2dc}".unicodeScalars)
  private static let signs = Array(
    ("\u{2022}\u{2020}\u{2021}\u{2026}\u{2014}\u{2013}\u{192}\u{2044}\u{2039}\u{203a}\u{2212}\u{2030}"
      + "\u{201e}\u{201c}\u{201d}\u{2018}\u{2019}\u{201a}\u{2122}\u{fb01}\u{fb02}\u{141}\u{152}\u{160}"
      + "\u{178}\u{17d}\u{131}\u{142}\u{153}\u{161}\u{17e}\u{fffd}\u{20ac}").unicodeScalars)
}
