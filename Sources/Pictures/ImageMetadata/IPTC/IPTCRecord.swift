import ImageCore

/// The datasets of an IPTC-IIM block (Information Interchange Model 4.2), in the order of the block.
package struct IPTCRecord: Sendable, Hashable {
  struct Dataset: Sendable, Hashable {
    /// The number of the record, and the dataset's number in that record: 2 and 116 for the copyright notice.
    let record: UInt8
    let number: UInt8
    var bytes: [UInt8]
  }

  private(set) var datasets: [Dataset] = []
  /// Whether texts are UTF-8, according to dataset 1:90.
  private var isUTF8 = false

  /// The maximum size of a block in bytes.
  package static let maximumByteCount = 1 << 20
  private static let maximumCount = 10_000
  /// The escape sequence for UTF-8 in dataset 1:90.
  private static let utf8: [UInt8] = [0x1b, 0x25, 0x47]

  package init() {}

  /// Returns the reason why a block cannot be parsed.
  static func problem(_ bytes: [UInt8]) -> String {
    bytes.count > maximumByteCount ? "it has more than 1 MB" : "it is damaged"
  }

  /// Parses a block; nil if it is not IPTC, ends inside a dataset, is too large, or has more than 10,000 datasets.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maximumByteCount else { return nil }
    var offset = 0
    while offset < bytes.count {
      // Blocks may be padded with zeros.
      if bytes[offset] == 0, bytes[offset...].allSatisfy({ $0 == 0 }) { break }
      guard bytes[offset] == 0x1c, offset + 5 <= bytes.count, datasets.count < Self.maximumCount else { return nil }
      var length = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
      var start = offset + 5
      if length & 0x8000 != 0 {
        // In an extended dataset, the number of length bytes comes first, then the length.
        let size = length & 0x7fff
        guard size <= 4, start + size <= bytes.count else { return nil }
        length = bytes[start..<start + size].reduce(0) { $0 << 8 | Int($1) }
        start += size
      }
      guard length <= bytes.count - start else { return nil }
      datasets.append(
        Dataset(record: bytes[offset + 1], number: bytes[offset + 2], bytes: Array(bytes[start..<start + length])))
      offset = start + length
    }
    isUTF8 = datasets.contains { $0.record == 1 && $0.number == 90 && $0.bytes == Self.utf8 }
  }

  package var isEmpty: Bool { !datasets.contains { $0.record == 2 && $0.number != 0 } }

  /// The encoded block; empty if the application record has no dataset except its version (number 0).
  package var bytes: [UInt8] {
    guard !isEmpty else { return [] }
    return datasets.flatMap { dataset -> [UInt8] in
      let count = dataset.bytes.count
      let head: [UInt8] = [0x1c, dataset.record, dataset.number]
      let length: [UInt8] =
        count < 0x8000
        ? [UInt8(count >> 8), UInt8(count & 0xff)]
        : [0x80, 4] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - $0 * 8)) }
      return head + length + dataset.bytes
    }
  }

  /// Removes datasets of the application record by their numbers. The record's version (number 0) is always kept.
  package mutating func removeAll(where isUnwanted: (UInt8) -> Bool) {
    datasets.removeAll { $0.record == 2 && $0.number != 0 && isUnwanted($0.number) }
  }

  /// Replaces the texts of a dataset in the application record, and marks the block as UTF-8. Texts are truncated to
  /// the sizes in `IPTCNames.limits`, or to 2,000 bytes.
  package mutating func set(_ number: UInt8, to texts: [String]) {
    becomeUTF8()
    removeAll { $0 == number }
    let limit = IPTCNames.limits[number] ?? 2_000
    datasets += texts.map { Dataset(record: 2, number: number, bytes: Self.cut($0, to: limit)) }
    // Sorting by the offset as well keeps repeated datasets in order.
    datasets = datasets.enumerated().sorted {
      ($0.element.record, $0.element.number, $0.offset) < ($1.element.record, $1.element.number, $1.offset)
    }.map(\.element)
  }

  /// Truncates a text at a character boundary.
  private static func cut(_ text: String, to limit: Int) -> [UInt8] {
    var bytes = Array(text.utf8.prefix(limit + 1))
    guard bytes.count > limit else { return bytes }
    while let last = bytes.popLast() {
      // The byte that was removed last begins a character, so the remaining text ends at a character boundary.
      if last & 0xc0 != 0x80, bytes.count <= limit { break }
    }
    return bytes
  }

  private mutating func becomeUTF8() {
    guard !isUTF8 else { return }
    for index in datasets.indices where datasets[index].record == 2 && datasets[index].number != 0 {
      datasets[index].bytes = Array(text(datasets[index]).utf8)
    }
    datasets.removeAll { $0.record == 1 && $0.number == 90 }
    datasets.insert(Dataset(record: 1, number: 90, bytes: Self.utf8), at: 0)
    if !datasets.contains(where: { $0.record == 2 && $0.number == 0 }) {
      datasets.append(Dataset(record: 2, number: 0, bytes: [0, 4]))
    }
    isUTF8 = true
  }

  /// Returns the texts of a dataset in the application record.
  package func texts(_ number: UInt8) -> [String] {
    datasets.filter { $0.record == 2 && $0.number == number }.map(text)
  }

  /// Returns the text of a dataset. In a block that does not declare UTF-8, text that is not valid UTF-8 is decoded as
  /// Latin-1.
  private func text(_ dataset: Dataset) -> String {
    String(validating: dataset.bytes, as: UTF8.self)
      ?? (isUTF8
        ? String(decoding: dataset.bytes, as: UTF8.self)
        : String(String.UnicodeScalarView(dataset.bytes.map { Unicode.Scalar($0) })))
  }

  /// The texts by ExifTool's names, such as `By-line` and `Keywords`. A dataset that may be repeated has a list of
  /// texts.
  package var fields: [String: MetadataValue] {
    var fields: [String: MetadataValue] = [:]
    for (number, name) in IPTCNames.names {
      let texts = texts(number)
      guard !texts.isEmpty else { continue }
      fields[name] = IPTCNames.repeatable.contains(number) ? .texts(texts) : .text(texts[0])
    }
    return fields
  }
}

/// The datasets of the application record (IIM 4.2, record 2) whose values are texts.
package enum IPTCNames {
  static let names: [UInt8: String] = [
    3: "ObjectTypeReference", 4: "ObjectAttributeReference", 5: "ObjectName", 7: "EditStatus", 8: "EditorialUpdate",
    10: "Urgency", 12: "SubjectReference", 15: "Category", 20: "SupplementalCategories", 22: "FixtureIdentifier",
    25: "Keywords", 26: "ContentLocationCode", 27: "ContentLocationName", 30: "ReleaseDate", 35: "ReleaseTime",
    37: "ExpirationDate", 38: "ExpirationTime", 40: "SpecialInstructions", 42: "ActionAdvised",
    45: "ReferenceService", 47: "ReferenceDate", 50: "ReferenceNumber", 55: "DateCreated", 60: "TimeCreated",
    62: "DigitalCreationDate", 63: "DigitalCreationTime", 65: "OriginatingProgram", 70: "ProgramVersion",
    75: "ObjectCycle", 80: "By-line", 85: "By-lineTitle", 90: "City", 92: "Sub-location", 95: "Province-State",
    100: "Country-PrimaryLocationCode", 101: "Country-PrimaryLocationName", 103: "OriginalTransmissionReference",
    105: "Headline", 110: "Credit", 115: "Source", 116: "CopyrightNotice", 118: "Contact", 120: "Caption-Abstract",
    121: "LocalCaption", 122: "Writer-Editor", 130: "ImageType", 131: "ImageOrientation",
    135: "LanguageIdentifier", 184: "JobID", 185: "MasterDocumentID", 186: "ShortDocumentID",
    187: "UniqueDocumentID", 188: "OwnerID",
  ]

  /// All names in the order of the datasets' numbers.
  package static var all: [String] { names.sorted { $0.key < $1.key }.map(\.value) }

  /// The parts of names before the first hyphen, if they have more than two letters. Scripts may use them instead of
  /// the full names.
  package static var firstWords: [String] {
    all.compactMap { name in name.firstIndex(of: "-").map { String(name[..<$0]) } }.filter { $0.count > 2 }
  }

  /// Common short names of datasets whose first word is ambiguous or less descriptive.
  private static let short = [
    "title": "ObjectName", "country": "Country-PrimaryLocationName", "copyright": "CopyrightNotice",
    "byline": "By-line",
  ]

  /// Returns the name that a text stands for, which may be a full name, its first word (`Caption` for
  /// `Caption-Abstract`) or a common short name. Case, hyphens, slashes and spaces do not matter. Returns nil for any
  /// other text.
  package static func name(meaning text: String) -> String? {
    func plain(_ text: some StringProtocol) -> String {
      text.lowercased().filter { $0 != "-" && $0 != "/" && $0 != " " }
    }
    let wanted = plain(text)
    if let name = short[wanted] ?? all.first(where: { plain($0) == wanted }) { return name }
    return all.first { plain($0.prefix { $0 != "-" }) == wanted }
  }

  static let repeatable: Set<UInt8> = [4, 12, 20, 25, 26, 27, 45, 47, 50, 80, 85, 118, 122]

  /// The maximum sizes in bytes of the texts that imghost writes (IIM 4.2, chapter 6).
  static let limits: [UInt8: Int] = [
    5: 64, 10: 1, 15: 3, 20: 32, 25: 64, 40: 256, 80: 32, 85: 32, 90: 32, 92: 32, 95: 32, 100: 3, 101: 64, 103: 32,
    105: 256, 110: 32, 115: 32, 116: 128, 120: 2_000, 122: 32,
  ]
}

/// Photoshop's image resources, in which JPEG and PNG files contain IPTC (Photoshop File Formats Specification, 2019).
package enum PhotoshopResources {
  private static let signature = Array("8BIM".utf8)
  private static let iptc = 0x0404

  /// Returns the IPTC block in the resources; empty if there is none, nil if the resources are damaged.
  package static func iptcBlock(_ bytes: [UInt8]) -> [UInt8]? {
    var offset = 0
    while offset + 12 <= bytes.count {
      guard Array(bytes[offset..<offset + 4]) == signature else { return nil }
      let number = Int(bytes[offset + 4]) << 8 | Int(bytes[offset + 5])
      // The name, including its length byte, is padded to an even number of bytes.
      let size = offset + 6 + (Int(bytes[offset + 6]) + 2) / 2 * 2
      guard size + 4 <= bytes.count else { return nil }
      let length = bytes[size..<size + 4].reduce(0) { $0 << 8 | Int($1) }
      let start = size + 4
      guard length <= bytes.count - start else { return nil }
      if number == iptc { return Array(bytes[start..<start + length]) }
      offset = start + length + length % 2
    }
    return []
  }

  /// Returns resources that contain only this IPTC block. Other resources would show or describe the original picture.
  package static func holding(_ block: [UInt8]) -> [UInt8] {
    let length = (0..<4).map { UInt8(truncatingIfNeeded: block.count >> (24 - $0 * 8)) }
    return signature + [UInt8(iptc >> 8), UInt8(iptc & 0xff), 0, 0] + length + block
      + (block.count % 2 == 0 ? [] : [0])
  }
}
