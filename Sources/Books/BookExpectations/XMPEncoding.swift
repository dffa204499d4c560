/// The encodings that an XMP packet may have: UTF-8, UTF-16 and UTF-32 with either byte order (ISO 16684-1, 7.1).
public enum XMPEncoding {
  /// Returns a packet's text without its byte order mark; nil if it has none of these encodings.
  public static func text(_ bytes: [UInt8]) -> String? {
    // The byte order mark, or else the '<' at the start of a packet, reveals the encoding.
    let zeros = bytes.prefix(4).map { $0 == 0 }
    let start = Array(bytes.prefix(2))
    let text: String? =
      if zeros == [false, true, true, true] || (start == [0xff, 0xfe] && zeros == [false, false, true, true]) {
        decoded(bytes, UTF32.self, isBigEndian: false)
      } else if zeros == [true, true, true, false] || zeros == [true, true, false, false] {
        decoded(bytes, UTF32.self, isBigEndian: true)
      } else if zeros == [false, true, false, true] || start == [0xff, 0xfe] {
        decoded(bytes, UTF16.self, isBigEndian: false)
      } else if zeros == [true, false, true, false] || start == [0xfe, 0xff] {
        decoded(bytes, UTF16.self, isBigEndian: true)
      } else {
        String(validating: bytes, as: UTF8.self)
      }
    guard let text else { return nil }
    return text.unicodeScalars.first == "\u{feff}"
      ? String(text.unicodeScalars.dropFirst()) : text
  }

  private static func decoded<Encoding: Unicode.Encoding>(
    _ bytes: [UInt8], _ encoding: Encoding.Type, isBigEndian: Bool
  ) -> String? {
    let size = MemoryLayout<Encoding.CodeUnit>.size
    guard bytes.count % size == 0 else { return nil }
    let units = stride(from: 0, to: bytes.count, by: size).map { start in
      (0..<size).reduce(Encoding.CodeUnit(0)) { unit, index in
        unit << 8 | Encoding.CodeUnit(bytes[start + (isBigEndian ? index : size - 1 - index)])
      }
    }
    return String(validating: units, as: encoding)
  }
}
