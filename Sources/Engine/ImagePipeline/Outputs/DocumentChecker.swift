import ImageCore
import PictureTraits
import Scheduling

/// A checker of documents for `img.verify`, such as the verifier, which runs in a separate process.
package protocol DocumentChecker: Sendable {
  /// Returns mistakes in options that a descriptor cannot detect, such as an unknown paper size.
  func problems(with arguments: Arguments) -> [OptionProblem]

  /// Checks one document in a separate process, and blocks until the process has ended.
  func check(_ check: DocumentCheck, _ token: CancellationToken) -> DocumentReport
}

/// One call of `img.verify`.
package struct DocumentCheck: Sendable {
  package let path: String
  /// The options in `VerifyParameters.all`.
  package let arguments: Arguments
  /// Texts that the document must contain, in this order.
  package let texts: [String]

  package init(path: String, arguments: Arguments, texts: [String] = []) {
    self.path = path
    self.arguments = arguments
    self.texts = texts
  }
}

/// The findings about a document.
package struct DocumentReport: Sendable {
  /// An error, a warning or a note about the document.
  package struct Finding: Sendable {
    /// The page's number, from 1; nil for the whole document.
    package let page: Int?
    /// `error`, `warning` or `note`.
    package let severity: String
    package let text: String
    /// The part of the displayed page that the finding concerns; nil for the whole page, or if unknown.
    package let area: UnitRectangle?

    package init(page: Int?, severity: String, text: String, area: UnitRectangle? = nil) {
      self.page = page
      self.severity = severity
      self.text = text
      self.area = area
    }

    /// The finding on one line, with its page.
    package var line: String { (page.map { "page \($0): " } ?? "") + "\(severity): \(text)" }
  }

  /// One page. Lengths are in points.
  package struct Page: Sendable {
    package let width: Double
    package let height: Double
    package let pictures: Int
    /// The text of the page; nil if it was not requested.
    package let text: String?

    package init(width: Double, height: Double, pictures: Int, text: String? = nil) {
      self.width = width
      self.height = height
      self.pictures = pictures
      self.text = text
    }
  }

  package let path: String
  /// Whether no faults were found.
  package var isSound: Bool
  /// Whether the document contains expectations for its pages.
  package var isSealed = false
  /// The reason why a document without faults was not compared with expectations; otherwise nil.
  package var reasonUnsealed: String?
  /// Whether the document was checked. False in a dry run for a document that the run would write.
  package var isLookedAt = true
  /// The page count that the options require of an unchecked document; nil if they require none.
  package var expectedPages: Int?
  package var pages: [Page] = []
  package var findings: [Finding] = []
  /// The names of the fonts in use, and whether each is embedded.
  package var fonts: [(name: String, isEmbedded: Bool)] = []

  package init(path: String, isSound: Bool) {
    self.path = path
    self.isSound = isSound
  }

  /// The report of a check that failed.
  package init(path: String, failure: String) {
    self.init(path: path, isSound: false)
    findings = [Finding(page: nil, severity: "error", text: failure)]
  }
}

/// A verifier's findings about a document that was just written.
package struct VerificationOutcome: Sendable {
  package let isVerified: Bool
  /// One line, such as "4 pages: structure, sizes and pixels verified".
  package let summary: String
  /// The errors and warnings.
  package let findings: [DocumentReport.Finding]
  /// The lines that a verifier printed if it returned no report.
  package let output: [String]
  /// Whether the findings add nothing to the summary.
  package let isSummaryEnough: Bool

  private static let mostLines = 32

  package init(
    isVerified: Bool, summary: String, findings: [DocumentReport.Finding] = [], output: [String] = [],
    isSummaryEnough: Bool = false
  ) {
    self.isVerified = isVerified
    self.summary = summary
    self.findings = findings
    self.output = output
    self.isSummaryEnough = isSummaryEnough
  }

  /// Returns the findings about the document at a path, one per line, but only as many as a person would read.
  package func lines(about path: String) -> [String] {
    let all = output + (isSummaryEnough ? [] : findings.map(\.line))
    guard all.count > Self.mostLines else { return all }
    return all.prefix(Self.mostLines) + ["\(all.count - Self.mostLines) more; 'imghost verify \(path)' lists all"]
  }
}
