import ImageCore

/// What the Info dictionary and the XMP packet say alike (ISO 19005-1:2005, 6.7.3).
struct InformationAgreement {
  let packet: XMPForm

  private static let dublinCore = "http://purl.org/dc/elements/1.1/"
  private static let pdf = "http://ns.adobe.com/pdf/1.3/"
  private static let xmp = "http://ns.adobe.com/xap/1.0/"
  /// Entries of Info, and the properties that stand for them.
  private static let names: [(key: String, property: String)] = [
    ("Title", dublinCore + "title"), ("Author", dublinCore + "creator"),
    ("Subject", dublinCore + "description"), ("Keywords", pdf + "Keywords"),
    ("Creator", xmp + "CreatorTool"), ("Producer", pdf + "Producer"),
    ("CreationDate", xmp + "CreateDate"), ("ModDate", xmp + "ModifyDate"),
  ]

  /// A clause for each entry of Info that the packet has otherwise.
  func differences(_ info: [String: String]) -> [String] {
    Self.names.compactMap { key, property in
      guard let stated = info[key], !stated.isEmpty else { return nil }
      let meant = packet.properties[property]
      if let meant, Self.isSame(stated, meant) { return nil }
      return "its Info dictionary has the \(key) \(Fault.quoted(stated)), its XMP metadata "
        + (meant.map(Fault.quoted) ?? "none")
    }
  }

  /// What a changed packet has otherwise than the Info dictionary that was written with it.
  func changes(_ meant: [DocumentExpectation.Entry]) -> [String] {
    let texts = Dictionary(meant.map { ($0.key, $0.text) }, uniquingKeysWith: { first, _ in first })
    return Self.names.filter { !["Producer", "Creator", "ModDate"].contains($0.key) }
      .compactMap { key, property in
        switch (packet.properties[property], texts[key]) {
        case (nil, nil): nil
        case (let found?, let text?) where Self.isSame(text, found): nil
        case (let found?, let text):
          "\(key) is \(Fault.quoted(found)) there, and was "
            + (text.map(Fault.quoted) ?? "not written")
        case (nil, let text?): "\(key) \(Fault.quoted(text)) is missing there"
        }
      }
  }

  private static func isSame(_ info: String, _ property: String) -> Bool {
    guard info != property else { return true }
    guard let first = moment(info), let second = moment(property) else { return false }
    return first == second
  }

  /// Seconds since a fixed day of `D:20231114221320+01'00'` or `2023-11-14T22:13:20+01:00`.
  private static func moment(_ text: String) -> Int? {
    var rest = Array(text.utf8)[...]
    if rest.starts(with: "D:".utf8) { rest = rest.dropFirst(2) }
    let zoneStart =
      rest.dropFirst(10).firstIndex { "Z+-".utf8.contains($0) } ?? rest.endIndex
    // Fractions of a second do not count.
    let time = rest[..<zoneStart].prefix { $0 != UInt8(ascii: ".") }
    let digits = time.filter { (0x30...0x39).contains($0) }.map { Int($0) - 0x30 }
    guard digits.count == 14 else { return nil }
    func two(_ index: Int) -> Int { digits[index] * 10 + digits[index + 1] }
    var (year, month) = (two(0) * 100 + two(2), two(4))
    // Years from March on, so that leap days come last.
    if month < 3 { (year, month) = (year - 1, month + 12) }
    let days =
      365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + two(6)
    var seconds = ((days * 24 + two(8)) * 60 + two(10)) * 60 + two(12)
    let zone = rest[zoneStart...].filter { (0x30...0x39).contains($0) }.map { Int($0) - 0x30 }
    if zone.count == 4 {
      let minutes = (zone[0] * 10 + zone[1]) * 60 + zone[2] * 10 + zone[3]
      seconds += (rest[zoneStart] == UInt8(ascii: "-") ? 60 : -60) * minutes
    }
    return seconds
  }
}
