import ImageCore
import Scheduling

/// Checks documents for `img.verify`, such as the verifier in its own process.
public protocol DocumentChecker: Sendable {
  /// Returns what is wrong with options that a descriptor cannot express, such as an unknown paper size.
  func problems(with arguments: Arguments) -> [String]

  /// Checks one document in a process of its own, and blocks until that has ended.
  func check(_ check: DocumentCheck, _ token: CancellationToken) -> DocumentReport
}

/// One call of `img.verify`.
public struct DocumentCheck: Sendable {
  public let path: String
  /// The options in `VerifyParameters.all`.
  public let arguments: Arguments
  /// Texts that must be there, in this order.
  public let texts: [String]

  package init(path: String, arguments: Arguments, texts: [String] = []) {
    self.path = path
    self.arguments = arguments
    self.texts = texts
  }
}

/// A part of a page as readers see it: shares of its width and height, from 0 to 1 from the upper left corner.
public struct PageArea: Sendable, Equatable {
  public let left: Double
  public let top: Double
  public let right: Double
  public let bottom: Double

  public init(left: Double, top: Double, right: Double, bottom: Double) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
  }
}

/// The findings about a document.
public struct DocumentReport: Sendable {
  /// One thing that is wrong or worth knowing.
  public struct Finding: Sendable {
    /// From 1; nil for the document.
    public let page: Int?
    /// `error`, `warning` or `note`.
    public let severity: String
    public let text: String
    /// The part of the page that it is about; nil where it is about all of it, or nobody knows.
    public let area: PageArea?

    public init(page: Int?, severity: String, text: String, area: PageArea? = nil) {
      self.page = page
      self.severity = severity
      self.text = text
      self.area = area
    }
  }

  /// One page; lengths in points.
  public struct Page: Sendable {
    public let width: Double
    public let height: Double
    public let pictures: Int
    /// Nil where nobody asked for it.
    public let text: String?

    public init(width: Double, height: Double, pictures: Int, text: String? = nil) {
      self.width = width
      self.height = height
      self.pictures = pictures
      self.text = text
    }
  }

  public let path: String
  /// Whether nothing wrong was found.
  public var isSound: Bool
  /// Whether the document contains expectations for its pages.
  public var isSealed = false
  /// The reason why it was not compared with expectations; nil if it was, or if it is wrong.
  public var reasonUnsealed: String?
  /// False in a dry run, for a document that the run itself would write.
  public var isLookedAt = true
  /// The number of pages that it should have, if nobody looked.
  public var expectedPages: Int?
  public var pages: [Page] = []
  public var findings: [Finding] = []
  /// The names of used fonts, and whether each is embedded.
  public var fonts: [(name: String, isEmbedded: Bool)] = []

  public init(path: String, isSound: Bool) {
    self.path = path
    self.isSound = isSound
  }

  /// The report of a check that failed.
  public init(path: String, failure: String) {
    self.init(path: path, isSound: false)
    findings = [Finding(page: nil, severity: "error", text: failure)]
  }
}

/// The findings of a verifier about a written document.
public struct VerificationOutcome: Sendable {
  public let isVerified: Bool
  /// One line: "4 pages: structure, sizes and pixels verified".
  public let summary: String
  /// The faults, a line each.
  public let findings: [String]
  /// The errors and warnings that belong to a page.
  public var marks: [DocumentReport.Finding] = []

  public init(isVerified: Bool, summary: String, findings: [String]) {
    self.isVerified = isVerified
    self.summary = summary
    self.findings = findings
  }
}
