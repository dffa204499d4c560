import ImageCore

enum SVGText {
  /// Returns a coordinate with up to two digits after the point.
  static func number(_ value: Double) -> String {
    var text = Quantity.decimal(value, 2)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  static func rectangle(x: Double, y: Double, width: Double, height: Double, _ attributes: String, title: String? = nil)
    -> String
  {
    let shape =
      "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" "
      + "height=\"\(number(height))\" \(attributes)"
    guard let title else { return shape + "/>" }
    return shape + "><title>\(XMLText.content(title))</title></rect>"
  }

  static func text(_ text: String, x: Double, y: Double, _ attributes: String = "") -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\""
      + (attributes.isEmpty ? "" : " " + attributes) + ">\(XMLText.content(text))</text>"
  }

  /// Estimates the width of a text in a sans-serif font.
  static func width(_ text: String, size: Double) -> Double {
    text.unicodeScalars.reduce(0) { sum, scalar in
      switch scalar {
      case "i", "j", "l", "t", "f", ".", ",", "'", " ", "|", "-": sum + 0.33
      case "m", "w", "M", "W", "%": sum + 0.9
      case "A"..."Z": sum + 0.69
      default: sum + (scalar.value >= 0x2e80 ? 1.05 : 0.58)
      }
    } * size
  }

  /// Returns the first text that fits. If none does, returns the beginning of the last text with an ellipsis; nil if
  /// fewer than three of its characters fit, or if the width is at most twice the font size.
  static func fitted(_ texts: [String], into width: Double, size: Double) -> String? {
    // No block is wide enough for longer texts.
    let texts = texts.map { $0.utf8.count > 400 ? String($0.prefix(200)) : $0 }
    if let text = texts.first(where: { self.width($0, size: size) <= width }) { return text }
    guard var short = texts.last, width > size * 2 else { return nil }
    while !short.isEmpty, self.width(short + "…", size: size) > width { short.removeLast() }
    return short.count >= 3 ? short + "…" : nil
  }
}
