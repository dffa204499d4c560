/// Phrases for the sentences of faults and reports.
enum FaultText {
  /// Returns a rounded number without trailing zeros: `595.28`, `12`.
  static func number(_ value: Double, decimals: Int) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return value > 0 ? "infinite" : "unknown" }
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let fraction = scaled.magnitude % UInt(scale)
    let sign = scaled < 0 ? "-" : ""
    let whole = "\(sign)\(scaled.magnitude / UInt(scale))"
    guard fraction > 0 else { return whole }
    let digits = String(fraction)
    var padded = String(repeating: "0", count: decimals - digits.count) + digits
    while padded.hasSuffix("0") { padded.removeLast() }
    return whole + "." + padded
  }

  /// Returns `1 byte`, `2 bytes`.
  static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  static func megabytes(_ bytes: Int) -> String { "\((bytes + 999_999) / 1_000_000) MB" }

  /// Returns at most 60 characters of a text, in quotes and on one line.
  static func quoted(_ text: String) -> String {
    let line = String(text.map { $0.isNewline ? " " : $0 }.prefix(60))
    return "'\(line)\(text.count > 60 ? "…" : "")'"
  }

  static func size(_ width: Double, _ height: Double) -> String {
    "\(number(width, decimals: 2)) x \(number(height, decimals: 2))"
  }

  /// Returns `(left, bottom, width, height)`.
  static func place(_ box: [Double]) -> String {
    "(\(box.map { number($0, decimals: 2) }.joined(separator: ", ")))"
  }

  /// Returns a phrase naming the UserUnit as the cause of a wrong size; empty if it is not the cause.
  ///
  /// - Parameters:
  ///   - unit: the page's UserUnit, 1 if it has none.
  ///   - side: the longest expected side, in points. Sides above 14,400 need a UserUnit.
  static func cause(_ unit: Double, meant side: Double = 0) -> String {
    if unit != 1 { return "; its UserUnit is \(number(unit, decimals: 4))" }
    return side > 14_400 ? "; it was written with a UserUnit, which is missing" : ""
  }
}
