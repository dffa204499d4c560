import ImageCore
import ImagePipeline
import PDFBook
import TextShaping

/// Checks of pages that a script declares.
extension BookChecker {
  /// Reports the mistakes in a book's declared pages that can be found without the pictures. Returns whether there are
  /// none.
  mutating func checkPages(_ arguments: Arguments) -> Bool {
    var isRight = true
    func wrong(_ message: String, _ page: Int, _ checker: inout BookChecker) {
      checker.mistake(message, onPage: page)
      isRight = false
    }
    let layout = LayoutKind(rawValue: arguments.text("layout"))!
    for (index, page) in request.pages.enumerated() {
      if layout == .cover {
        wrong("a cover has no pages; put the page into the book inside", index, &self)
      } else if layout != .auto, !page.pictures.isEmpty {
        wrong("a page of pictures needs a book with layout = \"auto\", which designs its pages", index, &self)
      }
    }
    // `TextLayouter.problem` loads Pango, which a book without texts does not need.
    if let index = request.pages.firstIndex(where: \.hasText), let problem = TextLayouter.problem {
      wrong("\(problem)", index, &self)
    }
    for (index, page) in request.pages.enumerated() {
      for (name, text) in [("title", page.title), ("text", page.text)] {
        if let problem = TextError.problem(with: text) { wrong("'\(name)': \(problem)", index, &self) }
      }
    }
    return isRight
  }

  /// Adds a mistake in a page that the script declares.
  mutating func mistake(_ message: String, onPage index: Int) {
    let position = request.position(ofPage: index)
    checks.report(.diagnostic(Diagnostic(.script, at: position, subject: "page", message: message)))
  }

  /// Returns the text of the colophon, which is the last page; nil if the book has none. If the option is blank, a
  /// default text is composed.
  func colophon(_ arguments: Arguments, _ candidates: BookCandidates) -> PageText? {
    guard let text = arguments.optionalText("colophon") else { return nil }
    var page = PageText(text: text)
    page.position = .bottom
    guard text.allSatisfy(\.isWhitespace) else { return page }
    page.title = arguments.optionalText("title") ?? ""
    let count = candidates.found.count
    let dates = candidates.found.compactMap { PictureDate($0.picture.metadata()) }
    var sentence = count == 1 ? "One picture" : "\(count) pictures"
    if let first = dates.min(by: { $0.order < $1.order }), let last = dates.max(by: { $0.order < $1.order }) {
      let (from, to) = (checks.text(of: first, "%e %B %Y"), checks.text(of: last, "%e %B %Y"))
      sentence += from == to ? ", taken on \(from)" : ", taken from \(from) to \(to)"
    }
    let layout = BookFormat.layout(arguments)
    let paper = layout.setup.paper.map { _ in layout.designedPageSize }
    let size = paper.map { "Printed on pages of \(BookBinding.text($0))." }
    page.text = ([sentence + "."] + [size].compactMap(\.self)).joined(separator: "\n\n")
    return page
  }

  /// Describes the pages of a designed book.
  mutating func describe(_ designed: BookDesigning.Designed, _ arguments: Arguments) {
    let title = arguments.titlePage
    let first = title.isEmpty ? 0 : 1
    let book = printable(request.name)
    if first > 0 { checks.describe("\(book) page 1: title page: '\(TextError.excerpt(of: title))'") }
    for line in designed.lines { checks.describe("\(book) " + line) }
    guard arguments.has("colophon") else { return }
    checks.describe("\(book) page \(first + designed.pages.count + 1): colophon")
  }
}
