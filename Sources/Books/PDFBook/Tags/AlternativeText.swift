/// Texts that are read instead of pictures.
public enum AlternativeText {
  /// Unicode scalars; what a name or a camera's field has more is left out. Strings of PDF 1.4 have 65,535 bytes.
  public static let maximumLength = 2_000

  /// A text as one line: control characters and ends of line become spaces, those at its ends are left out.
  public static func cleaned(_ text: String) -> String {
    let words = text.unicodeScalars.prefix(maximumLength).split { scalar in
      scalar.value < 0x20 || scalar.value == 0x7f || scalar.properties.isWhitespace
    }
    return words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
  }
}
