import Platform

/// The only date that a book carries, so that the same inputs give the same bytes.
enum CreationTime {
  /// The seconds since 1970 in `SOURCE_DATE_EPOCH`; nil for no date.
  static var value: Int? {
    getenv("SOURCE_DATE_EPOCH").flatMap { Int(String(cString: $0)) }.flatMap {
      (0...lastTime).contains($0) ? $0 : nil
    }
  }

  /// The seconds since 1970 until now.
  static var now: Int { min(max(Int(time(nil)), 0), lastTime) }

  /// The end of the year 9999: dates in PDF have years of four digits.
  private static let lastTime = 253_402_300_799

  /// The note about a `SOURCE_DATE_EPOCH` that is no date; nil for none.
  static var note: String? {
    guard let text = getenv("SOURCE_DATE_EPOCH").map({ String(cString: $0) }), !text.isEmpty, value == nil
    else { return nil }
    return "SOURCE_DATE_EPOCH is '\(text.prefix(40))', which is not a number of seconds "
      + "from 1970 to the year 9999; the book has no date"
  }
}
