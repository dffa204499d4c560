import ImageCore

/// A standard that a file promises to comply with.
package enum Conformance: String, Sendable, Hashable, CaseIterable {
  /// ISO 19005-1:2005, level B: the file keeps its appearance over time.
  case pdfA1b = "pdf/a-1b"
  /// ISO 19005-2:2011, level B.
  case pdfA2b = "pdf/a-2b"
  /// ISO 19005-3:2012, level B.
  case pdfA3b = "pdf/a-3b"
  /// ISO 15930-4:2003, for print: CMYK and gray, without transparency.
  case pdfX1a = "pdf/x-1a"
  /// ISO 15930-7:2010, for print: colours with profiles, and transparency.
  case pdfX4 = "pdf/x-4"

  /// The value of `pdfaid:part`; nil for standards other than PDF/A. The conformance level is always B.
  var archivalPart: Int? {
    switch self {
    case .pdfA1b: 1
    case .pdfA2b: 2
    case .pdfA3b: 3
    case .pdfX1a, .pdfX4: nil
    }
  }

  /// Whether the standard is for print. Files for print declare their printing condition and where pages are trimmed.
  package var isForPrint: Bool { archivalPart == nil }

  /// Whether the standard forbids transparency, as PDF/A-1 and PDF/X-1a do.
  package var isOpaque: Bool { self == .pdfA1b || self == .pdfX1a }

  /// Whether all colours must be gray or CMYK.
  package var isInk: Bool { self == .pdfX1a }

  /// The value of GTS_PDFXVersion; nil for standards other than PDF/X.
  var printVersion: String? {
    switch self {
    case .pdfX1a: "PDF/X-1a:2003"
    case .pdfX4: "PDF/X-4"
    case .pdfA1b, .pdfA2b, .pdfA3b: nil
    }
  }
}

// MARK: - Rules

/// The rules that a book's content can violate. The writer always follows the other rules: those for stream lengths and
/// line ends, the identifier, the binary comment, and printable links.
extension Conformance {
  /// The name in messages.
  package var name: String { archivalPart.map { "PDF/A-\($0)b" } ?? (self == .pdfX4 ? "PDF/X-4" : "PDF/X-1a") }

  /// Whether the standard allows transparency, JPEG 2000, 16 bits per sample and object streams (ISO 19005-2:2011, PDF
  /// 1.7; ISO 15930-7:2010, PDF 1.6).
  private var isModern: Bool { !isOpaque }

  /// The value of the option `conformance` that messages suggest: the closest standard that allows everything listed at
  /// `isModern`.
  package var modern: String { isForPrint ? "pdf/x-4" : "pdf/a-2b" }

  /// Returns why a picture cannot be in a file of this standard; nil if it can.
  func problem(with picture: PDFPicture) -> String? {
    switch picture.format.colourSpace {
    case .rgb, .indexed: if isInk { return "its colours are RGB" }
    case .gray, .cmyk: break
    }
    if isForPrint, case .jpeg2000 = picture.compression {
      return "it is JPEG 2000, whose colours the file does not state; use reencode = true"
    }
    if !isForPrint, picture.format.colourSpace == .cmyk, picture.iccProfile.isEmpty {
      return
        "it is CMYK without a profile, and the file's output intent is sRGB; use reencode = true"
    }
    if let problem = limitProblem(withStream: picture.data.count) { return problem }
    guard !isModern else { return nil }
    // The ninth byte is the major version of the profile (ICC.1:2010, 7.2.4).
    if !isInk, picture.iccProfile.count > 8, picture.iccProfile[8] > 2 {
      return "its colour profile has version \(picture.iccProfile[8]), and PDF 1.4 allows only 2; " + "use \(modern)"
    }
    if picture.mask != nil { return "it has opacity; use flatten(), or \(modern)" }
    switch picture.compression {
    case .jpeg2000: return "it is JPEG 2000, which PDF 1.4 does not have; use \(modern)"
    case .jpeg, .flate, .fax: break
    }
    return picture.format.bits == 16 ? "it has 16 bits a sample, which PDF 1.4 does not have; use \(modern)" : nil
  }

  /// Returns why a page cannot be in a file of this standard; nil if it can.
  func problem(with page: PDFPage) -> String? {
    if !page.captions.isEmpty { return "its caption's font, Helvetica, is not part of the file" }
    if isForPrint {
      if page.size.userUnit > 1 { return "it is longer than 200 inches" }
      if !page.links.isEmpty { return "it has links, which lie on the printed area; leave out 'link'" }
    }
    if !isModern, page.size.userUnit > 1 {
      return "it is longer than 200 inches, which needs PDF 1.6; use \(modern)"
    }
    if !isModern, page.isTranslucent { return "it has a colour that is partly transparent; use \(modern)" }
    return limitProblem(with: page)
  }

  /// Returns the problems that settings have with this standard.
  func problems(with settings: DocumentSettings) -> [OptionProblem] {
    var problems = limitProblems(with: settings)
    if isForPrint, settings.info.title.isEmpty { problems.add("\(name) wants a title; set 'title'") }
    if self == .pdfX4, settings.version == .v17 {
      problems.add("\(name) is PDF 1.6 at most; leave out 'pdf_version'")
    }
    if !isModern, settings.isCompact {
      problems.add("\(name) has no object streams; leave out 'compact', or use \(modern)")
    }
    if !isModern, let version = settings.version, version != .v14 {
      problems.add("\(name) is PDF 1.4; leave out 'pdf_version', or use \(modern)")
    }
    return problems
  }
}

// MARK: - Limits

/// The size limits of a standard: ISO 19005-1:2005, 6.1.12, which refers to Appendix C of the PDF Reference 1.4, and
/// ISO 19005-2:2011, 6.1.13. The writer splits what can be split, such as arrays of glyphs. Anything else over a limit
/// is rejected here.
extension Conformance {
  /// The maximum number of bytes in a string.
  var maximumStringLength: Int { self == .pdfA1b ? 65_535 : isForPrint ? .max : 32_767 }
  /// The largest coordinate allowed on a page; infinite for standards whose limit no page can exceed.
  var maximumNumber: Double { self == .pdfA1b ? 32_767 : .infinity }
  /// The maximum number of bytes of a stream, whose length is a signed 32-bit integer.
  static let maximumStreamLength = 2_147_483_647
  static let maximumObjects = 8_388_607
  /// The maximum numbers of dictionary entries and of array elements. PDF/A-2 and PDF/A-3 do not limit them.
  static let maximumEntries = 4_095
  static let maximumElements = 8_191

  /// Returns the problems of texts, metadata entries and page labels that exceed the limits.
  func limitProblems(with settings: DocumentSettings) -> [OptionProblem] {
    let info = settings.info
    let texts = info.optionTexts + settings.labels.map { ("page_labels", $0.prefix) }
    var problems = texts.compactMap { name, text in problem(withString: text, name) }
    guard self == .pdfA1b else { return problems }
    if info.entries.count > Self.maximumEntries - 10 {
      problems.add("metadata", "has \(info.entries.count) entries; \(name) allows \(Self.maximumEntries - 10)")
    }
    // A page label range takes two elements: a number and a dictionary.
    if settings.labels.count > Self.maximumElements / 2 {
      problems.add("page_labels", "has \(settings.labels.count) ranges; \(name) allows \(Self.maximumElements / 2)")
    }
    return problems
  }

  /// Returns why a text cannot be an outline path in a file of this standard; nil if it can.
  package func problem(withOutline text: String) -> String? {
    // A byte of UTF-8 becomes at most four bytes of a string, so most texts are short enough to need no further check.
    guard text.utf8.count > maximumStringLength / 4 else { return nil }
    for title in Outline.path(text) {
      let count = PDFString.byteCount(title)
      if count > maximumStringLength {
        return "a title takes \(count) bytes; \(name) allows \(maximumStringLength) in a string"
      }
    }
    return nil
  }

  private func problem(withString text: String, _ what: String) -> OptionProblem? {
    let count = PDFString.byteCount(text)
    guard count > maximumStringLength else { return nil }
    return OptionProblem(what, "takes \(count) bytes; \(name) allows \(maximumStringLength) in a string")
  }

  /// Returns why a page exceeds the limits; nil if it does not.
  func limitProblem(with page: PDFPage) -> String? {
    for title in page.outlines.joined() {
      if let problem = problem(withString: title, "outline") { return problem.text }
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

  /// Returns why a stream of this many bytes exceeds the limits; nil if it does not.
  func limitProblem(withStream count: Int) -> String? {
    count > Self.maximumStreamLength
      ? "it takes \(count) bytes, and \(name) allows \(Self.maximumStreamLength) a picture" : nil
  }
}

extension PDFPage {
  /// All numbers that the writer uses to place pictures, in points.
  fileprivate var numbers: [Double] {
    placements.flatMap { one in
      [one.rectangle, one.clip ?? one.rectangle].flatMap {
        [$0.left, $0.bottom, $0.width, $0.height, $0.right, $0.top]
      }
    }
  }
}
