import ImageCore

/// The orientation of a page.
package enum PageOrientation: String, Sendable, Hashable, CaseIterable {
  /// The orientation of the picture in the layout `single`; portrait in other layouts.
  case auto
  case portrait
  case landscape
}

enum PaperSize {
  /// Parses `"A4"`, `"a4 landscape"`, `"10x15"`, `"210mm x 297mm"`, `"8.5x11in"`, `"1200 x 1800 px"`.
  ///
  /// - Returns: the size; the orientation, if a word declares it; and the orientation to use without such a word:
  ///   `auto` for a named paper, the paper's own for a size in numbers.
  static func parse(_ text: String, dpi: Double) throws(PageSetupError)
    -> (size: PageSize, word: PageOrientation?, direction: PageOrientation)
  {
    var words = text.lowercased().split(separator: " ")
    var orientation: PageOrientation?
    if words.count > 1, let last = words.last.flatMap({ PageOrientation(rawValue: String($0)) }) {
      orientation = last
      words.removeLast()
    }
    let name = words.joined(separator: " ")
    if let size = named[name] {
      let points = PageSize(width: size.width * 72 / 25.4, height: size.height * 72 / 25.4)
      return (points, orientation, .auto)
    }
    guard let size = written(words.joined(), dpi: dpi) else {
      if let word = wrongSide(of: words.joined(), dpi: dpi) { throw .length(option: "paper", word) }
      let names = ["picture"] + named.keys.sorted()
      throw .paper(text, suggestion: Suggestion.nearest(to: name, in: names))
    }
    guard max(size.width, size.height) <= PageSize.maximumSide else {
      throw .tooLong(option: "paper", text, most: PageSize.maximumSide)
    }
    guard [size.width, size.height].allSatisfy({ $0 >= 3 && $0 <= PageSize.maximumSide }) else {
      throw .paperSize(width: size.width, height: size.height)
    }
    return (size, orientation, size.width > size.height ? .landscape : .portrait)
  }

  /// Parses `WIDTHxHEIGHT`, with a unit after both numbers or only after the second.
  private static func written(_ text: String, dpi: Double) -> PageSize? {
    let parts = sides(of: text)
    guard parts.count == 2, let height = Length.value(parts[1], dpi: dpi) else { return nil }
    let unit = parts[1].dropFirst(Length.numberCount(parts[1]))
    guard
      let width = Length.value(parts[0], dpi: dpi)
        ?? Length.value(parts[0] + unit, dpi: dpi)
    else { return nil }
    return PageSize(width: width, height: height)
  }

  /// Returns the first side of `WIDTHxHEIGHT` that is not a length; nil for none, or if the text has another form.
  private static func wrongSide(of text: String, dpi: Double) -> String? {
    let parts = sides(of: text)
    guard parts.count == 2, parts.allSatisfy({ $0.first?.isNumber ?? false }) else { return nil }
    let unit = parts[1].dropFirst(Length.numberCount(parts[1]))
    return parts.first {
      Length.value($0, dpi: dpi) == nil && Length.value($0 + unit, dpi: dpi) == nil
    }
  }

  private static func sides(of text: String) -> [String] {
    let sides = text.replacing("×", with: "x").split(separator: "x", omittingEmptySubsequences: false)
    // The unit "px" also contains the letter x, so parts that were split there are joined again.
    var parts: [String] = []
    for side in sides {
      if let last = parts.last, last.hasSuffix("p") { parts[parts.count - 1] = last + "x" }
      if !side.isEmpty { parts.append(String(side)) }
    }
    return parts
  }

  /// The named papers in millimetres, in portrait orientation: ISO 216, ANSI, and photo papers that are named by their
  /// size in centimetres or inches.
  private static let named: [String: PageSize] = {
    var sizes: [String: PageSize] = [
      "letter": inches(8.5, 11), "legal": inches(8.5, 14), "tabloid": inches(11, 17),
      "ledger": inches(11, 17), "executive": inches(7.25, 10.5), "statement": inches(5.5, 8.5),
      "4x6": inches(4, 6), "5x7": inches(5, 7), "8x10": inches(8, 10),
      "9x13": photo(9, 13), "10x15": photo(10, 15), "13x18": photo(13, 18),
      "15x20": photo(15, 20), "18x24": photo(18, 24), "20x30": photo(20, 30),
      "30x40": photo(30, 40), "30x45": photo(30, 45), "40x60": photo(40, 60),
      "20x20": photo(20, 20), "30x30": photo(30, 30),
    ]
    for (letter, first) in [("a", (841.0, 1189.0)), ("b", (1000.0, 1414.0))] {
      var (width, height) = first
      for number in 0...10 {
        sizes["\(letter)\(number)"] = PageSize(width: width, height: height)
        (width, height) = ((height / 2).rounded(.down), width)
      }
    }
    return sizes
  }()

  private static func inches(_ width: Double, _ height: Double) -> PageSize {
    PageSize(width: width * 25.4, height: height * 25.4)
  }

  private static func photo(_ width: Double, _ height: Double) -> PageSize {
    PageSize(width: width * 10, height: height * 10)
  }
}

extension PageSize {
  /// The size in the form that the option `paper` takes.
  package var asPaper: String { "\(PDFNumber.text(width))pt x \(PDFNumber.text(height))pt" }
}
