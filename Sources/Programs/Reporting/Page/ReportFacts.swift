import ImageCore
import ImagePipeline

/// All contents of the report page, as values. `ReportPage` formats them.
package struct ReportFacts: Sendable {
  /// A thumbnail, encoded for the page.
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

  /// One file that the script requests.
  package struct Output: Sendable {
    package enum State: Sendable, Equatable {
      case written(byteCount: Int)
      case failed
      case cancelled
    }

    package let path: String
    /// The function that writes the file, as scripts call it; nil if the run ended before this was known.
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

  /// A mistake, a failure or a note, with the line of the script that it refers to.
  package struct Message: Sendable {
    package enum Kind: String, Sendable { case error, warning, note }

    package let kind: Kind
    package let text: String
    package var position: ScriptPosition?
    /// The text of the line at `position`; nil if it is unknown.
    package var sourceLine: String?

    package init(_ kind: Kind, _ text: String, at position: ScriptPosition? = nil) {
      self.kind = kind
      self.text = text
      self.position = position
    }
  }

  /// A PDF that the run wrote or that the script verified.
  package struct Document: Sendable {
    package struct Page: Sendable {
      package let number: Int
      package var thumbnail: Thumbnail?
      /// The verifier's findings on the page.
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
    /// The verifier's findings that are not shown below a page, one per line.
    package var findings: [String] = []
    /// The pages to show: those with findings, and the first of the others.
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
  /// The local time with its offset from UTC.
  package var startedAt = ""
  package var seconds = 0.0
  package var totals = Run.Totals()
  /// The outputs that are listed, without documents: in the order of the script, or in the order of writing if the run
  /// was cut short.
  package var outputs: [Output] = []
  /// The number of outputs other than documents.
  package var outputCount = 0
  package var documents: [Document] = []
  package var documentCount = 0
  package var messages: [Message] = []
  package var furtherMessages = 0
  package var printed: [String] = []
  package var furtherPrinted = 0
  package var plan: [String] = []
  /// Whether the plan has more lines than are listed.
  package var isPlanCut = false
  /// The drawing of `--timeline`; nil if nothing was recorded.
  package var timeline: String?
  /// The reason why thumbnails are missing; nil if none are.
  package var thumbnailProblem: String?
  /// Names and values that describe imghost, the machine and the command line.
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
