/// Checks that fonts are embedded and searchable. The faults of a font are reported for the first page that uses it.
struct FontCheck: ResultCheck {
  func check(_ document: DocumentContext, _ pages: inout [PageResult]) -> [Fault] {
    let rules = FontRules(
      archivalPart: document.metadata.archivalPart, isStrict: document.settings.requirements.hasEmbeddedFonts,
      isWritten: document.isWritten, claim: PrintClaim(document.file, document.metadata.packet))
    for (font, index) in Self.firstUses(pages) { pages[index].faults += rules.faults(of: font) }
    return []
  }

  static func reports(_ pages: [PageResult]) -> [FontReport] {
    firstUses(pages).map { font, index in
      FontReport(
        name: font.name, isEmbedded: font.program == .embedded, isSearchable: font.isSearchable,
        page: index + 1)
    }
  }

  /// Returns each font with the first page that uses it, from 0.
  private static func firstUses(_ pages: [PageResult]) -> [(font: FontFacts, page: Int)] {
    var found: [(font: FontFacts, page: Int)] = []
    for index in pages.indices {
      for font in pages[index].fonts where !found.contains(where: { $0.font == font }) {
        found.append((font, index))
      }
    }
    return found
  }
}

private struct FontRules {
  /// The part of PDF/A that the document claims; nil for none. PDF/A requires all fonts to be embedded (ISO
  /// 19005-1:2005, 6.3.4), whereas readers of other files supply the 14 standard fonts.
  let archivalPart: Int?
  /// Whether all fonts are required to be embedded.
  let isStrict: Bool
  /// Whether there are expectations of the document.
  let isWritten: Bool
  /// The standard for print that the document claims, which also requires all fonts to be embedded.
  let claim: PrintClaim?

  func faults(of font: FontFacts) -> [Fault] {
    var faults: [Fault] = []
    switch font.program {
    case .embedded: break
    case .standard:
      faults.append(
        archivalPart.map { .font(.notEmbeddedInArchive(font.name, part: $0)) }
          ?? claim?.fault("the font \(font.name) is not embedded")
          ?? (isStrict ? .font(.notEmbedded(font.name)) : .font(.standard(font.name))))
    case .missing: faults.append(.font(.notEmbedded(font.name)))
    case .damaged(let reason): faults.append(.font(.damaged(font.name, reason)))
    }
    faults += font.typeFaults.map { .structure($0, isError: isWritten) }
    if !font.isSearchable { faults.append(.font(.notSearchable(font.name))) }
    return faults
  }
}
