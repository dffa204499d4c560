/// The marked content of one page (PDF 32000-1:2008, 14.6): what each part of it is, numbered in the order of
/// drawing. Of a book without tags content stays as it is.
struct PageMarks {
  enum Meaning: Hashable {
    /// The picture at a place among the page's.
    case figure(Int)
    /// A text that belongs to it.
    case caption(Int)
    case heading
    case paragraph

    /// Its standard structure type (14.8.4).
    var tag: String {
      switch self {
      case .figure: "Figure"
      case .caption, .paragraph: "P"
      case .heading: "H1"
      }
    }
  }

  /// What is no part of the document's text (14.8.2.2).
  enum Artifact: String {
    /// Colours, borders, crop marks.
    case layout = "/Artifact BMC"
    case header = "/Artifact<</Type/Pagination/Subtype/Header>>BDC"
    case footer = "/Artifact<</Type/Pagination/Subtype/Footer>>BDC"
  }

  let isOn: Bool
  /// By marked-content identifier.
  private(set) var meanings: [Meaning] = []
  /// Entries of the elements of texts; likewise.
  private(set) var entries: [Int: [ElementEntry]] = [:]

  init(isOn: Bool) { self.isOn = isOn }

  mutating func mark(_ content: String, as meaning: Meaning) -> String {
    guard isOn, !content.isEmpty else { return content }
    meanings.append(meaning)
    return Self.closed("/\(meaning.tag)<</MCID \(meanings.count - 1)>>BDC\n", content)
  }

  func mark(_ content: String, as artifact: Artifact) -> String {
    guard isOn, !content.isEmpty else { return content }
    return Self.closed(artifact.rawValue + "\n", content)
  }

  mutating func mark(_ content: String, of text: PlacedText) -> String {
    let before = meanings.count
    let marked =
      switch text.role {
      case .paragraph: mark(content, as: Meaning.paragraph)
      case .heading: mark(content, as: Meaning.heading)
      case .caption(let placement): mark(content, as: Meaning.caption(placement))
      case .header: mark(content, as: Artifact.header)
      case .footer: mark(content, as: Artifact.footer)
      }
    if meanings.count > before { entries[before] = text.elementEntries }
    return marked
  }

  private static func closed(_ start: String, _ content: String) -> String {
    start + content + (content.hasSuffix("\n") ? "EMC\n" : "\nEMC\n")
  }
}

extension PlacedText {
  /// Its language (14.9.2), and of several lines, which have no space between them, all of them as one (14.9.4).
  fileprivate var elementEntries: [ElementEntry] {
    let language: [ElementEntry] =
      LanguageTag.isWellFormed(language) ? [.language(language)] : []
    guard block.lines.count > 1 else { return language }
    return language + [.actualText(AlternativeText.cleaned(block.text))]
  }
}
