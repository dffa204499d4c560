/// Lengths in the form for expectations.
enum Points {
  /// Returns a length rounded to four decimals, a thirty-thousandth of a millimetre.
  static func rounded(_ value: Double) -> Double {
    guard value.magnitude < 1e11 else { return value }
    let rounded = (value * 10_000).rounded() / 10_000
    return rounded == 0 ? 0 : rounded
  }

  /// Returns the shortest decimal text, without an exponent or `.0`.
  static func text(_ value: Double) -> String {
    guard value.magnitude < 1e11 else { return "\(value)" }
    return LengthText.text(value)
  }

  /// Appends the shortest decimal text of a length.
  static func append(_ value: Double, to text: inout UTF8Text) {
    guard value.magnitude < 1e11 else { return text.append(string: "\(value)") }
    LengthText.append(value, to: &text)
  }
}
