/// A date and time as in Info and XMP: `D:20231114221320+01'00'` (PDF 32000-1:2008, 7.9.4) or
/// `2023-11-14T22:13:20+01:00` (ISO 8601). Trailing parts, from the seconds back to the month, may be omitted.
struct PDFDate {
  /// The parts that are present, from the year to the seconds.
  private let digits: [Int]
  /// The zone's offset from UTC in minutes.
  private let zone: Int

  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    if rest.starts(with: "D:".utf8) { rest = rest.dropFirst(2) }
    let zoneStart =
      rest.dropFirst(10).firstIndex { "Z+-".utf8.contains($0) } ?? rest.endIndex
    // Fractions of a second are ignored.
    digits = Self.digits(rest[..<zoneStart].prefix { $0 != UInt8(ascii: ".") })
    guard digits.count >= 4, digits.count <= 14, digits.count % 2 == 0 else { return nil }
    let zone = Self.digits(rest[zoneStart...])
    guard zone.count == 2 || zone.count == 4 else {
      self.zone = 0
      return
    }
    let minutes = (zone[0] * 10 + zone[1]) * 60 + (zone.count == 4 ? zone[2] * 10 + zone[3] : 0)
    self.zone = rest[zoneStart] == UInt8(ascii: "-") ? -minutes : minutes
  }

  private static func digits(_ text: ArraySlice<UInt8>) -> [Int] {
    text.filter { (0x30...0x39).contains($0) }.map { Int($0) - 0x30 }
  }

  /// Returns whether two dates agree in the components that both have.
  func isSame(as other: PDFDate) -> Bool {
    let count = min(digits.count, other.digits.count)
    // Without an hour, the time zone has no meaning.
    guard count >= 10 else { return digits.prefix(count) == other.digits.prefix(count) }
    let unit = count == 14 ? 1 : count == 12 ? 60 : 3_600
    func rounded(_ date: PDFDate) -> Int { Int((Double(date.seconds) / Double(unit)).rounded(.down)) }
    return rounded(self) == rounded(other)
  }

  /// The seconds since a fixed day.
  private var seconds: Int {
    let digits = digits + [Int](repeating: 0, count: 14 - digits.count)
    func two(_ index: Int) -> Int { digits[index] * 10 + digits[index + 1] }
    var (year, month) = (two(0) * 100 + two(2), two(4))
    // Years begin in March, so that leap days come last.
    if month < 3 { (year, month) = (year - 1, month + 12) }
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + two(6)
    return ((days * 24 + two(8)) * 60 + two(10) - zone) * 60 + two(12)
  }
}
