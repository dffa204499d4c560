import ImageCore

/// The size limits of a standard: ISO 19005-1:2005, 6.1.12, which refers to Appendix C of the PDF Reference 1.4, and
/// ISO 19005-2:2011, 6.1.13. The writer splits what can be split, such as arrays of glyphs. The rest is refused here.
extension Conformance {
  /// The maximum number of bytes of a string.
  var maximumStringLength: Int { self == .pdfA1b ? 65_535 : isForPrint ? .max : 32_767 }
  /// The maximum number on a page. Later parts state none that a page could reach.
  var maximumNumber: Double { self == .pdfA1b ? 32_767 : .infinity }
  /// The maximum number of bytes of a stream, whose length is a signed 32-bit integer.
  static let maximumStreamLength = 2_147_483_647
  static let maximumObjects = 8_388_607
  /// The maximum numbers of dictionary entries and array elements. PDF/A-2 and 3 do not limit them.
  static let maximumEntries = 4_095
  static let maximumElements = 8_191

  /// Returns why the document's texts exceed the limits, a clause each.
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
    if info.entries.count > Self.maximumEntries - 10 {
      problems.append("'metadata' has \(info.entries.count) entries; \(name) allows \(Self.maximumEntries - 10)")
    }
    // A range takes a number and a dictionary.
    if settings.labels.count > Self.maximumElements / 2 {
      problems.append("'page_labels' has \(settings.labels.count) ranges; \(name) allows \(Self.maximumElements / 2)")
    }
    return problems
  }

  /// Returns why a text cannot be an outline path in such a file; nil if it can.
  package func problem(withOutline text: String) -> String? {
    // A byte of UTF-8 becomes at most four bytes of a string, and few texts are that long.
    guard text.utf8.count > maximumStringLength / 4 else { return nil }
    for title in Outline.path(text) {
      let count = PDFString.byteCount(title)
      if count > maximumStringLength {
        return "a title takes \(count) bytes; \(name) allows \(maximumStringLength) in a string"
      }
    }
    return nil
  }

  private func problem(withString text: String, _ what: String) -> String? {
    let count = PDFString.byteCount(text)
    guard count > maximumStringLength else { return nil }
    return "'\(what)' takes \(count) bytes; \(name) allows \(maximumStringLength) in a string"
  }

  /// Returns why a page exceeds the limits; nil if it does not.
  func limitProblem(with page: PDFPage) -> String? {
    for title in page.outlines.joined() {
      if let problem = problem(withString: title, "outline") { return problem }
    }
    guard self == .pdfA1b else { return nil }
    if page.placements.count > Self.maximumEntries {
      return
        "it has \(page.placements.count) pictures, and \(name) allows \(Self.maximumEntries) a page"
    }
    guard page.numbers.contains(where: { $0.magnitude > maximumNumber }) else { return nil }
    return
      "a picture reaches more than \(Int(maximumNumber)) points beyond it, where it is clipped; use "
      + "fit = \"inside\", crop it first, or use pdf/a-2b"
  }

  /// Returns why a number of objects exceeds the limits; nil if it does not.
  func limitProblem(withObjects count: Int) -> String? {
    count > Self.maximumObjects ? "the file has more than \(Self.maximumObjects) objects; make several books" : nil
  }

  /// Returns why a stream exceeds the limits; nil if it does not.
  func limitProblem(withStream count: Int) -> String? {
    count > Self.maximumStreamLength
      ? "it takes \(count) bytes, and \(name) allows \(Self.maximumStreamLength) a picture" : nil
  }
}

extension PDFPage {
  /// All numbers that are written for pictures, in points.
  fileprivate var numbers: [Double] {
    placements.flatMap { one in
      [one.rectangle, one.clip ?? one.rectangle].flatMap {
        [$0.left, $0.bottom, $0.width, $0.height, $0.right, $0.top]
      }
    }
  }
}
