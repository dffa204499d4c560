/// What a book says about itself, in the Info dictionary (PDF 32000-1:2008, 14.3.3) and in XMP alike.
public struct DocumentInfo: Sendable, Hashable {
  public var title: String
  public var author: String
  public var subject: String
  public var keywords: String
  /// Further entries, by name: see `problem(withEntry:)`.
  public var entries: [String: String]
  /// Seconds since 1970, from `SOURCE_DATE_EPOCH`; nil for no date, so that the same pictures give
  /// the same bytes.
  public var creationTime: Int?

  public init(
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

  /// What made the file.
  static let producer = "imghost"

  /// The dictionary's text.
  var dictionary: String {
    var text = "<<"
    for (key, value) in namedEntries { text += "/\(key)\(PDFString.text(value))" }
    text += "/Producer(\(Self.producer))"
    if let creationTime { text += "/CreationDate\(PDFString.date(creationTime))" }
    return text + ">>"
  }

  /// The entries that are text, by their names in the dictionary; blank ones are left out.
  var namedEntries: [(String, String)] {
    ([("Title", title), ("Author", author), ("Subject", subject), ("Keywords", keywords)]
      + sortedEntries).filter { !$0.1.isEmpty }
  }

  /// The further entries in one order on every run.
  var sortedEntries: [(String, String)] { entries.sorted { $0.key < $1.key } }

  /// Whether there is anything to say.
  var isEmpty: Bool {
    title.isEmpty && author.isEmpty && subject.isEmpty && keywords.isEmpty && entries.isEmpty
      && creationTime == nil
  }

  /// Everything that is wrong with it, a clause each: control characters, which XML cannot hold, and names
  /// that an entry cannot have.
  public var problems: [String] {
    var problems = entries.keys.sorted().compactMap(Self.problem)
    for (name, text) in [
      ("title", title), ("author", author), ("subject", subject), ("keywords", keywords),
    ] + sortedEntries.map({ ("metadata.\($0)", $1) }) where !XMPPacket.isLegal(text) {
      problems.append("'\(name)' contains a control character, which a PDF's metadata cannot hold")
    }
    for (name, text) in [
      ("title", title), ("author", author), ("subject", subject), ("keywords", keywords),
    ] + sortedEntries.map({ ("metadata.\($0)", $1) }) where text.unicodeScalars.contains("\u{fffd}")
    {
      problems.append("'\(name)' is not valid UTF-8 (or contains U+FFFD)")
    }
    return problems
  }

  /// Why an entry cannot have a name; nil where it can. Names are ASCII letters, digits and `_` after a
  /// letter, so that they are names of XML, too.
  static func problem(withEntry name: String) -> String? {
    let known = ["Title", "Author", "Subject", "Keywords"]
    if known.contains(name) {
      return "'metadata.\(name)' is an option of its own: \(name.lowercased())"
    }
    if ["Creator", "Producer", "CreationDate", "ModDate", "Trapped"].contains(name) {
      return "'metadata.\(name)' is for imghost to say"
    }
    let letters = Array(name.utf8)
    let isName =
      letters.first.map { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a } ?? false
      && letters.allSatisfy {
        (0x30...0x39).contains($0) || $0 == 0x5f || (0x61...0x7a).contains($0 | 0x20)
      }
    return isName && letters.count <= 100
      ? nil : "'metadata' cannot have an entry '\(name)'; names are letters, digits and '_'"
  }
}
