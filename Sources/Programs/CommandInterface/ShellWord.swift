import Platform

/// Quotes words of commands for a POSIX shell.
///
/// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
package enum ShellWord {
  private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%".utf8)
  private static let quote = UInt8(ascii: "'")

  /// Returns the word in a form that the shell reads as the same bytes. Words without special characters stay
  /// unchanged.
  ///
  /// The comparison uses bytes: as a `Character`, a quote followed by a combining mark does not equal a quote.
  package static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(plainBytes.contains) { return word }
    if PathBytes.containsMark(word) { return escaped(word) }
    var bytes = [quote]
    for byte in word.utf8 {
      if byte == quote { bytes += Array("'\\''".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes + [quote], as: UTF8.self)
  }

  /// Returns a word that is not valid UTF-8 in dollar-single-quotes (2.2.4).
  private static func escaped(_ word: String) -> String {
    var text = "$'"
    for scalar in word.unicodeScalars {
      if let byte = PathBytes.byte(of: scalar) {
        text += "\\" + String(byte, radix: 8)
      } else if scalar.value < 0x20 || scalar == "'" || scalar == "\\" {
        let digits = String(scalar.value, radix: 8)
        text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }
}
