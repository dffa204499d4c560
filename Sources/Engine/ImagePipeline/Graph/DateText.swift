import ImageMetadata
import Platform

/// Formats dates of EXIF and XMP according to a pattern.
enum DateText {
  /// The conversions of strftime(3).
  static let conversions = "aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%"
  /// The GNU flags between `%` and a conversion: no padding, spaces, zeros, capitals, the other case.
  static let flags = "-_0^#"

  /// Returns the first invalid conversion in a pattern; nil if all are valid.
  static func wrongConversion(in pattern: String) -> String? {
    for piece in DatePattern(pattern).pieces { if case .wrong(let text) = piece { return text } }
    return nil
  }

  /// Returns whether a pattern contains the time zone, or a moment that depends on it.
  static func needsZone(_ pattern: String) -> Bool {
    DatePattern(pattern).pieces.contains {
      if case .conversion(let conversion) = $0 { "zZs".contains(conversion.name) } else { false }
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

  /// Formats a valid date.
  static func text(_ date: CivilDate, offset: Int?, pattern: String, locale: TimeLocale) -> String {
    Writer(date: date, offset: offset, locale: locale).text(pattern)
  }

  /// The value of a conversion.
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

    /// Returns the value of a conversion that produces words of the locale, or several values.
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
