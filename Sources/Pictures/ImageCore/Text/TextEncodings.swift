import Platform

/// Converts bytes to hexadecimal digits and back, two digits per byte.
public enum Hexadecimal {
  /// Returns the lower-case digits.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { digits in
      var count = 0
      for byte in bytes {
        digits[count] = digit(byte >> 4)
        digits[count + 1] = digit(byte & 15)
        count += 2
      }
      return count
    }
  }

  /// Returns the bytes for an even number of digits in either case; nil for anything else.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}

/// Base64 (RFC 4648, section 4).
package enum Base64Text {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns bytes as text, padded to groups of four letters.
  package static func encoded(_ bytes: [UInt8]) -> String {
    let count = (bytes.count + 2) / 3 * 4
    return String(unsafeUninitializedCapacity: count) { text in
      var place = 0
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let rest = bytes.count - start
        let group =
          UInt32(bytes[start]) << 16 | UInt32(rest > 1 ? bytes[start + 1] : 0) << 8
          | UInt32(rest > 2 ? bytes[start + 2] : 0)
        for index in 0..<4 {
          let letter = letters[Int(group >> UInt32(18 - 6 * index) & 63)]
          text[place] = index > rest ? UInt8(ascii: "=") : letter
          place += 1
        }
      }
      return place
    }
  }
}

/// Encoding of paths for URLs (RFC 3986, section 2).
package enum PercentEncoding {
  /// Returns a path with all bytes encoded except letters, digits, `-`, `.`, `_`, `~`, and the slashes between its
  /// parts.
  package static func path(_ path: String) -> String {
    PathBytes.bytes(of: path).reduce(into: "") { result, byte in
      if isPlain(byte) || byte == UInt8(ascii: "/") {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + Hexadecimal.text([byte]).uppercased()
      }
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }
}

/// Escapes texts for XML 1.0 (https://www.w3.org/TR/xml/).
///
/// Characters that XML cannot represent become U+FFFD.
public enum XMLText {
  /// Returns a text escaped for use between two tags.
  public static func content(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      // Readers would turn a plain carriage return into a line feed (section 2.11).
      case "\r": result += "&#13;"
      default: result.unicodeScalars.append(isLegal(scalar) ? scalar : "\u{fffd}")
      }
    }
    return result
  }

  /// Returns a text escaped for an attribute in double quotes.
  public static func attribute(_ text: String) -> String {
    // Readers would turn plain white space into spaces (section 3.3.3).
    content(text).replacing("\"", with: "&quot;").replacing("\n", with: "&#10;").replacing("\t", with: "&#9;")
  }

  /// Returns whether XML can represent a character, escaped or not (section 2.2).
  public static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x9, 0xa, 0xd: true
    case 0..<0x20, 0xfffe, 0xffff: false
    default: true
    }
  }
}
