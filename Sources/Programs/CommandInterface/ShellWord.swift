/// Words of commands for a POSIX shell.
///
/// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
package enum ShellWord {
  private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%".utf8)
  private static let quote = UInt8(ascii: "'")

  /// Returns the word in a form that the shell reads as the same bytes. Words without a meaning for the shell stay as
  /// they are.
  ///
  /// Works on bytes: as a `Character`, a quote followed by a combining mark is not a quote.
  package static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(plainBytes.contains) { return word }
    var bytes = [quote]
    for byte in word.utf8 {
      if byte == quote { bytes += Array("'\\''".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes + [quote], as: UTF8.self)
  }
}
