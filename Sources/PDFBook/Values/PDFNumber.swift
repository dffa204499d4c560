/// Numbers as PDF writes them (PDF 32000-1:2008, 7.3.3): decimal, never with an exponent.
enum PDFNumber {
  /// Rounded to four decimals (a thirty-thousandth of a millimetre), without needless zeros.
  static func text(_ value: Double) -> String {
    precondition(value.isFinite && value.magnitude < 1e12, "not a length on a page")
    let scaled = Int((value * 10_000).rounded())
    let digits = String(scaled.magnitude)
    let padded = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    var fraction = padded.suffix(4)
    while fraction.last == "0" { fraction.removeLast() }
    let sign = scaled < 0 ? "-" : ""
    return sign + padded.dropLast(4) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// Several numbers with spaces between.
  static func text(_ values: [Double]) -> String {
    values.map { text($0) }.joined(separator: " ")
  }
}
