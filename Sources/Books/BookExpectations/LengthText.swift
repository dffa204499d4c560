/// Formats lengths as PDF files contain them: with up to four decimals (a thirty-thousandth of a millimetre), without
/// an exponent or trailing zeros.
package enum LengthText {
  /// Returns the text of a length below 10^12.
  package static func text(_ value: Double) -> String {
    digits(value) { String(decoding: $0, as: UTF8.self) }
  }

  /// Appends the text of a length below 10^12.
  package static func append(_ value: Double, to text: inout UTF8Text) {
    digits(value) { text.bytes.append(contentsOf: $0) }
  }

  private static func digits<Result>(_ value: Double, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let scaled = Int((value * 10_000).rounded())
    // The digits are written from the last to the first: at most 18 digits, a point and a sign.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { space in
      var start = space.count
      func put(_ byte: UInt8) {
        start -= 1
        space[start] = byte
      }
      var (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: 10_000)
      if fraction > 0 {
        var places = 4
        while fraction % 10 == 0 { (fraction, places) = (fraction / 10, places - 1) }
        for _ in 0..<places {
          put(UInt8(ascii: "0") + UInt8(fraction % 10))
          fraction /= 10
        }
        put(UInt8(ascii: "."))
      }
      repeat {
        put(UInt8(ascii: "0") + UInt8(whole % 10))
        whole /= 10
      } while whole > 0
      if scaled < 0 { put(UInt8(ascii: "-")) }
      return body(UnsafeBufferPointer(rebasing: space[start...]))
    }
  }

  /// Rounds a side of a page that has the size of its picture to hundredths of a point (4 µm), because each side is
  /// written twice, and more digits make no visible difference. Sides below 100 or above 10^9 points stay unchanged.
  package static func pageSide(_ points: Double) -> Double {
    points < 100 || points > 1e9 ? points : (points * 100).rounded() / 100
  }
}

/// Rounds and formats lengths for expectations.
enum Points {
  /// Returns a length rounded to four decimals. Lengths from 10^11 on stay unchanged.
  static func rounded(_ value: Double) -> Double {
    guard value.magnitude < 1e11 else { return value }
    let rounded = (value * 10_000).rounded() / 10_000
    return rounded == 0 ? 0 : rounded
  }

  /// Returns the text of a length: that of `LengthText` for lengths below 10^11, otherwise Swift's description.
  static func text(_ value: Double) -> String {
    guard value.magnitude < 1e11 else { return "\(value)" }
    return LengthText.text(value)
  }

  static func append(_ value: Double, to text: inout UTF8Text) {
    guard value.magnitude < 1e11 else { return text.append(string: "\(value)") }
    LengthText.append(value, to: &text)
  }
}
