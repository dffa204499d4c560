/// Names of languages as RFC 5646 (BCP 47) writes them.
public enum LanguageTag {
  /// Whether a text is a well-formed `langtag` or a tag of private use (2.1); whether its parts are registered is not
  /// looked at. The tags that RFC 5646 keeps for their age alone, such as `i-klingon`, are not taken.
  public static func isWellFormed(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard text.utf8.count <= 100,
      parts.allSatisfy({ part in
        (1...8).contains(part.utf8.count) && part.utf8.allSatisfy(isLetterOrDigit)
      })
    else { return false }
    var rest = parts[...]
    if rest.first?.lowercased() != "x" {
      guard takeLanguage(&rest) else { return false }
      take(1, &rest) { $0.utf8.count == 4 && $0.utf8.allSatisfy(isLetter) }
      take(1, &rest) { part in
        part.utf8.count == 2 && part.utf8.allSatisfy(isLetter)
          || part.utf8.count == 3 && part.utf8.allSatisfy(isDigit)
      }
      take(.max, &rest) { part in
        part.utf8.count >= 5 || part.utf8.count == 4 && isDigit(part.utf8.first!)
      }
    }
    return takeExtensions(&rest)
  }

  /// Two or three letters, with up to three more of three; or four to eight.
  private static func takeLanguage(_ rest: inout ArraySlice<Substring>) -> Bool {
    guard let first = rest.popFirst(), first.utf8.count >= 2, first.utf8.allSatisfy(isLetter)
    else { return false }
    if first.utf8.count <= 3 {
      take(3, &rest) { $0.utf8.count == 3 && $0.utf8.allSatisfy(isLetter) }
    }
    return true
  }

  /// A letter or digit of its own with at least one part after it, each letter once; `x` takes all that is left.
  private static func takeExtensions(_ rest: inout ArraySlice<Substring>) -> Bool {
    var known: Set<String> = []
    while let letter = rest.popFirst()?.lowercased() {
      guard letter.utf8.count == 1, known.insert(letter).inserted else { return false }
      let count = take(.max, &rest) { letter == "x" || $0.utf8.count > 1 }
      if count == 0 { return false }
    }
    return true
  }

  /// Removes the first parts that pass, `most` of them; gives how many.
  @discardableResult
  private static func take(
    _ most: Int, _ rest: inout ArraySlice<Substring>, _ passes: (Substring) -> Bool
  ) -> Int {
    var count = 0
    while count < most, let first = rest.first, passes(first) {
      rest.removeFirst()
      count += 1
    }
    return count
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
}
