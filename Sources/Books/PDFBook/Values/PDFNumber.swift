import BookExpectations
import ImageCore

/// Numbers as PDF writes them (PDF 32000-1:2008, 7.3.3): decimal, never with an exponent.
enum PDFNumber {
  /// Rounded to four decimals (a thirty-thousandth of a millimetre), without needless zeros.
  static func text(_ value: Double) -> String {
    precondition(value.isFinite && value.magnitude < 1e12, "not a length on a page")
    return LengthText.text(value)
  }

  /// Several numbers with spaces between.
  static func text(_ values: [Double]) -> String {
    values.map { text($0) }.joined(separator: " ")
  }
}
