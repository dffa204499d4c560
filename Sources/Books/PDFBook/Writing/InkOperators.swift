import ImageCore

/// Replaces the colours of a content stream by amounts of ink, for files whose device colours are those of a printer.
///
/// Grays stay gray: black text prints with black ink alone.
public struct InkOperators: Sendable {
  private let inks: @Sendable (Colour) -> [Double]

  /// - Parameter inks: returns cyan, magenta, yellow and black, 0 to 1, of a colour in sRGB.
  public init(_ inks: @escaping @Sendable (Colour) -> [Double]) { self.inks = inks }

  /// Returns content with `k` in place of `rg`, and `K` in place of `RG`. The content is one of this module, where
  /// these operators follow three numbers and no string has spaces.
  func applied(to content: String) -> String {
    guard content.contains(" rg ") || content.contains(" RG ") else { return content }
    return content.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }
      .joined(separator: "\n")
  }

  private func line(_ text: String) -> String {
    // Alternative texts are strings.
    guard !text.contains("BDC") else { return text }
    var words: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let operation = String(word)
      guard operation == "rg" || operation == "RG", words.count >= 3 else {
        words.append(operation)
        continue
      }
      let values = words.suffix(3).compactMap { Double($0) }
      guard values.count == 3 else {
        words.append(operation)
        continue
      }
      words.removeLast(3)
      let found = inks(Colour(red: values[0], green: values[1], blue: values[2]))
      words += found.map { PDFNumber.text($0) } + [operation == "rg" ? "k" : "K"]
    }
    return words.joined(separator: " ")
  }
}
