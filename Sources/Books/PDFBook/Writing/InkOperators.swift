import ImageCore

/// A conversion of the RGB colours in content streams to the printer's colours, for files whose device colours are the
/// printer's.
///
/// Grays stay gray, so that black text is printed with black ink only.
package struct InkOperators: Sendable {
  private let inks: @Sendable (Colour) -> [Double]

  /// - Parameter inks: returns the printer's components, 0 to 1, for a colour in sRGB: gray; red, green and blue; or
  ///   cyan, magenta, yellow and black.
  package init(_ inks: @escaping @Sendable (Colour) -> [Double]) { self.inks = inks }

  /// Returns content in the printer's colours. The operators `rg` and `RG` become `g` and `G` for one component, and
  /// `k` and `K` for four.
  ///
  /// The content must come from this module, where `rg` and `RG` follow three numbers. It must not contain a `Caption`,
  /// whose string may have spaces.
  func applied(to content: String) -> String {
    guard content.contains(" rg ") || content.contains(" RG ") else { return content }
    return content.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }
      .joined(separator: "\n")
  }

  private func line(_ text: String) -> String {
    // A line with BDC may contain a string of text, which must not be changed.
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
      let name = found.count == 4 ? "k" : found.count == 1 ? "g" : "rg"
      words += found.map { PDFNumber.text($0) } + [operation == "rg" ? name : name.uppercased()]
    }
    return words.joined(separator: " ")
  }
}
