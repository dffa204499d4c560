/// The words of texts with lengths on paper, such as `"5mm 1 cm"`.
package enum LengthWords {
  private static let units: Set = ["pt", "in", "cm", "mm", "px"]

  /// Returns the lengths in a text, which are separated by spaces or commas. A number and its unit may be two words.
  package static func split(_ text: String) -> [String] {
    var words: [String] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
      if units.contains(word.lowercased()), let last = words.last, Double(last) != nil {
        words[words.count - 1] += word
      } else {
        words.append(String(word))
      }
    }
    return words
  }

  /// Returns the lengths in canonical form, separated by spaces: centimetres and inches become millimetres, and every
  /// zero becomes `0`. Points and pixels are not converted.
  static func canonical(_ text: String) -> String { split(text).map(canonical(word:)).joined(separator: " ") }

  private static func canonical(word: String) -> String {
    let unit = word.drop { "0123456789.".contains($0) }.lowercased()
    guard let number = Double(word.dropLast(unit.count)) else { return word }
    if number == 0, unit.isEmpty || units.contains(unit) { return "0" }
    guard let factor = ["cm": 10, "in": 25.4][unit] else { return ParameterValue.text(number) + unit }
    // The rounding removes the error of products such as 0.3 * 25.4.
    return ParameterValue.text((number * factor * 1e9).rounded() / 1e9) + "mm"
  }
}
