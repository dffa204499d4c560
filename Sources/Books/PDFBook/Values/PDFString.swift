import BookExpectations
import ImageCore

/// Formats strings in PDF's syntax (PDF 32000-1:2008, 7.3.4 and 7.9.2).
enum PDFString {
  /// Returns a text string: literal if it is printable ASCII, otherwise UTF-16BE with a byte order mark.
  static func text(_ value: String) -> String {
    if value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return literal(Array(value.utf8)) }
    return utf16(value)
  }

  /// Returns the number of bytes of a text string, before escaping.
  static func byteCount(_ value: String) -> Int {
    value.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? value.utf8.count : 2 + 2 * value.utf16.count
  }

  /// Returns a text string in UTF-16BE with a byte order mark, in hexadecimal.
  static func utf16(_ value: String) -> String {
    let units = [0xfeff] + Array(value.utf16)
    return "<" + units.map { hexadecimal(UInt8($0 >> 8)) + hexadecimal(UInt8($0 & 0xff)) }.joined() + ">"
  }

  /// Returns a literal string of bytes. Bytes outside printable ASCII become octal escapes, so that the
  /// file's structure stays ASCII.
  static func literal(_ bytes: [UInt8]) -> String {
    var result = "("
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\\"):
        result += "\\" + String(UnicodeScalar(byte))
      case 0x20...0x7e: result += String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 8)
        result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }
    }
    return result + ")"
  }

  /// Returns a date in UTC (7.9.4) from seconds since 1970.
  static func date(_ seconds: Int) -> String {
    let parts = parts(seconds)
    return "(D:" + parts.joined() + "Z)"
  }

  /// Returns the date in ISO 8601: `2023-11-14T22:13:20Z`.
  static func isoDate(_ seconds: Int) -> String {
    let parts = parts(seconds)
    return parts[..<3].joined(separator: "-") + "T" + parts[3...].joined(separator: ":") + "Z"
  }

  /// Returns the year, month, day, hour, minute and second in UTC, with leading zeros.
  private static func parts(_ seconds: Int) -> [String] {
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    let rest = seconds - days * 86_400
    let (year, month, day) = civil(days)
    func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
    let digits = String(max(0, min(9_999, year)))
    return [
      String(repeating: "0", count: 4 - digits.count) + digits, two(month), two(day),
      two(rest / 3_600), two(rest / 60 % 60), two(rest % 60),
    ]
  }

  /// Returns the Gregorian date of a day counted from 1970-01-01, by Howard Hinnant's `civil_from_days`
  /// (https://howardhinnant.github.io/date_algorithms.html).
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let index = (5 * dayOfYear + 2) / 153
    let month = index < 10 ? index + 3 : index - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
  }

  private static func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}

/// Formats numbers in PDF's syntax (PDF 32000-1:2008, 7.3.3): decimal, without an exponent.
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
