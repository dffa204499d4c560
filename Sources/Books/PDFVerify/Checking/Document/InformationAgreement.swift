import BookExpectations
import ImageCore

/// Compares the Info dictionary with the XMP packet, which must agree (ISO 19005-1:2005, 6.7.3).
struct InformationAgreement {
  let packet: XMPForm

  private static let dublinCore = "http://purl.org/dc/elements/1.1/"
  private static let pdf = "http://ns.adobe.com/pdf/1.3/"
  private static let xmp = "http://ns.adobe.com/xap/1.0/"
  /// The entries of Info with the corresponding XMP properties.
  private static let names: [(key: String, property: String)] = [
    ("Title", dublinCore + "title"), ("Author", dublinCore + "creator"),
    ("Subject", dublinCore + "description"), ("Keywords", pdf + "Keywords"),
    ("Creator", xmp + "CreatorTool"), ("Producer", pdf + "Producer"),
    ("CreationDate", xmp + "CreateDate"), ("ModDate", xmp + "ModifyDate"),
  ]

  /// Returns a clause for each entry of Info that contradicts the packet.
  func differences(_ info: [String: String]) -> [String] {
    Self.names.compactMap { key, property in
      guard let stated = info[key], !stated.isEmpty else { return nil }
      let meant = packet.properties[property]
      if let meant, Self.isSame(stated, meant) { return nil }
      return "its Info dictionary has the \(key) \(FaultText.quoted(stated)), its XMP metadata "
        + (meant.map(FaultText.quoted) ?? "none")
    }
  }

  /// Returns a clause for each contradiction between a changed packet and the Info dictionary as it was written.
  func changes(_ meant: [DocumentExpectation.Entry]) -> [String] {
    let texts = Dictionary(meant.map { ($0.key, $0.text) }, uniquingKeysWith: { first, _ in first })
    return Self.names.filter { !["Producer", "Creator", "ModDate"].contains($0.key) }.compactMap { key, property in
      switch (packet.properties[property], texts[key]) {
      case (nil, nil): nil
      case (let found?, let text?) where Self.isSame(text, found): nil
      case (let found?, let text):
        "\(key) is \(FaultText.quoted(found)) there, and was " + (text.map(FaultText.quoted) ?? "not written")
      case (nil, let text?): "\(key) \(FaultText.quoted(text)) is missing there"
      }
    }
  }

  private static func isSame(_ info: String, _ property: String) -> Bool {
    guard info != property else { return true }
    guard let first = PDFDate(info), let second = PDFDate(property) else { return false }
    return first.isSame(as: second)
  }
}

/// A date and time as in Info and XMP: `D:20231114221320+01'00'` (PDF 32000-1:2008, 7.9.4) or
/// `2023-11-14T22:13:20+01:00` (ISO 8601). Trailing parts, from the seconds back to the month, may be omitted.
struct PDFDate {
  /// The digits of the parts that are present, from the year to the seconds.
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
