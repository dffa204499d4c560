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
