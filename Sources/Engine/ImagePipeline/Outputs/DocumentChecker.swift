import ImageCore
import Scheduling

/// Proves documents for `img.verify`: the verifier's process is one.
public protocol DocumentChecker: Sendable {
  /// What is wrong with options that a descriptor cannot express, such as an unknown paper size.
  func problems(with arguments: Arguments) -> [String]

  /// Checks one document in a process of its own, and blocks until that has ended.
  func check(_ check: DocumentCheck, _ token: CancellationToken) -> DocumentReport
}

/// What `img.verify` is asked for.
public struct DocumentCheck: Sendable {
  public let path: String
  /// Of `VerifyParameters.all`.
  public let arguments: Arguments
  /// Texts that must be there, in this order.
  public let texts: [String]
}

/// What was found of a document.
public struct DocumentReport: Sendable {
  /// One thing that is wrong or worth knowing.
  public struct Finding: Sendable {
    /// From 1; nil for the document.
    public let page: Int?
    /// `error`, `warning` or `note`.
    public let severity: String
    public let text: String

    public init(page: Int?, severity: String, text: String) {
      self.page = page
      self.severity = severity
      self.text = text
    }
  }

  /// One page; lengths in points.
  public struct Page: Sendable {
    public let width: Double
    public let height: Double
    public let pictures: Int

    public init(width: Double, height: Double, pictures: Int) {
      self.width = width
      self.height = height
      self.pictures = pictures
    }
  }

  public let path: String
  /// Whether nothing is wrong with it, as far as anybody looked.
  public var isSound: Bool
  /// Whether the document says itself what its pages should show.
  public var isSealed = false
  /// Why it was not held against what its pages should show; nil where it was, or is wrong.
  public var reasonUnsealed: String?
  /// False in a dry run, for a document that the run itself would write.
  public var isLookedAt = true
  /// How many pages it should have, where nobody looked.
  public var expectedPages: Int?
  public var pages: [Page] = []
  public var findings: [Finding] = []
  /// Names of the fonts that are used, and whether each is embedded.
  public var fonts: [(name: String, isEmbedded: Bool)] = []

  public init(path: String, isSound: Bool) {
    self.path = path
    self.isSound = isSound
  }

  /// Of a check that came to nothing.
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
  /// What is wrong, a line each.
  public let findings: [String]

  public init(isVerified: Bool, summary: String, findings: [String]) {
    self.isVerified = isVerified
    self.summary = summary
    self.findings = findings
  }
}
