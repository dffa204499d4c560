import Platform

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
