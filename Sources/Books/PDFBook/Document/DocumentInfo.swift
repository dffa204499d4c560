import ImageCore

/// The document information, written to the Info dictionary (PDF 32000-1:2008, 14.3.3) and to XMP.
package struct DocumentInfo: Sendable, Hashable {
  package var title: String
  package var author: String
  package var subject: String
  package var keywords: String
  /// Further entries by name. `problem(withEntry:)` states which names are allowed.
  package var entries: [String: String]
  /// The time of creation in seconds since 1970: `SOURCE_DATE_EPOCH`, or else for PDF/X the current time. Nil for no
  /// date, so that equal pictures give equal bytes.
  package var creationTime: Int?

  package init(
    title: String = "", author: String = "", subject: String = "", keywords: String = "",
    entries: [String: String] = [:], creationTime: Int? = nil
  ) {
    self.title = title
    self.author = author
    self.subject = subject
    self.keywords = keywords
    self.entries = entries
    self.creationTime = creationTime
  }

  static let producer = "imghost"

  /// Returns the Info dictionary.
  ///
  /// - Parameter print: the PDF/X statement; nil for files that are not for print.
  func dictionary(_ print: PrintStatement?) -> String {
    var text = "<<"
    for (key, value) in namedEntries { text += "/\(key)\(PDFString.text(value))" }
    text += "/Producer(\(Self.producer))"
    if let creationTime { text += "/CreationDate\(PDFString.date(creationTime))" }
    text += print?.entries ?? ""
    return text + ">>"
  }

  /// The text entries that are not empty, with their names in the dictionary.
  var namedEntries: [(String, String)] {
    ([("Title", title), ("Author", author), ("Subject", subject), ("Keywords", keywords)]
      + sortedEntries).filter { !$0.1.isEmpty }
  }

  /// The further entries, sorted so that every run writes the same order.
  var sortedEntries: [(String, String)] { entries.sorted { $0.key < $1.key } }

  /// All texts, with the options that set them.
  var optionTexts: [(String, String)] {
    [("title", title), ("author", author), ("subject", subject), ("keywords", keywords)]
      + sortedEntries.map { ("metadata.\($0)", $1) }
  }

  var isEmpty: Bool {
    title.isEmpty && author.isEmpty && subject.isEmpty && keywords.isEmpty && entries.isEmpty && creationTime == nil
  }

  /// All mistakes: invalid names of entries, control characters, which XML does not allow, and invalid UTF-8.
  package var problems: [OptionProblem] {
    var problems = entries.keys.sorted().compactMap(Self.problem)
    let texts = optionTexts
    for (name, text) in texts where !text.unicodeScalars.allSatisfy(XMLText.isLegal) {
      problems.add(name, "contains a control character, which a PDF's metadata cannot hold")
    }
    for (name, text) in texts where text.unicodeScalars.contains("\u{fffd}") {
      problems.add(name, "is not valid UTF-8 (or contains U+FFFD)")
    }
    return problems
  }

  /// Returns why a name is not allowed for an entry; nil if it is allowed. Names are up to 100 ASCII letters, digits
  /// and `_`, beginning with a letter, so that they are also valid XML names.
  static func problem(withEntry name: String) -> OptionProblem? {
    let known = ["Title", "Author", "Subject", "Keywords"]
    if known.contains(name) { return OptionProblem("metadata.\(name)", "has its own option: \(name.lowercased())") }
    if ["Creator", "Producer", "CreationDate", "ModDate", "Trapped", "GTS_PDFXVersion"].contains(name) {
      return OptionProblem("metadata.\(name)", "is set by imghost; leave it out")
    }
    let letters = Array(name.utf8)
    let isName =
      letters.first.map { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a } ?? false
      && letters.allSatisfy {
        (0x30...0x39).contains($0) || $0 == 0x5f || (0x61...0x7a).contains($0 | 0x20)
      }
    return isName && letters.count <= 100
      ? nil : OptionProblem("metadata", "cannot have an entry '\(name)'; names are letters, digits and '_'")
  }
}
