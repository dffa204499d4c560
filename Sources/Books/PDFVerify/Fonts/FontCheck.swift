/// Judges the fonts of a document, each on the first page that uses it.
struct FontCheck {
  /// Under PDF/A every font is embedded (ISO 19005-1:2005, 6.3.4); elsewhere readers bring the 14 standard
  /// ones.
  let archivalPart: Int?
  /// Whether somebody wants all of them embedded.
  let isStrict: Bool
  /// Whether the document says how it was written.
  let isWritten: Bool

  func check(_ pages: inout [PageChecker.Result]) -> [FontReport] {
    var reports: [FontReport] = []
    var seen: [FontFacts] = []
    for index in pages.indices {
      for font in pages[index].fonts where !seen.contains(font) {
        seen.append(font)
        pages[index].faults += faults(of: font)
        reports.append(
          FontReport(
            name: font.name, isEmbedded: font.program == .embedded,
            isSearchable: font.isSearchable, page: index + 1))
      }
    }
    return reports
  }

  private func faults(of font: FontFacts) -> [Fault] {
    var faults: [Fault] = []
    switch font.program {
    case .embedded: break
    case .standard:
      faults.append(
        archivalPart.map { .fontMissingInArchive(font.name, part: $0) }
          ?? (isStrict ? .fontMissing(font.name) : .fontStandard(font.name)))
    case .missing: faults.append(.fontMissing(font.name))
    case .damaged(let reason): faults.append(.fontDamaged(font.name, reason))
    }
    faults += font.typeFaults.map { .structure($0, isError: isWritten) }
    if !font.isSearchable { faults.append(.fontNotSearchable(font.name)) }
    return faults
  }
}
