import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits
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

/// Checks of a cover: the book inside it, and its spine.
extension BookChecker {
  /// Returns the options that the script gives, and for a cover also those that the cover takes from the book inside
  /// it. Nil if `cover_of` does not name a suitable book, which is reported.
  mutating func withBook() -> RawArguments? {
    var raw = request.options
    guard let named = raw.named.first(where: { $0.name == "cover_of" }) else { return raw }
    guard let book = request.coverOf, book.kind == .book else {
      mistake("cover_of", "is \(named.value.typeName); expected one book, as img.book returns it")
      return nil
    }
    let known = sink.boundBooks.first { $0.request.job === book }?.binding
    guard let binding = known, !binding.isCover else {
      let isCover = known?.isCover ?? false
      mistake(
        "cover_of",
        isCover
          ? "is a cover itself; it takes the book inside"
          : "is a book with mistakes, so its pages are not known; correct the book first")
      return nil
    }
    if binding.sizes.count > 1, !raw.named.contains(where: { $0.name == "paper" }) {
      let sizes = binding.sizes.prefix(2).map(BookBinding.text).joined(separator: " and ")
      mistake(
        "cover_of",
        "is a book whose pages have several sizes, such as \(sizes); give the cover its paper, or the "
          + "book one paper and orientation")
      return nil
    }
    // Layouts other than `cover` do not accept all inherited options.
    guard raw.named.contains(where: { $0.name == "layout" && $0.value == .text("cover") }) else { return raw }
    for option in binding.options where !raw.named.contains(where: { $0.name == option.name }) {
      raw.named.append(option)
    }
    raw.named.sort { $0.name < $1.name }
    if !raw.named.contains(where: { $0.name == "paper_thickness" }),
      case .text(let binding)? = raw.named.first(where: { $0.name == "binding" })?.value,
      let thickness = Binding.paperThickness(of: binding)
    {
      note(
        "the spine is for paper of \(thickness) a sheet, as in the printer's rules of binding '\(binding)'; "
          + "paper_thickness = \"…\" sets that of yours")
    }
    return raw
  }

  /// Returns a cover's options. If the spine is too thin for its text, the text is removed and a note is added.
  mutating func droppingSpineText(_ arguments: Arguments) -> Arguments {
    guard SpineText(arguments) != nil, let text = SpineText.shortage(on: BookFormat.layout(arguments)) else {
      return arguments
    }
    note(text)
    return arguments.with("spine_text", .text(""))
  }

  /// Returns the background of a spine that shows no picture: the main colour of the front picture. If the script sets
  /// the colour of the spine's text, the background is the first dominant colour on which the text is readable, or else
  /// black or white. Nil if the plan has no bare spine, if the script sets the spine's background, if no colour is
  /// known, or in a dry run that does not keep its plan.
  func spineColour(_ arguments: Arguments, _ plan: BookPlan, _ candidates: BookCandidates) -> Colour? {
    guard !checks.options.isDryRun || checks.options.keepsPlan, !arguments.has("spine_text_background"),
      let page = plan.pages?.first, plan.layout.hasBareSpine(page), let front = page.cells.first,
      let picture = candidates.found.first(where: { $0.place == front.picture })?.picture,
      let colours = checks.traits([picture])[0]?.colours, let first = colours.first
    else { return nil }
    guard let text = SpineText(arguments), text.hasOwnColour else { return first }
    return colours.first { $0.contrast(to: text.style.colour) >= Colour.readableContrast }
      ?? (text.style.colour.isLight ? .black : .white)
  }
}
