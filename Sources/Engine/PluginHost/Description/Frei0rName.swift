import ImageCore

/// How scripts spell the names of frei0r plugins and of their parameters.
///
/// A plugin is called by its file: `3dflippo.so` is `frei0r.3dflippo`, for files' names differ where the
/// names that plugins give themselves do not, and none needs to be loaded to be found. A parameter is
/// called by its own name in small letters with underscores: `Key color` is `key_color`.
package enum Frei0rName {
  package static let prefix = "frei0r."

  /// The name of the plugin in the file at `path`; nil where it has no letter or digit to go by.
  package static func plugin(path: String) -> String? {
    let file = String(PathName.name(path))
    let name = identifier(file.hasSuffix(".so") ? String(file.dropLast(3)) : file)
    return name.isEmpty || prefix.utf8.count + name.utf8.count > Limits.name ? nil : prefix + name
  }

  /// The names of parameters, in their order. Those that would be the same, or another one in `taken`, get
  /// a number behind them.
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

  /// Small letters and digits of ASCII, everything between them one underscore.
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

  /// The small letter or digit, without its accents, by the name Unicode gives the character: LATIN SMALL
  /// LETTER E WITH ACUTE.
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
