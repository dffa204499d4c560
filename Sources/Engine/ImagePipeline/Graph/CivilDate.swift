import ImageMetadata

/// A date and a time of the Gregorian calendar, without a zone.
struct CivilDate {
  let year, month, day, hour, minute, second: Int
  /// The day of the year, from 1.
  let dayOfYear: Int
  /// The day of the week, from 0 for Sunday.
  let weekday: Int

  /// Creates the earliest moment of a date whose month or day may be unknown.
  init(_ date: StatedDate) {
    (year, month, day) = (date.year, date.month ?? 1, date.day ?? 1)
    (hour, minute, second) = (date.hour, date.minute, date.second)
    let year = year
    dayOfYear = (1..<month).reduce(day) { $0 + StatedDate.days(inMonth: $1, of: year) }
    let past = year - 1
    // 1 January of the year 1 was a Monday.
    weekday = (past * 365 + past / 4 - past / 100 + past / 400 + dayOfYear) % 7
  }

  /// The seconds from the beginning of 1970, in the date's own zone.
  var secondsSince1970: Int {
    func daysBefore(_ year: Int) -> Int { (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 }
    let days = daysBefore(year) - daysBefore(1970) + dayOfYear - 1
    return days * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// The week according to ISO 8601, which begins on Monday, and the year that it belongs to.
  var isoWeek: (year: Int, week: Int) {
    let week = (dayOfYear - (weekday + 6) % 7 + 9) / 7
    if week == 0 { return (year - 1, Self.weeks(of: year - 1)) }
    return week > Self.weeks(of: year) ? (year + 1, 1) : (year, week)
  }

  /// A year has 53 weeks if it ends on a Thursday, or if the previous year ended on a Wednesday.
  private static func weeks(of year: Int) -> Int {
    func lastWeekday(_ year: Int) -> Int { (year + year / 4 - year / 100 + year / 400) % 7 }
    return lastWeekday(year) == 4 || lastWeekday(year - 1) == 3 ? 53 : 52
  }
}
