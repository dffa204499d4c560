/// A parsed pattern of strftime(3).
struct DatePattern {
  enum Piece {
    case text(Character)
    case conversion(Conversion)
    case wrong(String)
  }

  /// A conversion with its flag and width, and the modifiers `E` and `O`, which select other forms in a few locales.
  struct Conversion {
    var flag: Character?
    var width: Int?
    /// Whether a month's name stands without a day: `%OB`.
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
