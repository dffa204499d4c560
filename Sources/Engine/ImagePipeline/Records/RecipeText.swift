import ImageCore

/// The form of texts and values in recipes: a single line, with different lines for different values.
package enum RecipeText {
  /// Returns whether an option is a password, which records must not contain.
  static func isPassword(_ option: String) -> Bool { option.hasSuffix("password") }

  /// Returns a text with escapes for backslashes, quotes, control characters and characters of several scalars. Texts
  /// that compare as equal although their bytes differ, such as an é of one scalar and one of two, then differ.
  package static func escaped(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "'")
    }
    if isPlain { return text }
    var result = ""
    for character in text {
      let scalars = character.unicodeScalars
      for scalar in scalars {
        let isSafe =
          scalars.count == 1 && !scalar.properties.isFullCompositionExclusion && scalar.value >= 0x20
          && !(0x7f..<0xa0).contains(scalar.value) && scalar != "\\" && scalar != "'" && !character.isNewline
        if isSafe {
          result.unicodeScalars.append(scalar)
        } else {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return result
  }

  /// Returns a value as scripts write it, with escapes in its texts.
  static func text(of value: ParameterValue) -> String {
    switch value {
    case .text(let text): "'\(escaped(text))'"
    case .list(let items): "{ " + items.map(text).joined(separator: ", ") + " }"
    case .fields(let fields):
      "{ "
        + fields.map { (escaped($0.key), text(of: $0.value)) }.sorted { $0.0 < $1.0 }
        .map { "\(isName($0.0) ? $0.0 : "['\($0.0)']") = \($0.1)" }.joined(separator: ", ") + " }"
    case .colour(let colour): text(of: colour)
    case .boolean, .integer, .number, .picture, .jobs, .other: value.text
    }
  }

  /// Returns a colour with all its digits: a file with 16 bits shows differences that `#rrggbb` does not.
  static func text(of colour: Colour) -> String {
    let parts = [colour.red, colour.green, colour.blue, colour.alpha]
    let isPlain = parts.allSatisfy { ($0 * 255).rounded() / 255 == $0 }
    return isPlain ? ParameterValue.colour(colour).text : "{ \(parts.map { "\($0)" }.joined(separator: ", ")) }"
  }

  /// Returns whether a key can be written without quotes.
  private static func isName(_ key: String) -> Bool {
    key.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
  }
}
