/// Dates of EXIF, `"2026:07:31 18:05:09"` (Exif 2.32, DateTime), written by a pattern.
enum DateText {
  /// The conversions of strftime(3) that a date without a time zone can answer.
  static let conversions = "aAbBcCdDeFgGhHIjklmMnpPrRStTuUVwWxXyY%"
  /// The GNU flags between `%` and a conversion: no padding, spaces, zeros, capitals.
  static let flags = "-_0^"

  /// The first invalid conversion of a pattern; nil if all are valid.
  static func wrongConversion(in pattern: String) -> String? {
    for piece in pieces(of: pattern) { if case .wrong(let text) = piece { return text } }
    return nil
  }

  /// Writes a date by a pattern of strftime(3), in English; `%e`, `%k` and `%l` have no space in front. Nil for an
  /// invalid date.
  ///
  /// - Precondition: every conversion of the pattern is valid.
  static func text(_ value: String, pattern: String) -> String? { CivilDate(value).map { text($0, pattern) } }

  private static func text(_ date: CivilDate, _ pattern: String) -> String {
    pieces(of: pattern).map { piece in
      switch piece {
      case .text(let character): String(character)
      case .conversion(let name, let flag): styled(field(date, name), flag)
      case .wrong(let text): preconditionFailure("'\(text)' was taken for a date's conversion")
      }
    }.joined()
  }

  private enum Piece {
    case text(Character)
    case conversion(Character, flag: Character?)
    case wrong(String)
  }

  private static func pieces(of pattern: String) -> [Piece] {
    var pieces: [Piece] = []
    var rest = pattern[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        pieces.append(.text(character))
        continue
      }
      let flag = rest.first.flatMap { flags.contains($0) ? $0 : nil }
      if flag != nil { rest.removeFirst() }
      let name = rest.popFirst()
      let written = "%" + [flag, name].compactMap { $0.map { String($0) } }.joined()
      if let name, conversions.contains(name), flag == nil || !"%n".contains(name) && name != "t" {
        pieces.append(.conversion(name, flag: flag))
      } else {
        pieces.append(.wrong(written))
      }
    }
    return pieces
  }

  /// The value of a conversion.
  private enum Field {
    case text(String)
    case number(Int, digits: Int, padding: Character)

    static func number(_ value: Int, _ digits: Int) -> Field { .number(value, digits: digits, padding: "0") }
  }

  private static func styled(_ field: Field, _ flag: Character?) -> String {
    switch field {
    case .text(let text): return flag == "^" ? text.uppercased() : text
    case .number(let value, let digits, let padding):
      let text = String(value)
      let sign: Character? =
        switch flag {
        case "-": nil
        case "_": " "
        case "0": "0"
        default: padding == " " ? nil : padding
        }
      guard let sign, text.count < digits else { return text }
      return String(repeating: sign, count: digits - text.count) + text
    }
  }

  private static func field(_ date: CivilDate, _ name: Character) -> Field {
    let hourOfTwelve = date.hour % 12 == 0 ? 12 : date.hour % 12
    switch name {
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
    case "u": return .number(date.weekday == 0 ? 7 : date.weekday, 1)
    case "w": return .number(date.weekday, 1)
    case "U": return .number((date.dayOfYear + 6 - date.weekday) / 7, 2)
    case "W": return .number((date.dayOfYear + 6 - (date.weekday + 6) % 7) / 7, 2)
    case "V": return .number(date.isoWeek.week, 2)
    case "B": return .text(months[date.month - 1])
    case "b", "h": return .text(String(months[date.month - 1].prefix(3)))
    case "A": return .text(days[date.weekday])
    case "a": return .text(String(days[date.weekday].prefix(3)))
    case "p": return .text(date.hour < 12 ? "AM" : "PM")
    case "P": return .text(date.hour < 12 ? "am" : "pm")
    case "n": return .text("\n")
    case "t": return .text("\t")
    case "%": return .text("%")
    default: return .text(text(date, composed[name]!))
    }
  }

  /// Conversions that combine several, as in the C locale.
  private static let composed: [Character: String] = [
    "c": "%a %b %_d %H:%M:%S %Y", "D": "%m/%d/%y", "x": "%m/%d/%y", "F": "%Y-%m-%d",
    "r": "%I:%M:%S %p", "R": "%H:%M", "T": "%H:%M:%S", "X": "%H:%M:%S",
  ]

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
}
