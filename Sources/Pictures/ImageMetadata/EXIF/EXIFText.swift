/// Decodes EXIF texts that are not ASCII: the fields that Windows adds, and comments with a character code.
enum EXIFText {
  /// The maximum number of bytes that are decoded.
  private static let maximumByteCount = 65_536
  static let userComment = 0x9286
  /// The tags XPTitle, XPComment, XPAuthor, XPKeywords and XPSubject.
  static let windows = 0x9c9b...0x9c9f

  /// Returns the text of UserComment or of a field that Windows adds; nil for other fields.
  static func text(_ entry: TIFFReader.Entry, _ reader: TIFFReader) -> String? {
    let bytes = reader.bytes[entry.offset..<entry.offset + min(entry.byteCount, maximumByteCount)]
    if windows.contains(entry.tag) { return utf16(bytes, isLittleEndian: true) }
    return entry.tag == userComment ? comment(bytes, isLittleEndian: reader.isLittleEndian) : nil
  }

  /// Decodes UserComment (Exif 2.32, 4.6.5), whose first eight bytes name the character code. Some programs omit these
  /// bytes.
  static func comment(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> String {
    let (code, rest) = (bytes.prefix(8), bytes.dropFirst(8))
    if code.starts(with: "UNICODE".utf8) { return utf16(rest, isLittleEndian: order(of: rest) ?? isLittleEndian) }
    if code.starts(with: "JIS\0".utf8) { return trimmed(JapaneseText.decoded(rest.filter { $0 != 0 })) }
    let hasCode = code.starts(with: "ASCII\0".utf8) || code.count == 8 && code.allSatisfy { $0 == 0 }
    return trimmed(TIFFReader.text((hasCode ? rest : bytes).filter { $0 != 0 }[...]))
  }

  /// Returns whether UTF-16 is little-endian, judging by its byte order mark or, if there is none, by the zero bytes of
  /// Western texts; nil if neither decides. The byte order of the block is less reliable, because programs write UTF-16
  /// in either order in any block.
  private static func order(of bytes: ArraySlice<UInt8>) -> Bool? {
    if bytes.starts(with: [0xff, 0xfe]) { return true }
    if bytes.starts(with: [0xfe, 0xff]) { return false }
    var zeros = [0, 0]
    for (index, byte) in bytes.enumerated() where byte == 0 { zeros[index % 2] += 1 }
    return zeros[0] == zeros[1] ? nil : zeros[0] < zeros[1]
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> String {
    let bytes = Array(bytes)
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { place in
      let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    let text = units.drop { $0 == 0xfeff }.prefix { $0 != 0 }
    return trimmed(String(decoding: text, as: UTF16.self))
  }

  private static func trimmed(_ text: String) -> String {
    var scalars = text.unicodeScalars[...]
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars.drop { $0.properties.isWhitespace }))
  }
}

/// Decodes Japanese text in the encodings that occur in comments: ISO-2022-JP, JIS X 0208 without escape sequences,
/// EUC-JP and Shift JIS.
enum JapaneseText {
  static func decoded(_ bytes: [UInt8]) -> String {
    if bytes.contains(0x1b) { return escaped(bytes) }
    if bytes.contains(where: { $0 >= 0x80 }) {
      return isEUC(bytes) ? pairs(bytes, euc) : pairs(bytes, shifted, hasKana: true)
    }
    // A pair whose first byte is 0x24 or 0x25 is a kana. A text that contains one has two bytes per character, if all
    // of its pairs are valid.
    let isDouble =
      bytes.count % 2 == 0 && stride(from: 0, to: bytes.count, by: 2).contains { [0x24, 0x25].contains(bytes[$0]) }
    let text = isDouble ? double(bytes[...]) : nil
    return text ?? TIFFReader.text(bytes[...])
  }

  /// Decodes two bytes per character; nil if any pair is not a character.
  private static func double(_ bytes: ArraySlice<UInt8>) -> String? {
    var result = String.UnicodeScalarView()
    let bytes = Array(bytes)
    for place in stride(from: 0, to: bytes.count - 1, by: 2) {
      guard let scalar = JISX0208.character(Int(bytes[place]) - 0x20, Int(bytes[place + 1]) - 0x20) else { return nil }
      result.append(scalar)
    }
    return String(result)
  }

  /// Decodes ISO-2022-JP (RFC 1468), in which three-byte escape sequences switch between one and two bytes per
  /// character.
  private static func escaped(_ bytes: [UInt8]) -> String {
    var result = ""
    var isDouble = false
    var rest = bytes[...]
    while !rest.isEmpty {
      if rest.first == 0x1b {
        isDouble = rest.dropFirst().first == UInt8(ascii: "$")
        rest = rest.dropFirst(3)
      } else {
        let part = rest.prefix { $0 != 0x1b }
        result += isDouble ? double(part) ?? "" : TIFFReader.text(part)
        rest = rest.dropFirst(part.count)
      }
    }
    return result
  }

  private static func isEUC(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while let first = rest.popFirst() {
      if first < 0x80 { continue }
      guard first >= 0xa1, let second = rest.popFirst(), second >= 0xa1 else { return false }
    }
    return true
  }

  private static func euc(_ first: UInt8, _ second: UInt8) -> Unicode.Scalar? {
    JISX0208.character(Int(first) - 0xa0, Int(second) - 0xa0)
  }

  private static func shifted(_ first: UInt8, _ second: UInt8) -> Unicode.Scalar? {
    let row = 2 * (Int(first) - (first <= 0x9f ? 0x81 : 0xc1)) + 1
    if second >= 0x9f { return JISX0208.character(row + 1, Int(second) - 0x9e) }
    return JISX0208.character(row, Int(second) - (second >= 0x80 ? 0x40 : 0x3f))
  }

  /// Decodes ASCII mixed with two-byte characters whose first byte is at least 0x80. Unknown characters become U+FFFD.
  ///
  /// - Parameter hasKana: whether the bytes 0xA1 to 0xDF are half-width katakana (JIS X 0201).
  private static func pairs(
    _ bytes: [UInt8], _ character: (UInt8, UInt8) -> Unicode.Scalar?, hasKana: Bool = false
  ) -> String {
    var result = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.popFirst() {
      if first < 0x80 {
        result.append(Unicode.Scalar(first))
      } else if hasKana, (0xa1...0xdf).contains(first) {
        result.append(Unicode.Scalar(0xff61 + UInt32(first - 0xa1))!)
      } else {
        result.append(rest.popFirst().flatMap { character(first, $0) } ?? "\u{fffd}")
      }
    }
    return String(result)
  }
}
