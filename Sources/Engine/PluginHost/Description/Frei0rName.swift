import ImageCore

/// The spelling of frei0r plugins' names and of their parameters' names in scripts.
///
/// A plugin's name is derived from its file: `3dflippo.so` becomes `frei0r.3dflippo`. File names are unique, unlike the
/// names that plugins state themselves, and can be found without loading a library. A parameter's own name is spelled
/// in lower case with underscores: `Key color` becomes `key_color`.
package enum Frei0rName {
  package static let prefix = "frei0r."

  /// Returns the name of the plugin in the file at `path`; nil if the file name is too long, or has no letter or digit.
  package static func plugin(path: String) -> String? {
    let file = String(PathName.name(path))
    let name = identifier(file.hasSuffix(".so") ? String(file.dropLast(3)) : file)
    return name.isEmpty || prefix.utf8.count + name.utf8.count > Limits.name ? nil : prefix + name
  }

  /// Returns the names of parameters in their order. A number is appended to names that would repeat an earlier one, or
  /// one in `taken`.
  package static func parameters(_ names: [String], taken: Set<String>) -> [String] {
    var used = taken
    return names.map { name in
      var base = identifier(name)
      if base.isEmpty { base = "value" }
      if base.first!.isNumber { base = "_" + base }
      base = String(base.prefix(Limits.name - 4))
      var unique = base
      var number = 2
      while !used.insert(unique).inserted {
        unique = "\(base)_\(number)"
        number += 1
      }
      return unique
    }
  }

  static func isPrefixed(_ name: String) -> Bool { name.hasPrefix(prefix) }

  static func withoutPrefix(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.starts(with: prefix.utf8) ? bytes.dropFirst(prefix.utf8.count) : bytes
  }

  /// Returns a text in lower case, with one underscore for each run of characters other than letters and digits. Drops
  /// apostrophes, and underscores at the ends.
  private static func identifier(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if let letter = letter(scalar) {
        result.append(letter)
      } else if scalar != "'", !result.isEmpty, result.last != "_" {
        result.append("_")
      }
    }
    return result.last == "_" ? String(result.dropLast()) : result
  }

  /// Returns a character as a lower-case ASCII letter or a digit; nil for other characters. An accented Latin letter
  /// becomes its base letter, taken from its Unicode name, such as LATIN SMALL LETTER E WITH ACUTE.
  private static func letter(_ scalar: Unicode.Scalar) -> Character? {
    switch scalar {
    case "a"..."z", "0"..."9": return Character(scalar)
    case "A"..."Z": return Character(Unicode.Scalar(scalar.value + 32)!)
    default: break
    }
    guard !scalar.isASCII, let words = scalar.properties.name?.split(separator: " "),
      words.count > 3, words[0] == "LATIN", words[2] == "LETTER", words[3].utf8.count == 1
    else { return nil }
    return Character(words[3].lowercased())
  }
}
