import ImageCore
import ImagePipeline
import PDFBook
import TextShaping

/// The texts that a picture gives to its page. Pictures without texts share one object, because thousands of pages may
/// be pending.
final class PageTexts: Sendable {
  let caption: String?
  let running: RunningTexts
  let references: PageReferences

  private init(_ caption: String?, _ running: RunningTexts, _ references: PageReferences) {
    self.caption = caption
    self.running = running
    self.references = references
  }

  /// The caption; empty if there is none, or if it would be invisible, so that no box is drawn behind it.
  var visibleCaption: String { caption.flatMap { TextError.isInvisible($0) ? nil : $0 } ?? "" }

  static let none = PageTexts(nil, RunningTexts(), PageReferences())

  /// Returns an object with the given texts; `none` if there are no texts.
  static func of(caption: String?, running: RunningTexts, references: PageReferences) -> PageTexts {
    caption == nil && running.all.isEmpty && references == PageReferences()
      ? .none : PageTexts(caption, running, references)
  }
}

/// The outline entry, the link and the alternative text of a picture; empty for none.
struct PageReferences: Sendable, Hashable {
  /// The titles in the outline, separated by ` > `.
  var outline = ""
  var link = ""
  /// The text that screen readers read instead of the picture.
  var alternative = ""
}

extension PageReferences {
  /// Returns why a page cannot have the outline entry or the link; nil if it can.
  func problem(with arguments: Arguments) -> OptionProblem? {
    if !outline.isEmpty {
      let conformance = Conformance(rawValue: arguments.text("conformance"))
      let problem = PDFPage.problem(withOutline: outline) ?? conformance?.problem(withOutline: outline)
      if let problem { return OptionProblem("outline", because: problem) }
    }
    guard !link.isEmpty, let problem = LinkProblem(link) else { return nil }
    return OptionProblem("link", because: problem.description)
  }
}

/// The texts at the edges of one page; nil for none.
struct RunningTexts: Sendable, Hashable {
  var header: RunningText?
  var footer: RunningText?
  var pageNumber: RunningText?
  /// The heading of the picture's group. Only the first page of a group shows it.
  var heading: RunningText?
}

extension RunningTexts {
  /// Creates the lines of a page without pictures: those whose texts do not refer to a picture.
  init(withoutPicture arguments: Arguments) {
    func line(_ option: String) -> RunningText? {
      arguments.optionalText(option).flatMap { text in
        (try? NameTemplate(text, use: .runningLine, hasGroups: true))?.runningTextWithoutPicture
      }
    }
    self.init(header: line("header"), footer: line("footer"), pageNumber: line("page_number"))
  }

  var all: [RunningText] { [header, footer, pageNumber, heading].compactMap { $0 } }

  /// Returns the texts to show on a page that follows one with the heading `before`. On the first page of a group, the
  /// group's heading replaces the header.
  func following(_ before: RunningText?) -> RunningTexts {
    guard heading != nil else { return self }
    var texts = self
    if heading == before { texts.heading = nil } else { texts.header = nil }
    return texts
  }
}
