import ImageMetadata
import Platform

/// Formats dates of EXIF and XMP according to a pattern.
enum DateText {
  /// The conversions of strftime(3).
  static let conversions = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%"
  /// The GNU flags between `%` and a conversion: no padding, spaces, zeros, capitals, the opposite case.
  static let flags = "-_0^#"

  /// Returns the first invalid conversion in a pattern; nil if all are valid.
  static func wrongConversion(in pattern: String) -> String? {
    for piece in DatePattern(pattern).pieces { if case .wrong(let text) = piece { return text } }
    return nil
  }

  /// Returns whether a pattern may need the time zone: `%z` and `%Z` write it, `%c` does in some locales, and the Unix
  /// time of `%s` depends on it.
  static func needsZone(_ pattern: String) -> Bool {
    DatePattern(pattern).pieces.contains {
      if case .conversion(let conversion) = $0 { "zZsc".contains(conversion.name) } else { false }
    }
  }

  /// Formats a date according to a pattern of strftime(3), but without the leading space of `%e`, `%k` and `%l`.
  /// Returns nil for an invalid date.
  ///
  /// - Parameters:
  ///   - offset: minutes east of UTC, used if the value contains no offset; nil if unknown, which makes `%z` and `%Z`
  ///     empty.
  ///   - locale: the language of names, and the forms of `%c`, `%x`, `%X` and `%r`.
  static func text(_ value: String, offset: Int? = nil, pattern: String, locale: TimeLocale = .english) -> String? {
    StatedDate(value).map { text(CivilDate($0), offset: $0.offset ?? offset, pattern: pattern, locale: locale) }
  }

  static func text(_ date: CivilDate, offset: Int?, pattern: String, locale: TimeLocale) -> String {
    Writer(date: date, offset: offset, locale: locale).text(pattern)
  }

  private enum Field {
    case text(String)
    case number(Int, digits: Int, padding: Character)

    static func number(_ value: Int, _ digits: Int) -> Field { .number(value, digits: digits, padding: "0") }
  }

  private struct Writer {
    let date: CivilDate
    let offset: Int?
    let locale: TimeLocale

    func text(_ pattern: String) -> String {
      DatePattern(pattern).pieces.map { piece in
        switch piece {
        case .text(let character): String(character)
        case .conversion(let conversion): styled(field(conversion), conversion)
        // Patterns of scripts have been checked; a locale's pattern may contain anything.
        case .wrong(let text): text
        }
      }.joined()
    }

    private func styled(_ field: Field, _ conversion: DatePattern.Conversion) -> String {
      let flag = conversion.flag
      switch field {
      case .text(var text):
        if flag == "^" { text = text.uppercased() }
        if flag == "#" { text = "pPZ".contains(conversion.name) ? text.lowercased() : text.uppercased() }
        return padded(text, conversion.width ?? 0, flag == "0" ? "0" : " ")
      case .number(let value, let digits, let padding):
        let text = String(value)
        let sign: Character? =
          switch flag {
          case "-": nil
          case "_": " "
          case "0": "0"
          default: padding == " " && conversion.width == nil ? nil : padding
          }
        return sign.map { padded(text, conversion.width ?? digits, $0) } ?? text
      }
    }

    private func padded(_ text: String, _ width: Int, _ padding: Character) -> String {
      String(repeating: padding, count: max(0, width - text.count)) + text
    }

    private func field(_ conversion: DatePattern.Conversion) -> Field {
      let hourOfTwelve = date.hour % 12 == 0 ? 12 : date.hour % 12
      switch conversion.name {
      case "Y": return .number(date.year, 1)
      case "C": return .number(date.year / 100, 2)
      case "y": return .number(date.year % 100, 2)
      case "G": return .number(date.isoWeek.year, 1)
      case "g": return .number(date.isoWeek.year % 100, 2)
      case "m": return .number(date.month, 2)
      case "d": return .number(date.day, 2)
      case "e": return .number(date.day, digits: 2, padding: " ")
      case "j": return .number(date.dayOfYear, 3)
      case "H": return .number(date.hour, 2)
      case "k": return .number(date.hour, digits: 2, padding: " ")
      case "I": return .number(hourOfTwelve, 2)
      case "l": return .number(hourOfTwelve, digits: 2, padding: " ")
      case "M": return .number(date.minute, 2)
      case "S": return .number(date.second, 2)
      case "s": return .number(date.secondsSince1970 - (offset ?? 0) * 60, 1)
      case "u": return .number(date.weekday == 0 ? 7 : date.weekday, 1)
      case "w": return .number(date.weekday, 1)
      case "U": return .number((date.dayOfYear + 6 - date.weekday) / 7, 2)
      case "W": return .number((date.dayOfYear + 6 - (date.weekday + 6) % 7) / 7, 2)
      case "V": return .number(date.isoWeek.week, 2)
      case "n": return .text("\n")
      case "t": return .text("\t")
      case "%": return .text("%")
      default: return .text(words(conversion))
      }
    }

    /// Returns the value of a conversion that writes words of the locale, a time zone, or a combination of values.
    private func words(_ conversion: DatePattern.Conversion) -> String {
      switch conversion.name {
      case "B": (conversion.isAlone ? locale.aloneMonths : locale.months)[date.month - 1]
      case "b", "h": locale.shortMonths[date.month - 1]
      case "A": locale.days[date.weekday]
      case "a": locale.shortDays[date.weekday]
      case "p": locale.halves[date.hour / 12]
      case "P": locale.halves[date.hour / 12].lowercased()
      case "z": offset.map { zone($0, conversion.hasColon ? ":" : "") } ?? ""
      case "Z": offset.map { $0 == 0 ? "UTC" : zone($0, ":") } ?? ""
      case "c": text(locale.dateAndTime)
      case "x": text(locale.date)
      case "X": text(locale.time)
      case "r": text(locale.timeOfTwelve)
      case "D": text("%m/%d/%y")
      case "F": text("%Y-%m-%d")
      case "R": text("%H:%M")
      default: text("%H:%M:%S")
      }
    }

    private func zone(_ offset: Int, _ separator: String) -> String {
      let size = Int(offset.magnitude)
      return (offset < 0 ? "-" : "+") + padded(String(size / 60), 2, "0") + separator
        + padded(String(size % 60), 2, "0")
    }
  }
}

/// A parsed pattern of strftime(3).
private struct DatePattern {
  enum Piece {
    case text(Character)
    case conversion(Conversion)
    case wrong(String)
  }

  /// A conversion with its flag and width. The modifiers `E` and `O` are accepted, but have no effect except in `%OB`.
  struct Conversion {
    var flag: Character?
    var width: Int?
    /// Whether the modifier is `O`: `%OB` is the form of a month's name that stands without a day.
    var isAlone = false
    /// Whether a time zone is written with a colon: `%:z`.
    var hasColon = false
    var name: Character = "%"
  }

  private(set) var pieces: [Piece] = []

  /// The maximum number of digits in a width.
  private static let widthDigits = 2

  init(_ pattern: String) {
    var rest = pattern[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        pieces.append(.text(character))
        continue
      }
      let start = rest.startIndex
      let conversion = Self.conversion(&rest)
      let written = "%" + pattern[start..<rest.startIndex]
      pieces.append(conversion.map { .conversion($0) } ?? .wrong(written))
    }
  }

  /// Removes a conversion from the start of a text and returns it; nil for an invalid one.
  private static func conversion(_ rest: inout Substring) -> Conversion? {
    var conversion = Conversion()
    if let flag = rest.first, DateText.flags.contains(flag) {
      conversion.flag = flag
      rest.removeFirst()
    }
    let digits = rest.prefix(widthDigits).prefix { $0.isASCII && $0.isNumber }
    if !digits.isEmpty {
      conversion.width = Int(digits)
      rest.removeFirst(digits.count)
    }
    var modifier: Character?
    if let first = rest.first, "EO:".contains(first) {
      modifier = first
      rest.removeFirst()
    }
    guard let name = rest.popFirst(), DateText.conversions.contains(name), modifier != ":" || name == "z" else {
      return nil
    }
    let isPlain = conversion.flag == nil && conversion.width == nil && modifier == nil
    guard isPlain || !"%nt".contains(name) else { return nil }
    conversion.isAlone = modifier == "O"
    conversion.hasColon = modifier == ":"
    conversion.name = name
    return conversion
  }
}

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

  /// Returns the number of weeks in a year: 53 if it ends on a Thursday or the previous year ended on a Wednesday.
  private static func weeks(of year: Int) -> Int {
    func lastWeekday(_ year: Int) -> Int { (year + year / 4 - year / 100 + year / 400) % 7 }
    return lastWeekday(year) == 4 || lastWeekday(year - 1) == 3 ? 53 : 52
  }
}
