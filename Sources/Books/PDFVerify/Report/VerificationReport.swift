import BookExpectations
import ImageCore

/// One thing that is wrong, or could not be checked.
public struct Finding: Sendable, Hashable {
  public let severity: Severity
  /// From 1; nil for the document.
  public let page: Int?
  /// A sentence without its full stop, which does not name the page.
  public let text: String
  /// The part of the page that it is about; nil where that is all of it, or not known.
  public let area: PageShare?

  /// - Parameter names: of the page's pictures, by files; empty where unknown.
  init(_ fault: Fault, page: Int?, names: [String] = [], area: PageShare? = nil) {
    self.area = area
    severity = fault.severity
    self.page = page
    text = fault.text(naming: names)
  }
}

/// A part of a page as shares of its width and height, from 0 to 1 from the upper left corner.
public struct PageShare: Sendable, Hashable {
  public let left: Double
  public let top: Double
  public let right: Double
  public let bottom: Double

  /// Nil for a box outside of what readers show.
  init?(_ box: PageBox, of visible: PageBox) {
    guard let seen = box.intersection(visible) else { return nil }
    left = (seen.left - visible.left) / visible.width
    right = (seen.right - visible.left) / visible.width
    top = (visible.top - seen.top) / visible.height
    bottom = (visible.top - seen.bottom) / visible.height
  }
}

/// How a picture was compared with what the page shows.
public enum Comparison: Sendable, Hashable {
  /// Every pixel is the stored one.
  case equal
  /// Every pixel is the stored one when the ICC profile is set aside, so that poppler does not manage
  /// colours.
  case equalWithoutProfile
  /// No pixel is further from the stored one than this, through a soft mask or from 16 bits.
  case within(Int)
  /// Made smaller, on a page of many pictures that was rendered as a whole.
  case scaled(decibels: Double)
  /// CMYK, which poppler converts in its own way.
  case rough(decibels: Double)
  /// They differ; a finding says how.
  case different
  /// A finding says why.
  case notCompared
}

/// The results for one picture.
public struct PictureReport: Sendable, Hashable {
  /// Stored pixels across and down.
  public let width: Int
  public let height: Int
  /// The digest of the stored stream.
  public let digest: SHA256Digest?
  public let comparison: Comparison
  /// The fingerprint of the page's pixels where the picture lies, upright; only until it has been compared with the
  /// expected one.
  var fingerprint: PixelFingerprint?
  /// The digest of the stream with its soft mask and profile.
  var identity: ShortDigest?
  /// The digest that `identity` would be without one of the picture's additions.
  var identityWithout: [PictureAddition: ShortDigest] = [:]
  /// Whether it is packed as imghost never does.
  var isRepacked = false
  /// Whether the stream was the expected one; nil without expectations.
  public var isExpectedStream: Bool?
  /// The files it was made of, in the folder it was compared with: their names with a comma and a space between.
  public var source: String?
  /// The name of its file in the run that wrote the book; empty where nobody says.
  var name = ""
}

/// The results for one page.
public struct PageReport: Sendable, Hashable {
  /// From 1.
  public let number: Int
  /// Points, as readers turn the page.
  public internal(set) var width: Double
  public internal(set) var height: Double
  public var pictures: [PictureReport]
  /// The page's text; nil where nobody asked for it.
  public internal(set) var text: String?
  /// Whether imghost's own reader followed the page's objects, and not poppler alone.
  public var isStructureChecked = true
  /// The other parts of it that were compared with what was written: text, fonts, tags, links.
  var otherChecks: [String] = []
}

/// A font that pages use.
public struct FontReport: Sendable, Hashable {
  /// Without the tag of a subset.
  public let name: String
  public let isEmbedded: Bool
  /// Whether its text can be searched and copied.
  public let isSearchable: Bool
  /// The first page that uses it, from 1.
  public let page: Int
}

/// The results for one PDF.
public struct VerificationReport: Sendable, Hashable {
  public let path: String
  public let pages: [PageReport]
  /// The document's first, then page by page.
  public let findings: [Finding]
  /// Whether something said what the document should show: itself, or the caller.
  public var isSealed = false
  /// Whether the file could not be opened or read, so that nothing is known of it.
  public var isUnreadable = false
  /// In the order of the pages that use them first.
  public var fonts: [FontReport] = []
  /// Pages there should be, where anybody says.
  var expectedPageCount: Int?
  /// Pages that are known to be lost, and from where.
  var missingPages: [MissingPage] = []
  var thumbnails = Thumbnails()

  /// Returns why a page, or the document where that is nil, was not compared with what it should show; nil where it was
  /// compared, or is wrong.
  func reasonSkipped(_ page: Int?) -> String? {
    let mine = findings.filter { $0.page == page }
    guard !mine.contains(where: { $0.severity == .error }) else { return nil }
    guard isSealed else { return unsealedText }
    guard let page = pages.first(where: { $0.number == page }) else { return nil }
    let isCompared = page.isStructureChecked && !page.pictures.contains { $0.comparison == .notCompared }
    return isCompared ? nil : mine.first { $0.severity == .warning }?.text ?? Comparison.notCompared.text
  }

  /// Whether nothing is wrong with what was checked; warnings do not count.
  public var isSound: Bool { findings.allSatisfy { $0.severity != .error } }

  /// Whether the document shows what it should. A document without expectations may be sound, but is not verified.
  public var isVerified: Bool { isSound && isSealed }
}

extension VerificationReport {
  /// Makes the report of a check that crashed or was given up.
  ///
  /// - Parameter failure: a clause without its full stop.
  public init(path: String, page: Int? = nil, failure: String) {
    self.init(path: path, pages: [], findings: [Finding(.file(.failure(failure)), page: page)])
  }

  /// Makes the report of a check that was given up.
  ///
  /// - Parameter deadline: seconds that a page was given.
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

  /// Returns the report with lines that libraries wrote to standard error meanwhile, each once, at most eight.
  public func adding(messages: [String]) -> VerificationReport {
    var seen: Set<String> = []
    let lines = messages.filter { !$0.isEmpty && seen.insert($0).inserted }.prefix(8)
    return VerificationReport(
      path: path, pages: pages,
      findings: findings + lines.map { Finding(.poppler(.message($0)), page: nil) },
      isSealed: isSealed, isUnreadable: isUnreadable, fonts: fonts,
      expectedPageCount: expectedPageCount,
      missingPages: missingPages, thumbnails: thumbnails)
  }
}

// MARK: - Junit

extension VerificationReport {
  /// The report as a `testsuite` element of JUnit's XML, which continuous integration shows: one test for the
  /// document and one a page; warnings and notes go into `system-out`. What was not held against what it should show
  /// is skipped.
  public var junit: String {
    var cases = testCase("document", nil)
    for page in pages { cases += testCase("page \(page.number)", page.number) }
    // A page that was given up has findings, but no report.
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

  /// The file around `testsuite` elements.
  public static func junitDocument(_ suites: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"imghost verify\">\n" + suites + "</testsuites>\n"
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
      // One failure a test is what readers of this format count on.
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
  /// One line of JSON (RFC 8259) without its end.
  public var json: String {
    let pages = pages.map { page in
      let pictures = page.pictures.map { picture in
        Self.object(
          [
            ("width", "\(picture.width)"), ("height", "\(picture.height)"),
            ("sha256", picture.digest.map { Self.string($0.description) } ?? "null"),
            ("stream", picture.isExpectedStream.map { $0 ? "true" : "false" } ?? "null"),
            ("comparison", Self.string(picture.comparison.text)),
          ] + (picture.source.map { [("source", Self.string($0))] } ?? []))
      }
      return Self.object(
        [
          ("page", "\(page.number)"), ("width", FaultText.number(page.width, decimals: 4)),
          ("height", FaultText.number(page.height, decimals: 4)),
          ("pictures", "[\(pictures.joined(separator: ","))]"),
        ] + (page.text.map { [("text", Self.string($0))] } ?? []) + result(page.number))
    }
    let findings = findings.map { finding in
      Self.object(
        [
          ("severity", Self.string(finding.severity.rawValue)),
          ("page", finding.page.map { "\($0)" } ?? "null"), ("text", Self.string(finding.text)),
        ] + (finding.area.map { [("area", Self.shares($0))] } ?? []))
    }
    let fonts = fonts.map { font in
      Self.object([
        ("name", Self.string(font.name)), ("embedded", font.isEmbedded ? "true" : "false"),
        ("searchable", font.isSearchable ? "true" : "false"), ("page", "\(font.page)"),
      ])
    }
    return Self.object(
      [
        ("path", Self.string(path)), ("verified", isVerified ? "true" : "false"),
        ("ok", isSound ? "true" : "false"), ("sealed", isSealed ? "true" : "false"),
        ("summary", Self.string(summary)),
        ("pages", "[\(pages.joined(separator: ","))]"),
        ("fonts", "[\(fonts.joined(separator: ","))]"),
        ("findings", "[\(findings.joined(separator: ","))]"),
      ] + result(nil))
  }

  /// Returns the result of a page, or of the document, and why it was skipped.
  private func result(_ page: Int?) -> [(String, String)] {
    if let reason = reasonSkipped(page) {
      return [("result", Self.string("skipped")), ("reason", Self.string(reason))]
    }
    let isWrong = page == nil ? !isSound : findings.contains { $0.page == page && $0.severity == .error }
    return [("result", Self.string(isWrong ? "wrong" : "ok"))]
  }

  private static func shares(_ area: PageShare) -> String {
    let numbers = [area.left, area.top, area.right, area.bottom].map { FaultText.number($0, decimals: 4) }
    return "[" + numbers.joined(separator: ",") + "]"
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(string($0.0)):\($0.1)" }.joined(separator: ",") + "}"
  }

  private static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\0"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
