/// A date that a camera or program has written in EXIF, XMP or elsewhere. At least the year is known.
///
/// EXIF uses `2026:07:31 18:05:09`, with blanks for unknown parts (Exif 2.32, DateTime). XMP uses `1985`, `2024-02`,
/// `2026-07-31` and `2026-07-31T18:05:09.27+02:00` (ISO 16684-1, 8.2.1.1). Real files mix both forms, and contain
/// slashes, time zones, fractions, and times such as `24:08:19` for 8 minutes after midnight. If the time is invalid,
/// only the day is used.
package struct StatedDate: Sendable, Hashable {
  package private(set) var year: Int
  /// The month; nil if only the year is known.
  package private(set) var month: Int?
  /// The day; nil if it is unknown.
  package private(set) var day: Int?
  package private(set) var hour = 0, minute = 0, second = 0
  /// Whether a time is known.
  package private(set) var hasTime = false
  /// The offset from UTC in minutes, positive to the east; nil if unknown.
  package private(set) var offset: Int?

  /// Parses a text; nil if it does not begin with a year, or if the month or day does not exist. A day may be followed
  /// only by a blank, `T` or a time zone. Text after them that is not a time is ignored. A year or month may be
  /// followed only by blanks and separators.
  package init?(_ text: String) {
    var reader = Reader(rest: Array(text.utf8)[...])
    reader.skipBlanks()
    guard let year = reader.number(4...4), year > 0 else { return nil }
    self.year = year
    if reader.isDigit {
      // This is the form `20260731`.
      guard let month = reader.number(2...2), let day = reader.number(2...2) else { return nil }
      (self.month, self.day) = (month, day)
    } else if let separator = reader.take(":-/.") {
      reader.skipBlanks()
      month = reader.number(1...2)
      reader.skipBlanks()
      if month != nil, reader.take(separator) != nil {
        reader.skipBlanks()
        day = reader.number(1...2)
      }
    }
    guard isPossible, !reader.isDigit else { return nil }
    guard day != nil else {
      if reader.isBlank { return }
      return nil
    }
    guard reader.rest.isEmpty || reader.take("T", "t", " ") != nil || reader.isZone else { return nil }
    readTime(&reader)
  }

  private var isPossible: Bool {
    guard let month else { return true }
    return (1...12).contains(month) && day.map { (1...Self.days(inMonth: month, of: year)).contains($0) } ?? true
  }

  /// Returns the number of days of a month in the Gregorian calendar.
  package static func days(inMonth month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
    return month == 2 ? isLeap ? 29 : 28 : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private mutating func readTime(_ reader: inout Reader) {
    reader.skipBlanks()
    if let hour = reader.number(1...2) {
      let (minute, second) = (reader.part(), reader.part())
      reader.skipFraction()
      guard hour <= 24, minute <= 59, second <= 60 else { return }
      (self.hour, self.minute, self.second, hasTime) = (hour % 24, minute, second, true)
      if hour == 24 { goToNextDay() }
    }
    reader.skipBlanks()
    offset = reader.zone()
  }

  private mutating func goToNextDay() {
    guard let month, let day else { return }
    if day < Self.days(inMonth: month, of: year) {
      self.day = day + 1
    } else {
      (year, self.month, self.day) = (month == 12 ? year + 1 : year, month % 12 + 1, 1)
    }
  }
}

extension StatedDate {
  private struct Reader {
    var rest: ArraySlice<UInt8>

    var isDigit: Bool { rest.first.map { (0x30...0x39).contains($0) } ?? false }
    /// Whether only blanks and separators remain.
    var isBlank: Bool { rest.allSatisfy { " :-/.".utf8.contains($0) } }
    var isZone: Bool { rest.first.map { "Zz+-".utf8.contains($0) } ?? false }

    /// Consumes and returns the next character if it is among the given ones; nil otherwise.
    mutating func take(_ characters: String...) -> String? {
      guard let first = rest.first, characters.contains(where: { $0.utf8.contains(first) }) else { return nil }
      rest.removeFirst()
      return String(UnicodeScalar(first))
    }

    mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 } }

    /// Parses a number with as many digits as follow, up to the upper bound; nil if there are too few.
    mutating func number(_ digits: ClosedRange<Int>) -> Int? {
      let part = rest.prefix(digits.upperBound).prefix { (0x30...0x39).contains($0) }
      guard digits.contains(part.count) else { return nil }
      rest = rest.dropFirst(part.count)
      return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Parses a number after an optional colon; 0 if the number is missing or blank.
    mutating func part() -> Int {
      guard take(":") != nil || isDigit else { return 0 }
      skipBlanks()
      return number(1...2) ?? 0
    }

    mutating func skipFraction() {
      guard take(".", ",") != nil else { return }
      rest = rest.drop { (0x30...0x39).contains($0) }
    }

    /// Parses `Z`, `+02:00`, `+0200` or `+02`; nil for any other text.
    mutating func zone() -> Int? {
      guard let sign = take("Z", "z", "+", "-") else { return nil }
      guard sign == "+" || sign == "-" else { return 0 }
      guard let hours = number(2...2), hours <= 15 else { return nil }
      _ = take(":")
      let minutes = number(2...2) ?? 0
      return minutes > 59 ? nil : (sign == "-" ? -1 : 1) * (hours * 60 + minutes)
    }
  }
}
