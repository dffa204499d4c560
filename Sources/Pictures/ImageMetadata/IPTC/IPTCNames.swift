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

  /// All names in the order of their numbers.
  package static var all: [String] { names.sorted { $0.key < $1.key }.map(\.value) }

  /// The names up to their first hyphen, which are sufficient to identify them.
  package static var firstWords: [String] {
    all.compactMap { name in name.firstIndex(of: "-").map { String(name[..<$0]) } }.filter { $0.count > 2 }
  }

  /// The common short names, for datasets whose first word is ambiguous or less descriptive.
  private static let short = [
    "title": "ObjectName", "country": "Country-PrimaryLocationName", "copyright": "CopyrightNotice",
    "byline": "By-line",
  ]

  /// Returns the name that a text refers to, in any case and without hyphens: the full name, or its first word, such as
  /// `Caption` for `Caption-Abstract`. Nil for any other text.
  package static func name(meaning text: String) -> String? {
    func plain(_ text: some StringProtocol) -> String {
      text.lowercased().filter { $0 != "-" && $0 != "/" && $0 != " " }
    }
    let wanted = plain(text)
    if let name = short[wanted] ?? all.first(where: { plain($0) == wanted }) { return name }
    return all.first { plain($0.prefix { $0 != "-" }) == wanted }
  }

  static let repeatable: Set<UInt8> = [4, 12, 20, 25, 26, 27, 45, 47, 50, 80, 85, 118, 122]

  /// The maximum sizes in bytes of the texts that imghost writes.
  static let limits: [UInt8: Int] = [5: 64, 25: 64, 80: 32, 116: 128, 120: 2_000]
}
