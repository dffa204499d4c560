import ImageCore

/// How large things may be in a file that promises a standard: ISO 19005-1:2005, 6.1.12, which is Appendix C of
/// the PDF Reference 1.4, and ISO 19005-2:2011, 6.1.13. What can be split, as arrays of glyphs, is split
/// wherever it is written; the rest is refused here.
extension Conformance {
  /// Bytes of a string.
  var longestString: Int { self == .pdfA1b ? 65_535 : 32_767 }
  /// Of a number on a page; later parts name none that a page could reach.
  var largestNumber: Double { self == .pdfA1b ? 32_767 : .infinity }
  /// Bytes of a stream: its length is an integer of 32 bits with a sign.
  static let longestStream = 2_147_483_647
  static let mostObjects = 8_388_607
  /// Entries of a dictionary and of an array, which PDF/A-2 and 3 do not limit.
  static let mostEntries = 4_095
  static let mostElements = 8_191

  /// Why texts about the document cannot be in such a file, a clause each.
  func limitProblems(with settings: DocumentSettings) -> [String] {
    let info = settings.info
    var texts = [
      ("title", info.title), ("author", info.author), ("subject", info.subject),
      ("keywords", info.keywords),
    ]
    texts += info.sortedEntries.map { ("metadata.\($0)", $1) }
    texts += settings.labels.map { ("page_labels", $0.prefix) }
    var problems = texts.compactMap { name, text in problem(withString: text, name) }
    guard self == .pdfA1b else { return problems }
    if info.entries.count > Self.mostEntries - 10 {
      problems.append(
        "'metadata' has \(info.entries.count) entries; \(name) holds \(Self.mostEntries - 10)")
    }
    // A number and a dictionary each.
    if settings.labels.count > Self.mostElements / 2 {
      problems.append(
        "'page_labels' has \(settings.labels.count) ranges; \(name) holds \(Self.mostElements / 2)")
    }
    return problems
  }

  /// Why a text cannot be a path of the outline in such a file; nil where it can.
  public func problem(withOutline text: String) -> String? {
    // No character takes more than four bytes of a string for one of UTF-8, and few texts are as long as that.
    guard text.utf8.count * 4 > longestString else { return nil }
    for title in Outline.path(text) {
      let count = PDFString.byteCount(title)
      if count > longestString {
        return "a title takes \(count) bytes; \(name) holds \(longestString) in a string"
      }
    }
    return nil
  }

  private func problem(withString text: String, _ what: String) -> String? {
    let count = PDFString.byteCount(text)
    guard count > longestString else { return nil }
    return "'\(what)' takes \(count) bytes; \(name) holds \(longestString) in a string"
  }

  /// Why a page cannot be in such a file; nil where it can.
  func limitProblem(with page: PDFPage) -> String? {
    for title in page.outlines.joined() {
      if let problem = problem(withString: title, "outline") { return problem }
    }
    guard self == .pdfA1b else { return nil }
    if page.placements.count > Self.mostEntries {
      return
        "it has \(page.placements.count) pictures, and \(name) holds \(Self.mostEntries) a page"
    }
    guard page.numbers.contains(where: { $0.magnitude > largestNumber }) else { return nil }
    return
      "a picture reaches more than \(Int(largestNumber)) points beyond it, where it is clipped; use "
      + "fit = \"inside\", crop it first, or use pdf/a-2b"
  }

  /// Why so much cannot be in such a file; nil where it can.
  func limitProblem(withObjects count: Int) -> String? {
    count > Self.mostObjects
      ? "the file has more than \(Self.mostObjects) objects; make several books" : nil
  }

  /// Why a stream cannot be in such a file; nil where it can.
  func limitProblem(withStream count: Int) -> String? {
    count > Self.longestStream
      ? "it takes \(count) bytes, and \(name) holds \(Self.longestStream) a picture" : nil
  }
}

extension PDFPage {
  /// All lengths that are written for pictures; points.
  fileprivate var numbers: [Double] {
    placements.flatMap { one in
      [one.rectangle, one.clip ?? one.rectangle].flatMap {
        [$0.left, $0.bottom, $0.width, $0.height, $0.right, $0.top]
      }
    }
  }
}
