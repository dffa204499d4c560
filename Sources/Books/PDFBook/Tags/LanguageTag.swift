/// Checks language tags (BCP 47).
package enum LanguageTag {
  /// Returns whether a text is a well-formed `langtag` or a tag for private use (RFC 5646, 2.1). Subtags need not be
  /// registered. Grandfathered tags such as `i-klingon` are rejected.
  package static func isWellFormed(_ text: String) -> Bool {
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
        part.utf8.count == 2 && part.utf8.allSatisfy(isLetter) || part.utf8.count == 3 && part.utf8.allSatisfy(isDigit)
      }
      take(.max, &rest) { part in
        part.utf8.count >= 5 || part.utf8.count == 4 && isDigit(part.utf8.first!)
      }
    }
    return takeExtensions(&rest)
  }

  /// Removes the language from the front, and returns whether it is well-formed: two or three letters with up to three
  /// extensions of three letters, or four to eight letters.
  private static func takeLanguage(_ rest: inout ArraySlice<Substring>) -> Bool {
    guard let first = rest.popFirst(), first.utf8.count >= 2, first.utf8.allSatisfy(isLetter)
    else { return false }
    if first.utf8.count <= 3 { take(3, &rest) { $0.utf8.count == 3 && $0.utf8.allSatisfy(isLetter) } }
    return true
  }

  /// Removes the extensions, and returns whether they are well-formed. Each extension is a letter or digit that is used
  /// only once, followed by at least one subtag; `x` takes all remaining subtags.
  private static func takeExtensions(_ rest: inout ArraySlice<Substring>) -> Bool {
    var known: Set<String> = []
    while let letter = rest.popFirst()?.lowercased() {
      guard letter.utf8.count == 1, known.insert(letter).inserted else { return false }
      let count = take(.max, &rest) { letter == "x" || $0.utf8.count > 1 }
      if count == 0 { return false }
    }
    return true
  }

  /// Removes up to `most` subtags from the front while they satisfy the condition, and returns their number.
  @discardableResult
  private static func take(_ most: Int, _ rest: inout ArraySlice<Substring>, _ passes: (Substring) -> Bool) -> Int {
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
