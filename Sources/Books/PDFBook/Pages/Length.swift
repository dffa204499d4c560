import ImageCore

/// Parses and formats lengths such as `210mm`.
enum Length {
  /// Converts a length such as `"210mm"`, `"8.5 in"`, `"72pt"`, `"600px"` or `"0"` to points, even if it exceeds
  /// `maximum`; nil if the text is not a length.
  ///
  /// - Parameter dpi: pixels per inch, for px.
  static func value(_ text: some StringProtocol, dpi: Double) -> Double? {
    let text = text.lowercased().filter { $0 != " " }
    let number = text.prefix(numberCount(text))
    guard let value = Double(number), !value.isNaN else { return nil }
    let unit = String(text.dropFirst(number.count))
    if unit.isEmpty { return value == 0 ? 0 : nil }
    return pointsPerUnit(unit, dpi: dpi).map { value * $0 }
  }

  /// Returns the number of characters at the start of a text that form a number such as `2.5` or `1e3`.
  static func numberCount(_ text: String) -> Int {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let rest = text.dropFirst(digits.count)
    guard rest.first == "e" else { return digits.count }
    let exponent = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
    return digits.count + (exponent.isEmpty ? 0 : exponent.count + 1)
  }

  /// Parses lengths that are separated by spaces or commas.
  static func list(_ text: String, option: String, dpi: Double) throws(PageSetupError) -> [Double] {
    var lengths: [Double] = []
    for word in LengthWords.split(text) {
      guard let length = value(word, dpi: dpi) else { throw .length(option: option, word) }
      guard length <= maximum else { throw .tooLong(option: option, word, most: maximum) }
      lengths.append(length)
    }
    return lengths
  }

  /// The largest length on a page, in points: the longest side of a page.
  static let maximum = PageSize.maximumSide

  /// Returns points as a number of millimetres, rounded to tenths.
  static func text(_ points: Double) -> String { ParameterValue.text((points * 254 / 72).rounded() / 10) }

  /// Returns a size in points as text such as `210 x 297 mm`. Lengths below a millimetre have two significant digits.
  static func text(width: Double, height: Double) -> String { "\(short(width)) x \(short(height)) mm" }

  private static func short(_ points: Double) -> String {
    let length = points * 25.4 / 72
    guard length < 1, length > 0 else { return text(points) }
    var factor = 10.0
    while length * factor < 10, factor < 1e6 { factor *= 10 }
    return ParameterValue.text((length * factor).rounded() / factor)
  }

  /// Returns the number of points in a unit; nil for an unknown unit.
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
