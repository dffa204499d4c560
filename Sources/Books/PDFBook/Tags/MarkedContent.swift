import BookExpectations

/// The marked content of one page (PDF 32000-1:2008, 14.6), numbered in drawing order. In an untagged book, no content
/// is marked.
struct MarkedContent {
  enum Meaning: Hashable {
    /// A picture, given by its index in the page's placements.
    case figure(Int)
    /// A text in the caption of a picture, given by the picture's index in the page's placements.
    case caption(Int)
    case heading
    case paragraph

    /// The standard structure type (14.8.4).
    var tag: String {
      switch self {
      case .figure: "Figure"
      case .caption, .paragraph: "P"
      case .heading: "H1"
      }
    }
  }

  /// Content that is not read aloud, because it is not part of the document's text (14.8.2.2).
  enum Artifact: String {
    /// Background colours, borders, crop marks and the like.
    case layout = "/Artifact BMC"
    case header = "/Artifact<</Type/Pagination/Subtype/Header>>BDC"
    case footer = "/Artifact<</Type/Pagination/Subtype/Footer>>BDC"
  }

  let isOn: Bool
  /// The meanings by marked-content identifier.
  private(set) var meanings: [Meaning] = []
  /// The entries of the structure elements of texts, by marked-content identifier.
  private(set) var entries: [Int: [ElementEntry]] = [:]

  init(isOn: Bool) { self.isOn = isOn }

  mutating func mark(_ content: UTF8Text, as meaning: Meaning) -> UTF8Text {
    guard isOn, !content.isEmpty else { return content }
    meanings.append(meaning)
    return Self.closed("/\(meaning.tag)<</MCID \(meanings.count - 1)>>BDC\n", content)
  }

  func mark(_ content: UTF8Text, as artifact: Artifact) -> UTF8Text {
    guard isOn, !content.isEmpty else { return content }
    return Self.closed("\(artifact.rawValue)\n", content)
  }

  mutating func mark(_ content: UTF8Text, of text: PlacedText) -> UTF8Text {
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

  private static func closed(_ start: UTF8Text, _ content: UTF8Text) -> UTF8Text {
    let end: UTF8Text = content.bytes.last == UInt8(ascii: "\n") ? "EMC\n" : "\nEMC\n"
    return "\(start)\(content)\(end)"
  }
}

extension PlacedText {
  /// The entries for the text's language (14.9.2) and, if it has several lines, for its full text (14.9.4), because
  /// lines are drawn without spaces between them.
  fileprivate var elementEntries: [ElementEntry] {
    let language: [ElementEntry] =
      LanguageTag.isWellFormed(language) ? [.language(language)] : []
    guard block.lines.count > 1 else { return language }
    return language + [.actualText(AlternativeText.cleaned(block.text))]
  }
}
