import ImageCore

/// A date to be written to files, with the time and the offset from UTC if they are known.
package struct MetadataDate: Sendable, Hashable {
  private let year, month, day: Int
  private let time: (hour: Int, minute: Int, second: Int)?
  /// The offset from UTC in minutes, positive to the east; nil if unknown.
  package let offset: Int?

  /// Parses `2026-07-31`, `2026-07-31 18:05:09` and `2026:07:31 18:05:09`. A time may follow a `T`, omit the seconds,
  /// and end with `Z` or `+02:00`. Returns nil for any other form, or if the day does not exist.
  package init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    func number(_ digits: Int, _ range: ClosedRange<Int>, after separators: String = "") -> Int? {
      if !separators.isEmpty {
        guard let first = bytes.first, separators.utf8.contains(first) else { return nil }
        bytes.removeFirst()
      }
      let part = bytes.prefix(digits)
      guard part.count == digits, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      bytes = bytes.dropFirst(digits)
      let value = part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      return range.contains(value) ? value : nil
    }
    guard let year = number(4, 1...9_999), let month = number(2, 1...12, after: "-:"),
      let day = number(2, 1...31, after: "-:"), day <= StatedDate.days(inMonth: month, of: year)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    guard !bytes.isEmpty else {
      (time, offset) = (nil, nil)
      return
    }
    guard let hour = number(2, 0...23, after: " T"), let minute = number(2, 0...59, after: ":") else { return nil }
    var second = 0
    if bytes.first == UInt8(ascii: ":") {
      guard let given = number(2, 0...59, after: ":") else { return nil }
      second = given
    }
    time = (hour, minute, second)
    switch bytes.first {
    case nil: offset = nil
    case UInt8(ascii: "Z"):
      bytes.removeFirst()
      offset = 0
    default:
      let sign = bytes.first == UInt8(ascii: "-") ? -1 : 1
      guard let hours = number(2, 0...15, after: "+-"), let minutes = number(2, 0...59, after: ":") else { return nil }
      offset = sign * (hours * 60 + minutes)
    }
    guard bytes.isEmpty else { return nil }
  }

  /// Converts a date that was read from a file; nil if it has no day.
  init?(_ stated: StatedDate) {
    guard let month = stated.month, let day = stated.day else { return nil }
    (year, self.month, self.day) = (stated.year, month, day)
    time = stated.hasTime ? (stated.hour, stated.minute, min(stated.second, 59)) : nil
    offset = stated.hasTime ? stated.offset : nil
  }

  package static func == (left: Self, right: Self) -> Bool { left.xmp == right.xmp }
  package func hash(into hasher: inout Hasher) { hasher.combine(xmp) }

  private static func padded(_ number: Int, _ digits: Int = 2) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private func joined(_ parts: [Int], _ separator: String) -> String {
    parts.map { Self.padded($0) }.joined(separator: separator)
  }

  private var dayParts: [String] { [Self.padded(year, 4), Self.padded(month), Self.padded(day)] }
  private var timeParts: [Int] { time.map { [$0.hour, $0.minute, $0.second] } ?? [0, 0, 0] }

  private func zone(_ separator: String) -> String? {
    offset.map { ($0 < 0 ? "-" : "+") + joined([$0.magnitude / 60, $0.magnitude % 60].map { Int($0) }, separator) }
  }

  /// The date and time in the format of EXIF; midnight if the time is unknown.
  package var exif: String { dayParts.joined(separator: ":") + " " + joined(timeParts, ":") }
  /// The offset in the format of EXIF; nil if unknown.
  var exifOffset: String? { zone(":") }
  /// The date, with the time and the offset if they are known, in the format of XMP (ISO 8601).
  var xmp: String {
    dayParts.joined(separator: "-") + (time == nil ? "" : "T" + joined(timeParts, ":") + (zone(":") ?? ""))
  }
  /// The day in the format of IPTC.
  var iptcDay: String { dayParts.joined() }
  /// The time in the format of IPTC; nil if the time or its offset, which IPTC requires, is unknown.
  var iptcTime: String? { time == nil ? nil : zone("").map { joined(timeParts, "") + $0 } }
}
