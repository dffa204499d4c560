import Platform

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
