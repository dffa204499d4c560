/// Dates as EXIF writes them, `"2026:07:31 18:05:09"` (Exif 2.32, DateTime), as people want to read them.
enum DateText {
  /// The date by a pattern with `%Y %y %m %d %e %H %M %S` (`%e` is the day without a zero) and, in English,
  /// `%B %b`; `%%` is a percent sign. Nil for what is no such date.
  static func text(_ value: String, pattern: String) -> String? {
    let parts = value.split(whereSeparator: { $0 == ":" || $0 == " " })
    guard parts.count == 6, parts[0].count == 4, parts.dropFirst().allSatisfy({ $0.count == 2 }),
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let month = Int(parts[1]), (1...12).contains(month)
    else { return nil }
    var result = ""
    var isSpecial = false
    for character in pattern {
      if !isSpecial {
        isSpecial = character == "%"
        if !isSpecial { result.append(character) }
        continue
      }
      isSpecial = false
      switch character {
      case "Y": result += parts[0]
      case "y": result += parts[0].suffix(2)
      case "m": result += parts[1]
      case "d": result += parts[2]
      case "e": result += parts[2].first == "0" ? parts[2].dropFirst() : parts[2]
      case "H": result += parts[3]
      case "M": result += parts[4]
      case "S": result += parts[5]
      case "B": result += months[month - 1]
      case "b": result += months[month - 1].prefix(3)
      case "%": result.append("%")
      default: result += "%\(character)"
      }
    }
    return result
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
