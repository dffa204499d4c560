import ImageCore

/// Lengths as people write them.
enum Length {
  /// Points of `"210mm"`, `"8.5 in"`, `"72pt"`, `"600px"`, `"0"`; nil for anything else, and for what is
  /// longer than `most`.
  ///
  /// - Parameter dpi: pixels per inch, for px.
  static func points(_ text: some StringProtocol, dpi: Double) -> Double? {
    value(text, dpi: dpi).flatMap { $0 <= most ? $0 : nil }
  }

  /// The same of any length, however long.
  static func value(_ text: some StringProtocol, dpi: Double) -> Double? {
    let text = text.lowercased().filter { $0 != " " }
    let number = text.prefix(numberCount(text))
    guard let value = Double(number), !value.isNaN else { return nil }
    let unit = String(text.dropFirst(number.count))
    if unit.isEmpty { return value == 0 ? 0 : nil }
    return pointsPerUnit(unit, dpi: dpi).map { value * $0 }
  }

  /// Characters of the number that a text begins with: `2.5`, `1e3`.
  static func numberCount(_ text: String) -> Int {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let rest = text.dropFirst(digits.count)
    guard rest.first == "e" else { return digits.count }
    let exponent = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
    return digits.count + (exponent.isEmpty ? 0 : exponent.count + 1)
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
      guard let length = value(word, dpi: dpi) else { throw .length(option: option, word) }
      guard length <= most else { throw .tooLong(option: option, word, most: most) }
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

  /// `210 x 297 mm`; what is short, to two digits.
  static func text(width: Double, height: Double) -> String {
    "\(short(width)) x \(short(height)) mm"
  }

  private static func short(_ points: Double) -> String {
    let length = points * 25.4 / 72
    guard length < 1, length > 0 else { return text(points) }
    var factor = 10.0
    while length * factor < 10, factor < 1e6 { factor *= 10 }
    return ParameterValue.text((length * factor).rounded() / factor)
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
