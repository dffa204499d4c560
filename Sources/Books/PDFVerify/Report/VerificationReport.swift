import BookExpectations
import ImageCore

/// A problem, or something that could not be checked.
public struct Finding: Sendable, Hashable {
  public let severity: Severity
  /// The page number, from 1; nil for the document.
  public let page: Int?
  /// A sentence without its full stop. The report adds the page.
  public let text: String
  /// The affected part of the page; nil for the whole page, or if unknown.
  public let area: PageShare?

  /// - Parameter names: the files of the page's pictures, in drawing order; an empty name for an unknown file.
  init(_ fault: Fault, page: Int?, names: [String] = [], area: PageShare? = nil) {
    self.area = area
    severity = fault.severity
    self.page = page
    text = fault.text(naming: names)
  }
}

/// A part of a page. Its edges are fractions, from 0 to 1, of the page's width and height, from the upper left corner.
public struct PageShare: Sendable, Hashable {
  public let left: Double
  public let top: Double
  public let right: Double
  public let bottom: Double

  /// Creates the visible part of a box as shares of the page; nil if the box is not visible.
  init?(_ box: PageBox, of visible: PageBox) {
    guard let seen = box.intersection(visible) else { return nil }
    left = (seen.left - visible.left) / visible.width
    right = (seen.right - visible.left) / visible.width
    top = (visible.top - seen.top) / visible.height
    bottom = (visible.top - seen.bottom) / visible.height
  }
}

/// The way a picture was compared with the page, and the result.
public enum Comparison: Sendable, Hashable {
  /// Every pixel equals the stored one.
  case equal
  /// Every pixel equals the stored one if the ICC profile is ignored, so that poppler does not convert colours.
  case equalWithoutProfile
  /// Every sample is within this distance of the stored one; for soft masks and 16-bit pictures.
  case within(Int)
  /// The picture was compared at a reduced scale, on a page that was rendered once as a whole because it has many
  /// pictures, or needs too much memory.
  case scaled(decibels: Double)
  /// The picture was compared roughly, because it is CMYK, which poppler converts differently.
  case rough(decibels: Double)
  /// The pixels differ. A finding gives the details.
  case different
  /// The picture was not compared. A finding gives the reason.
  case notCompared
}

/// The results for one picture.
public struct PictureReport: Sendable, Hashable {
  /// The width of the stored picture in pixels.
  public let width: Int
  public let height: Int
  /// The digest of the stored stream.
  public let digest: SHA256Digest?
  public let comparison: Comparison
  /// The fingerprint of the picture as the page shows it. It is kept until it has been compared with the expected one.
  var fingerprint: PixelFingerprint?
  /// The digest of the stream and, if the picture has them, of its soft mask, ICC profile and palette.
  var identity: ShortDigest?
  /// For each addition to the picture, the value that `identity` would have without it.
  var identityWithout: [PictureAddition: ShortDigest] = [:]
  /// Whether the picture is compressed in a way that imghost never uses.
  var isRepacked = false
  /// Whether the stored bytes are the expected ones; nil if the picture was not compared with an expectation.
  public var isExpectedStream: Bool?
  /// The names of the picture's source files in the folder of sources, separated by commas; nil if none was found.
  public var source: String?
  /// The name of the picture's file in the run that wrote the book; empty if unknown.
  var name = ""
}

/// The results for one page.
public struct PageReport: Sendable, Hashable {
  /// The page number, from 1.
  public let number: Int
  /// The width in points, after the rotation that readers apply.
  public internal(set) var width: Double
  public internal(set) var height: Double
  public var pictures: [PictureReport]
  /// The page's text; nil if it was not requested.
  public internal(set) var text: String?
  /// Whether imghost's own reader, and not only poppler, has read the page's objects.
  public var isStructureChecked = true
  /// Further parts of the page that were checked: text, fonts, tags, links.
  var otherChecks: [String] = []
}

/// A font that pages use.
public struct FontReport: Sendable, Hashable {
  /// The font's name without its subset tag.
  public let name: String
  public let isEmbedded: Bool
  /// Whether text in this font can be searched and copied.
  public let isSearchable: Bool
  /// The first page that uses the font, from 1.
  public let page: Int
}

/// The results for one PDF.
public struct VerificationReport: Sendable, Hashable {
  public let path: String
  public let pages: [PageReport]
  /// The document's findings, followed by those of each page, and by further messages of libraries.
  public internal(set) var findings: [Finding]
  /// Whether there were expectations, in the document or from the caller.
  public var isSealed = false
  /// Whether the file could not be opened or read, so that nothing is known about it.
  public var isUnreadable = false
  /// The fonts in the order of the first pages that use them.
  public var fonts: [FontReport] = []
  /// The expected number of pages; nil if unknown.
  var expectedPageCount: Int?
  /// The pages that are known to be missing, with the places where they belong.
  var missingPages: [MissingPage] = []
  var thumbnails = Thumbnails()

  /// Returns why a page was not compared with expectations; nil if it was compared or has errors.
  ///
  /// - Parameter page: the page's number, from 1; nil for the document.
  func reasonSkipped(_ page: Int?) -> String? {
    let mine = findings.filter { $0.page == page }
    guard !mine.contains(where: { $0.severity == .error }) else { return nil }
    guard isSealed else { return unsealedText }
    guard let page = pages.first(where: { $0.number == page }) else { return nil }
    let isCompared = page.isStructureChecked && !page.pictures.contains { $0.comparison == .notCompared }
    return isCompared ? nil : mine.first { $0.severity == .warning }?.text ?? Comparison.notCompared.text
  }

  /// Whether the checks found no errors; warnings are ignored.
  public var isSound: Bool { findings.allSatisfy { $0.severity != .error } }

  /// Whether the document shows what it should. A document without expectations can be sound, but not verified.
  public var isVerified: Bool { isSound && isSealed }
}

extension VerificationReport {
  /// Makes the report of a check that crashed or was abandoned.
  ///
  /// - Parameter failure: a clause without its full stop.
  public init(path: String, page: Int? = nil, failure: String) {
    self.init(path: path, pages: [], findings: [Finding(.file(.failure(failure)), page: page)])
  }

  /// Makes the report of a check that the watchdog abandoned.
  ///
  /// - Parameter deadline: the time limit of a page in seconds.
  init(path: String, givenUp reason: Watchdog.Reason, deadline: Int, _ limits: MemoryLimits) {
    switch reason {
    case .time(page: 0):
      self.init(path: path, failure: "opening it takes more than \(deadline) s of processor time; it was given up")
    case .time(let page):
      self.init(
        path: path, page: page,
        failure:
          "rendering takes more than \(deadline) s of processor time and 1 s a megapixel; the document "
          + "was given up")
    case .memory(let pages):
      self.init(
        path: path, page: pages.count == 1 && pages[0] > 0 ? pages[0] : nil,
        failure:
          "checking takes more than \(FaultText.megabytes(limits.processBytes)) of memory; the document "
          + "was given up: allow more with --memory")
    }
  }

  /// Returns the report with messages that libraries wrote to standard error during the check: at most eight, without
  /// duplicates.
  public func adding(messages: [String]) -> VerificationReport {
    var seen: Set<String> = []
    let lines = messages.filter { !$0.isEmpty && seen.insert($0).inserted }.prefix(8)
    var report = self
    report.findings += lines.map { Finding(.poppler(.message($0)), page: nil) }
    return report
  }
}

// MARK: - Junit

extension VerificationReport {
  /// The report as a `testsuite` element of JUnit's XML, for continuous integration. It has one test for the document
  /// and one for each page. A test is skipped if its subject was not compared with expectations. Warnings and notes go
  /// into `system-out`.
  public var junit: String {
    var cases = testCase("document", nil)
    for page in pages { cases += testCase("page \(page.number)", page.number) }
    // A page whose check was abandoned has findings but no report.
    let reported = Set(pages.map(\.number))
    let others = Set(findings.compactMap(\.page)).subtracting(reported).sorted()
    for page in others { cases += testCase("page \(page)", page) }
    let tests = 1 + pages.count + others.count
    let failures = Set(findings.filter { $0.severity == .error }.map(\.page)).count
    let all = [nil] + pages.map(\.number) + others
    let skipped = all.count { reasonSkipped($0) != nil }
    return "  <testsuite name=\"\(XMLText.attribute(path))\" tests=\"\(tests)\""
      + " failures=\"\(failures)\" skipped=\"\(skipped)\">\n" + cases + "  </testsuite>\n"
  }

  /// Returns a file that contains `testsuite` elements.
  public static func junitDocument(_ suites: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"imghost verify\">\n" + suites + "</testsuites>\n"
  }

  /// Returns whether a text begins like the result of `junitDocument`.
  package static func isJUnitDocument(_ text: String) -> Bool {
    text.hasPrefix("<?xml") && text.contains("<testsuites name=\"imghost verify\">")
  }

  private func testCase(_ name: String, _ page: Int?) -> String {
    let mine = findings.filter { $0.page == page }
    let start = "    <testcase classname=\"\(XMLText.attribute(path))\" name=\"\(name)\""
    let reason = reasonSkipped(page)
    guard !mine.isEmpty || reason != nil else { return start + "/>\n" }
    var text = start + ">\n"
    if let reason { text += "      <skipped message=\"\(XMLText.attribute(reason))\"/>\n" }
    let errors = mine.filter { $0.severity == .error }
    if let first = errors.first {
      // Programs that read this format expect at most one failure per test.
      text += "      <failure message=\"\(XMLText.attribute(first.text))\">"
      text += XMLText.content(errors.map(\.text).joined(separator: "\n")) + "</failure>\n"
    }
    let rest = mine.filter { $0.severity != .error && $0.text != reason }
    if !rest.isEmpty {
      let lines = rest.map { "\($0.severity.rawValue): \($0.text)" }.joined(separator: "\n")
      text += "      <system-out>\(XMLText.content(lines))</system-out>\n"
    }
    return text + "    </testcase>\n"
  }
}

// MARK: - JSON

extension VerificationReport {
  /// The report as one line of JSON (RFC 8259), without a line end.
  public var json: String {
    JSON.object(
      [
        ("path", .text(path)), ("verified", .boolean(isVerified)), ("ok", .boolean(isSound)),
        ("sealed", .boolean(isSealed)), ("summary", .text(summary)),
        ("pages", .array(pages.map { .object($0.members + result($0.number)) })),
        ("fonts", .array(fonts.map(\.json))), ("findings", .array(findings.map(\.json))),
      ] + result(nil)
    ).line
  }

  /// Returns the JSON members for the result of a page, or of the document; if it was skipped, with the reason.
  private func result(_ page: Int?) -> [(String, JSON)] {
    if let reason = reasonSkipped(page) { return [("result", .text("skipped")), ("reason", .text(reason))] }
    let isWrong = page == nil ? !isSound : findings.contains { $0.page == page && $0.severity == .error }
    return [("result", .text(isWrong ? "wrong" : "ok"))]
  }
}

extension JSON {
  /// Returns a number rounded to four decimals.
  fileprivate static func rounded(_ value: Double) -> JSON { .number((value * 10_000).rounded() / 10_000) }
}

extension PageReport {
  fileprivate var members: [(String, JSON)] {
    [
      ("page", .integer(number)), ("width", .rounded(width)), ("height", .rounded(height)),
      ("pictures", .array(pictures.map(\.json))),
    ] + (text.map { [("text", .text($0))] } ?? [])
  }
}

extension PictureReport {
  fileprivate var json: JSON {
    .object(
      [
        ("width", .integer(width)), ("height", .integer(height)), ("sha256", .optional(digest?.description)),
        ("stream", isExpectedStream.map { .boolean($0) } ?? .null), ("comparison", .text(comparison.text)),
      ] + (source.map { [("source", .text($0))] } ?? []))
  }
}

extension FontReport {
  fileprivate var json: JSON {
    .object([
      ("name", .text(name)), ("embedded", .boolean(isEmbedded)), ("searchable", .boolean(isSearchable)),
      ("page", .integer(page)),
    ])
  }
}

extension Finding {
  fileprivate var json: JSON {
    .object(
      [("severity", .text(severity.rawValue)), ("page", .optional(page)), ("text", .text(text))]
        + (area.map { [("area", .array([$0.left, $0.top, $0.right, $0.bottom].map { .rounded($0) }))] } ?? []))
  }
}
