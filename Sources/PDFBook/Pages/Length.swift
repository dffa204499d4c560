import ImageCore

/// Lengths as people write them.
enum Length {
  /// Points of `"210mm"`, `"8.5 in"`, `"72pt"`, `"600px"`, `"0"`; nil for anything else, and for what is
  /// longer than `most`.
  ///
  /// - Parameter dpi: pixels per inch, for px.
  static func points(_ text: some StringProtocol, dpi: Double) -> Double? {
    let text = text.lowercased().filter { $0 != " " }
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let value = Double(number), value.isFinite else { return nil }
    let unit = String(text.dropFirst(number.count))
    if unit.isEmpty { return value == 0 ? 0 : nil }
    guard let factor = pointsPerUnit(unit, dpi: dpi), value * factor <= most else { return nil }
    return value * factor
  }

  /// The lengths of a text that spaces or commas part.
  static func list(_ text: String, option: String, dpi: Double) throws(PageSetupError) -> [Double] {
    var words: [String] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
      // A unit may stand apart from its number.
      if pointsPerUnit(word.lowercased(), dpi: dpi) != nil, let last = words.last,
        Double(last) != nil
      {
        words[words.count - 1] += word
      } else {
        words.append(String(word))
      }
    }
    var lengths: [Double] = []
    for word in words {
      guard let length = points(word, dpi: dpi) else { throw .length(option: option, word) }
      lengths.append(length)
    }
    return lengths
  }

  /// Points: as long as the longest page. What is longer is no length that anything on a page has.
  static let most = PageSize.maximumSide

  /// Points in millimetres, for people.
  static func text(_ points: Double) -> String {
    ParameterValue.text((points * 254 / 72).rounded() / 10)
  }

  /// `210 x 297 mm`.
  static func text(width: Double, height: Double) -> String {
    "\(text(width)) x \(text(height)) mm"
  }

  /// Nil for what is not a unit.
  static func pointsPerUnit(_ unit: String, dpi: Double) -> Double? {
    switch unit {
    case "pt": 1
    case "in": 72
    case "cm": 72 / 2.54
    case "mm": 72 / 25.4
    case "px": 72 / dpi
    default: nil
    }
  }
}
