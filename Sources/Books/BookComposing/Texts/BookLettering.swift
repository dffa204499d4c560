import ImageCore
import ImagePipeline
import PDFBook
import TextShaping

/// Sets the texts of one book with Pango, such as captions, titles and page numbers. Without Pango, captions are set in
/// Helvetica.
///
/// Used by one worker at a time, like the writer of the book.
final class BookLettering {
  private let captionStyle: TextStyle
  private let title: String
  private let titleStyle: TextStyle
  /// Whether a style determines the title page's font size.
  private let hasDesignedTitle: Bool
  /// The title on a cover's front; nil for none.
  private let front: FrontTitle?
  private let spine: SpineText?
  private let running: RunningLines
  /// The running lines of pages of text, which have no picture to refer to.
  private let linesWithoutPicture: RunningTexts
  private var layouter = LateLayouter()
  private var pageCount = 0
  private var later: [LaterPage] = []
  private var lines: [String] = []
  /// The notes about running lines, each with the number of pages that it concerns, and the first of these pages. Equal
  /// notes are joined, because a note may concern every page.
  private var repeated: [(text: String, pages: Int, first: Int)] = []
  private var shortened = ShortenedTexts()
  private var moreNotes = 0

  /// A page that was written without its running lines. They contain the number of pages, so they are written last.
  private struct LaterPage {
    let place: DeferredTexts
    let size: PageSize
    /// The lower left corner of the lines' area, which is not the page's corner on covers and on pages with marks.
    let offset: (x: Double, y: Double)
    let number: Int
    let texts: RunningTexts
    let covered: CoveredEdges
    let ground: Colour?
  }

  /// The maximum number of notes in `lines`, and of those in `repeated`.
  private static let maximumNotes = 50

  static var isPangoThere: Bool { TextLayouter.problem == nil }

  /// - Parameter margins: the margins of the options, without room for running lines.
  init(_ arguments: Arguments, margins: PageMargins) {
    captionStyle = TextStyle(captionOf: arguments)
    title = arguments.titlePage
    titleStyle = TextStyle(title: "title_page", of: arguments)
    hasDesignedTitle = arguments.hasDesignedTitle
    front = FrontTitle(arguments)
    spine = SpineText(arguments)
    running = RunningLines(arguments, margins: margins)
    linesWithoutPicture = RunningTexts(withoutPicture: arguments)
  }

  /// Returns mistakes in the options that can be found without the pictures.
  func problems(with arguments: Arguments) -> [OptionProblem] {
    var problems = TextParameters.unusedOptions(in: arguments).map { option, text in
      OptionProblem(option, "is given, but no '\(text)'")
    }
    let hasCaption =
      !(arguments.optionalText("caption") ?? "").isEmpty || arguments.has("captions")
    guard hasCaption || !title.isEmpty || front != nil || spine != nil || !running.isEmpty else {
      return problems
    }
    if let problem = TextLayouter.problem {
      let styled = arguments.given.map(\.name).first {
        $0.hasPrefix("caption_") && !["caption_size", "caption_colour"].contains($0)
      }
      let others = TextParameters.names.filter { $0 != "caption" && arguments.has($0) }
      if let option = others.first ?? styled { problems.add(option, because: problem.description) }
      return problems
    }
    if let pages = running.overlap {
      let which = pages == "all" ? "" : " on \(pages) pages"
      problems.add(
        "footer", "and 'page_number' would be written over each other\(which); give them different 'align'")
    }
    for option in TextParameters.names {
      if let text = arguments.optionalText(option), let problem = TextError.problem(with: text) {
        problems.add(RunningLines.name(of: option, arguments), because: problem.description)
      }
    }
    for option in TextParameters.wholeBook {
      guard let field = arguments.optionalText(option).flatMap(NameTemplate.firstField) else { continue }
      problems.add(
        option,
        "is one text for the whole book, so \(field) has no value; "
          + "build the text in the script")
    }
    let fonts =
      [captionStyle.font, titleStyle.font]
      + [front?.style.font, spine?.style.font].compactMap { $0 } + running.fonts
    for font in Set(fonts).sorted() where font != TextStyle.defaultFont {
      do throws(TextError) {
        if let problem = try layouter.get().problem(withFont: font) { problems.add("\(problem)") }
      } catch {
        problems.add("\(error)")
      }
    }
    return problems
  }

  /// Returns whether pages contain drawn texts other than captions.
  func drawsTexts(on plan: BookPlan) -> Bool {
    !title.isEmpty || front != nil || spine != nil || !running.isEmpty
      || plan.pages?.contains { $0.text != nil } ?? false
  }

  /// Throws if a text does not fit on its page, as writing the text would.
  func check(_ plan: BookPlan) throws(PDFError) {
    let (layout, firstPage) = (plan.layout, plan.firstPageSize)
    let textPages = plan.pages?.filter { $0.text != nil } ?? []
    guard !title.isEmpty || front != nil || spine != nil || !textPages.isEmpty else { return }
    let layouter = try self.layouter.ready()
    // Characters that cannot be shown are noted when the text is written.
    var notes: [TextNote] = []
    if !title.isEmpty {
      _ = try layout.titlePage(
        title, style: titleStyle(in: layout), size: firstPage, tint: plan.tint, with: layouter, notes: &notes)
    }
    for page in textPages {
      if let text = page.text { _ = try layout.placed(text, on: page, number: 1, with: layouter, notes: &notes) }
    }
    var page = PDFPage(size: firstPage)
    if let front { try page.add(front, of: layout, with: layouter, notes: &notes) }
    if let spine { try page.add(spine, of: layout, with: layouter, notes: &notes) }
  }

  /// Returns the possible places of the title on a cover's front, the default first. There are none if the script
  /// states the place, if there is no title, or if Pango is not installed.
  func titlePlaces(on layout: BookLayout) throws(PDFError) -> [(position: TextPosition, area: PageRectangle)] {
    guard let front, front.position == nil, Self.isPangoThere else { return [] }
    return try layout.places(for: front, with: try layouter.ready())
  }

  /// The size of the book's title, as a multiple of that of chapter titles.
  private static let largerTitle = 1.4

  private func titleStyle(in layout: BookLayout) -> TextStyle {
    guard hasDesignedTitle, let type = layout.type else { return titleStyle }
    var style = titleStyle
    style.size = type.title * Self.largerTitle
    return style
  }

  /// Counts a page without texts.
  func skipPage() { pageCount += 1 }

  /// Continues the page count after `count` pages that were laid out elsewhere.
  func begin(beforePage count: Int) { pageCount = count }

  /// Returns the title page, as large as the first page; nil for none. Called once, before all other pages.
  func titlePage(of plan: BookPlan, size: PageSize) throws(PDFError) -> PDFPage? {
    guard !title.isEmpty else { return nil }
    pageCount += 1
    var found: [TextNote] = []
    let result = try plan.layout.titlePage(
      title, style: titleStyle(in: plan.layout), size: size, tint: plan.tint, with: try layouter.ready(), notes: &found)
    note(found)
    return result
  }

  /// Returns a page with its captions and running lines.
  ///
  /// - Parameters:
  ///   - alone: the only picture of the page; nil for a page that is planned for several pictures.
  ///   - running: the lines of the page's first picture; empty for a blank page.
  func page(
    _ plan: PlannedPage, of layout: BookLayout, alone: LayoutPicture?, running texts: RunningTexts, _ writer: PDFWriter,
    _ picture: (Int) -> LaidPicture?
  ) throws(PDFError) -> PDFPage {
    pageCount += 1
    let isPlainText = plan.cells.isEmpty && !(plan.text?.text ?? "").isEmpty
    let texts = plan.hidesRunningLines ? RunningTexts() : isPlainText ? linesWithoutPicture : texts
    var found: [TextNote] = []
    var result = try captioned(plan, layout, alone, &found, picture)
    if let text = plan.text {
      result.texts += try layout.placed(text, on: plan, number: pageCount, with: try layouter.ready(), notes: &found)
    }
    if let front { try result.add(front, of: layout, with: try layouter.ready(), notes: &found) }
    if let spine { try result.add(spine, of: layout, with: try layouter.ready(), notes: &found) }
    defer { note(found) }
    let lines = texts.all
    guard !lines.isEmpty else { return result }
    let area = layout.runningArea(on: plan.size)
    let size = PageSize(width: area.width, height: area.height)
    let margin = layout.options.print.margin
    let offset = (x: area.left + margin, y: area.bottom + margin)
    let covered = running.edges(
      under: result.placements.map { ($0.clip ?? $0.rectangle).offset(-offset.x, -offset.y) }, on: size)
    if lines.contains(where: \.needsPageCount) {
      let place = writer.reserveTexts(onPageOf: result.size)
      result.deferredTexts = place
      result.deferredBackgrounds = running.backgrounds(on: covered)
      later.append(
        LaterPage(
          place: place, size: size, offset: offset, number: pageCount, texts: texts,
          covered: covered, ground: plan.background))
    } else {
      result.texts += try running.layout(
        Self.texts(texts, page: pageCount, of: nil), page: pageCount, size: size, on: covered,
        ground: plan.background, with: try layouter.ready(), notes: &found
      ).map { $0.moved(offset.x, offset.y) }
    }
    return result
  }

  private func captioned(
    _ plan: PlannedPage, _ layout: BookLayout, _ alone: LayoutPicture?, _ found: inout [TextNote],
    _ picture: (Int) -> LaidPicture?
  ) throws(PDFError) -> PDFPage {
    let laid = plan.cells.compactMap { picture($0.picture) }
    guard laid.contains(where: { !$0.caption.isEmpty }), Self.isPangoThere else {
      if laid.contains(where: { !$0.caption.isEmpty }), lines.isEmpty, let problem = TextLayouter.problem {
        found.append(.line("captions are in Helvetica, which is not embedded: \(problem)"))
      }
      return try layout.page(plan, picture)
    }
    if let alone {
      return try layout.singlePage(
        alone, laid[0], captions: captionStyle, number: pageCount, with: try layouter.ready(), notes: &found)
    }
    return try layout.page(
      plan, captions: captionStyle, number: pageCount, with: try layouter.ready(), notes: &found, picture)
  }

  private static func texts(_ running: RunningTexts, page: Int, of count: Int?) -> [String: String] {
    [
      "header": running.header, "footer": running.footer, "page_number": running.pageNumber,
      "section_heading": running.heading,
    ].compactMapValues { $0?.text(page: page, pageCount: count) }
  }

  private func note(_ found: [TextNote]) {
    for note in found {
      switch note {
      case .shortened(let text): shortened.add(text)
      case .line(let line):
        if lines.count < Self.maximumNotes { lines.append(line) } else { moreNotes += 1 }
      case .onPages(let text, let page):
        if let index = repeated.firstIndex(where: { $0.text == text }) {
          repeated[index].pages += 1
        } else if repeated.count < Self.maximumNotes {
          repeated.append((text, 1, page))
        } else {
          moreNotes += 1
        }
      }
    }
  }

  /// Notes about texts that could not be shown as requested, one line each.
  var notes: [String] {
    lines
      + repeated.map { text, pages, first in
        pages == 1 ? "page \(first): \(text)" : "\(pages) pages, page \(first) first: \(text)"
      } + (moreNotes > 0 ? ["and \(moreNotes) more of this kind"] : []) + shortened.notes
  }

  /// Writes the lines that contain the number of pages. Called once, before the writer's `finish`.
  ///
  /// - Parameter count: the number of pages; nil for the number that this object has counted.
  func finish(_ writer: PDFWriter, pageCount count: Int? = nil) throws(PDFError) {
    for page in later {
      var found: [TextNote] = []
      let texts = Self.texts(page.texts, page: page.number, of: count ?? pageCount)
      let placed = try running.layout(
        texts, page: page.number, size: page.size, on: page.covered, ground: page.ground, with: try layouter.ready(),
        notes: &found)
      try writer.write(placed.map { $0.moved(page.offset.x, page.offset.y) }, as: page.place)
      note(found)
    }
  }
}

/// The texts of a book that were shortened with an ellipsis, with one note for each option.
struct ShortenedTexts {
  private struct Entry {
    let option: String
    let first: ShortenedText
    var count = 1
  }
  private var entries: [Entry] = []

  mutating func add(_ text: ShortenedText) {
    if let index = entries.firstIndex(where: { $0.option == text.option }) {
      entries[index].count += 1
    } else {
      entries.append(Entry(option: text.option, first: text))
    }
  }

  /// Notes with the number of texts, the first of them, and a remedy.
  var notes: [String] { entries.map(note) }

  private func note(_ entry: Entry) -> String {
    let (option, first, count) = (entry.option, entry.first, entry.count)
    let part = first.isInMiddle ? "middle" : "end"
    guard option == "caption" else {
      let pages = count == 1 ? first.owner : "\(count) pages, \(first.owner) first"
      let place = TextParameters.wholeBook.contains(option) ? "" : " on \(pages)"
      return "'\(option)' was too long for its line\(place), and an ellipsis replaces its \(part)"
    }
    let (who, whose) =
      count == 1
      ? ("the caption of \(first.owner) was", "its")
      : ("the captions of \(count) pictures, \(first.owner) first, were", "their")
    return "\(who) too long, and an ellipsis replaces \(whose) \(part); 'caption_lines' gives "
      + "more room, 'caption_overflow' smaller letters"
  }
}

/// A layouter that is created when it is first used.
struct LateLayouter {
  private var layouter: TextLayouter?

  mutating func get() throws(TextError) -> TextLayouter {
    if let layouter { return layouter }
    let made = try TextLayouter()
    layouter = made
    return made
  }

  /// Returns the layouter for code that throws `PDFError`.
  mutating func ready() throws(PDFError) -> TextLayouter {
    do throws(TextError) { return try get() } catch { throw .text(error) }
  }
}
