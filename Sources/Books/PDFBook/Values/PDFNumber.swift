import BookExpectations
import ImageCore

/// Prints numbers in PDF's syntax (PDF 32000-1:2008, 7.3.3): decimal, without an exponent.
enum PDFNumber {
  /// Returns a number rounded to four decimals (a thirty-thousandth of a millimetre), without trailing zeros.
  static func text(_ value: Double) -> String {
    precondition(value.isFinite && value.magnitude < 1e12, "not a length on a page")
    return LengthText.text(value)
  }

  /// Appends a number in the same form as `text(_:)`.
  static func append(_ value: Double, to text: inout UTF8Text) {
    precondition(value.isFinite && value.magnitude < 1e12, "not a length on a page")
    LengthText.append(value, to: &text)
  }

  /// Appends numbers separated by spaces, each divided by `unit`.
  static func append(_ values: Double..., unit: Double, to text: inout UTF8Text) {
    for (index, value) in values.enumerated() {
      if index > 0 { text.append(" ") }
      append(value / unit, to: &text)
    }
  }

  /// Returns numbers separated by spaces.
  static func text(_ values: [Double]) -> String {
    var result = ""
    result.reserveCapacity(values.count * 9)
    for (index, value) in values.enumerated() {
      if index > 0 { result += " " }
      result += text(value)
    }
    return result
  }
}
