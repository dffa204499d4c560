/// The words and formats of dates in a language and country.
public struct TimeLocale: Sendable, Hashable {
  /// The months from January, in full and abbreviated.
  public var months: [String]
  public var shortMonths: [String]
  /// The months when used without a day, which some languages write differently.
  public var aloneMonths: [String]
  /// The days from Sunday, in full and abbreviated.
  public var days: [String]
  public var shortDays: [String]
  /// The words for before and after noon; two empty texts if clocks have 24 hours.
  public var halves: [String]
  /// Patterns of strftime(3): date and time, date, time, and 12-hour time.
  public var dateAndTime: String
  public var date: String
  public var time: String
  public var timeOfTwelve: String

  /// English, with the forms of the C locale.
  public static let english = TimeLocale(
    months: [
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
      "December",
    ],
    days: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"])

  private init(months: [String], days: [String]) {
    self.months = months
    self.days = days
    aloneMonths = months
    shortMonths = months.map { String($0.prefix(3)) }
    shortDays = days.map { String($0.prefix(3)) }
    halves = ["AM", "PM"]
    (dateAndTime, date, time) = ("%a %b %_d %H:%M:%S %Y", "%m/%d/%y", "%H:%M:%S")
    timeOfTwelve = "%I:%M:%S %p"
  }

  /// Loads a locale of the system, given as `de_DE`, `de-DE` or `de_DE.UTF-8`; a language alone, such as `de`, stands
  /// for `de_DE`. Nil if the locale is not installed in UTF-8. Wraps `newlocale(3)` and `nl_langinfo_l(3)`.
  public init?(_ name: String) {
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }) else { return nil }
    let plain = name.split(separator: ".", omittingEmptySubsequences: false)[0].split(separator: "-")
      .joined(separator: "_")
    var candidates = [name, plain + ".UTF-8"]
    if !plain.contains("_") { candidates.append("\(plain)_\(plain.uppercased()).UTF-8") }
    let found = candidates.lazy.compactMap { candidate in
      // Encodings other than UTF-8 are not supported.
      candidate.lowercased().contains("utf") ? newlocale(1 << LC_TIME | 1 << LC_CTYPE, candidate, nil) : nil
    }.first
    guard let locale = found else { return nil }
    defer { freelocale(locale) }
    func text(_ item: Int) -> String { nl_langinfo_l(nl_item(item), locale).map { String(cString: $0) } ?? "" }
    func texts(_ first: Int, _ count: Int) -> [String] { (0..<count).map { text(first + $0) } }
    self = .english
    months = texts(Int(MON_1), 12)
    shortMonths = texts(Int(ABMON_1), 12)
    // __ALTMON_1 of glibc 2.27; empty in locales without it.
    let alone = texts(Int(LC_TIME) << 16 + 111, 12)
    aloneMonths = alone.contains("") ? months : alone
    days = texts(Int(DAY_1), 7)
    shortDays = texts(Int(ABDAY_1), 7)
    halves = texts(Int(AM_STR), 2)
    (dateAndTime, date, time) = (text(Int(D_T_FMT)), text(Int(D_FMT)), text(Int(T_FMT)))
    let twelve = text(Int(T_FMT_AMPM))
    timeOfTwelve = twelve.isEmpty ? time : twelve
  }
}
