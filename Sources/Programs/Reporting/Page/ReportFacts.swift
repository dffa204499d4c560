import ImageCore
import ImagePipeline

/// Everything that the page of a run shows, as values. `ReportPage` writes it.
package struct ReportFacts: Sendable {
  /// A small picture, ready to be put into the page.
  package struct Thumbnail: Sendable {
    package let mediaType: String
    package let base64: String
    package let width: Int
    package let height: Int

    package init(mediaType: String, base64: String, width: Int, height: Int) {
      self.mediaType = mediaType
      self.base64 = base64
      self.width = width
      self.height = height
    }
  }

  /// One file that the script asks for.
  package struct Output: Sendable {
    package enum State: Sendable, Equatable {
      case written(byteCount: Int)
      case failed
      case cancelled
    }

    package let path: String
    /// The function that writes it, as scripts call it; nil where the run ended before that was known.
    package var kind: String?
    package var position: ScriptPosition?
    package var state: State
    package var layout: PictureLayout?
    package var quality: Int?
    package var thumbnail: Thumbnail?

    package init(path: String, state: State) {
      self.path = path
      self.state = state
    }
  }

  /// A mistake, a failure or a note, with the line of the script that it is about.
  package struct Message: Sendable {
    package enum Kind: String, Sendable { case error, warning, note }

    package let kind: Kind
    package let text: String
    package var position: ScriptPosition?
    /// The text of that line; nil where it is not known.
    package var sourceLine: String?

    package init(_ kind: Kind, _ text: String, at position: ScriptPosition? = nil) {
      self.kind = kind
      self.text = text
      self.position = position
    }
  }

  /// A PDF that the run has written, or that the script has verified.
  package struct Document: Sendable {
    package struct Page: Sendable {
      package let number: Int
      package var thumbnail: Thumbnail?
      /// The verifier's findings on it.
      package var marks: [DocumentReport.Finding] = []

      package init(number: Int) { self.number = number }

      var isWrong: Bool { marks.contains { $0.severity == "error" } }
    }

    package enum Proof: Sendable, Equatable { case notAsked, verified, sound, wrong }

    package let path: String
    package var position: ScriptPosition?
    package var pageCount: Int
    package var byteCount: Int?
    package var proof = Proof.notAsked
    /// The verifier's verdict in one line.
    package var summary = ""
    /// The verifier's findings about the document, a line each.
    package var findings: [String] = []
    /// The pages that are shown: the first ones, and those at fault.
    package var pages: [Page] = []

    package init(path: String, pageCount: Int) {
      self.path = path
      self.pageCount = pageCount
    }
  }

  package var script = ""
  /// Whether the run only checked the script.
  package var isDryRun = false
  package var status = ExitStatusText(isSuccess: true, text: "")
  /// Local time with its offset.
  package var startedAt = ""
  package var seconds = 0.0
  package var writtenCount = 0
  package var byteCount = 0
  package var failedCount = 0
  package var cancelledCount = 0
  /// The outputs that are listed, in the order of the script, without documents.
  package var outputs: [Output] = []
  /// The number of outputs beside documents.
  package var outputCount = 0
  package var documents: [Document] = []
  package var documentCount = 0
  package var messages: [Message] = []
  package var furtherMessages = 0
  package var printed: [String] = []
  package var furtherPrinted = 0
  package var plan: [String] = []
  /// Whether the plan has more lines.
  package var isPlanCut = false
  /// The drawing of `--timeline`; nil where nothing was recorded.
  package var timeline: String?
  /// Why outputs have no pictures; nil where they have.
  package var thumbnailProblem: String?
  /// Names and values about imghost, the machine and the command line.
  package var machine: [(name: String, value: String)] = []

  package init() {}

  /// The result of the run in words.
  package struct ExitStatusText: Sendable {
    package let isSuccess: Bool
    package let text: String

    package init(isSuccess: Bool, text: String) {
      self.isSuccess = isSuccess
      self.text = text
    }
  }
}
