/// Alternative texts of pictures.
package enum AlternativeText {
  /// The maximum number of Unicode scalars; longer texts are truncated. PDF 1.4 limits strings to 65,535 bytes.
  package static let maximumLength = 2_000

  /// Returns a text as one line: control characters and line ends become single spaces.
  package static func cleaned(_ text: String) -> String {
    let words = text.unicodeScalars.prefix(maximumLength).split { scalar in
      scalar.value < 0x20 || scalar.value == 0x7f || scalar.properties.isWhitespace
    }
    return words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
  }
}
