import ImageCore
import Platform

/// A picture's name or EXIF text as a part of a URL. The document's writer encodes spaces and other characters.
enum AddressPart {
  /// Percent-encodes control characters (RFC 3986, 2.1) and bytes that are not UTF-8, because file names may contain
  /// any byte except U+0000.
  static func encoded(_ value: String) -> String {
    guard value.unicodeScalars.contains(where: { isControl($0) || PathBytes.byte(of: $0) != nil }) else { return value }
    return value.unicodeScalars.map { scalar in
      if let byte = PathBytes.byte(of: scalar) { return percents([byte]) }
      return isControl(scalar) ? percents(String(scalar).utf8) : String(scalar)
    }.joined()
  }

  /// Percent-encodes white space at the end.
  static func withEncodedEnd(_ address: String) -> String {
    let end = address.reversed().prefix(while: \.isWhitespace)
    guard !end.isEmpty else { return address }
    return address.dropLast(end.count) + end.reversed().map { percents($0.utf8) }.joined()
  }

  /// Returns whether a scalar is from U+0000 to U+001F, or from U+007F to U+009F.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
  }

  private static func percents(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { "%" + Hexadecimal.text([$0]).uppercased() }.joined()
  }
}
