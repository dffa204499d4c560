/// A date and a time of the Gregorian calendar, without a zone.
struct CivilDate {
  let year, month, day, hour, minute, second: Int
  /// From 1.
  let dayOfYear: Int
  /// From 0, Sunday.
  let weekday: Int

  /// Reads `"2026:07:31 18:05:09"`. Nil for any other form, and for a day that no calendar has.
  init?(_ exif: String) {
    let parts = exif.split(whereSeparator: { $0 == ":" || $0 == " " })
    guard parts.count == 6, parts[0].count == 4, parts.dropFirst().allSatisfy({ $0.count == 2 }),
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } })
    else { return nil }
    let numbers = parts.compactMap { Int($0) }
    (year, month, day) = (numbers[0], numbers[1], numbers[2])
    (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
    guard year > 0, (1...12).contains(month),
      (1...Self.days(inMonth: month, of: year)).contains(day),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let year = year
    dayOfYear = (1..<month).reduce(day) { $0 + Self.days(inMonth: $1, of: year) }
    let past = year - 1
    // The first of January of the year 1 was a Monday.
    weekday = (past * 365 + past / 4 - past / 100 + past / 400 + dayOfYear) % 7
  }

  /// The seconds from the beginning of 1970, in the date's own zone.
  var secondsSince1970: Int {
    func daysBefore(_ year: Int) -> Int { (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 }
    let days = daysBefore(year) - daysBefore(1970) + dayOfYear - 1
    return days * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// The week that ISO 8601 counts, from Monday, and the year that it belongs to.
  var isoWeek: (year: Int, week: Int) {
    let week = (dayOfYear - (weekday + 6) % 7 + 9) / 7
    if week == 0 { return (year - 1, Self.weeks(of: year - 1)) }
    return week > Self.weeks(of: year) ? (year + 1, 1) : (year, week)
  }

  /// A year has 53 weeks where it ends on a Thursday, or the one before it on a Wednesday.
  private static func weeks(of year: Int) -> Int {
    func lastWeekday(_ year: Int) -> Int { (year + year / 4 - year / 100 + year / 400) % 7 }
    return lastWeekday(year) == 4 || lastWeekday(year - 1) == 3 ? 53 : 52
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
    return month == 2 ? isLeap ? 29 : 28 : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}
