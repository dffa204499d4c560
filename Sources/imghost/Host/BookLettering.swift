import ImageCore
import ImagePipeline
import PDFBook

/// The texts of one book: captions, headers, footers and page numbers, by Pango; and captions in Helvetica
/// where Pango is not installed.
///
/// Used by one worker at a time, as the writer of the book is.
final class BookLettering {
  private let setup: PageSetup
  /// With room for running lines.
  private let innerSetup: PageSetup
  private let captionStyle: TextStyle
  private let title: String
  private let titleStyle: TextStyle
  private let running: RunningLines
  /// Made with the first text.
  private var layouter: TextLayouter?
  private var pageCount = 0
  private var later: [LaterPage] = []
  private(set) var notes: [String] = []
  private var moreNotes = 0

  /// Running lines that name the number of pages: all that is kept of a page.
  private struct LaterPage {
    let place: LaterTexts
    let size: PageSize
    let number: Int
    let texts: RunningTexts
  }

  /// What a person reads of a book in which every page has the same fault.
  private static let maximumNotes = 50

  static var isPangoThere: Bool { TextLayouter.problem == nil }

  init(_ arguments: Arguments, _ setup: PageSetup) {
    self.setup = setup
    captionStyle = TextStyle(captionOf: arguments)
    title = arguments.optionalText("title_page") ?? ""
    titleStyle = TextStyle(titlePageOf: arguments)
    running = RunningLines(arguments, margins: setup.margins)
    var inner = setup
    inner.margins = running.innerMargins
    innerSetup = inner
  }

  /// What is wrong with the options, as far as it can be told before a picture is looked at.
  func problems(with arguments: Arguments) -> [String] {
    var problems = TextParameters.strays(in: arguments).map { option, text in
      "'\(option)' is given, but no '\(text)'"
    }
    let hasCaption = !(arguments.optionalText("caption") ?? "").isEmpty
    guard hasCaption || !title.isEmpty || !running.isEmpty else { return problems }
    if let problem = TextLayouter.problem {
      let styled = arguments.given.map(\.name).first {
        $0.hasPrefix("caption_") && !["caption_size", "caption_colour"].contains($0)
      }
      let others = TextParameters.names.filter { $0 != "caption" && arguments.has($0) }
      if let option = others.first ?? styled { problems.append("'\(option)': \(problem)") }
      return problems
    }
    if running.overlap {
      problems.append(
        "'footer' and 'page_number' would be written over each other; give them different 'align'")
    }
    for option in TextParameters.names {
      if let text = arguments.optionalText(option), let problem = TextError.problem(with: text) {
        problems.append("'\(option)': \(problem)")
      }
    }
    let fonts = [captionStyle.font, titleStyle.font] + running.fonts
    for font in Set(fonts).sorted() where font != TextStyle.defaultFont {
      do throws(TextError) {
        if let problem = try usedLayouter().problem(withFont: font) {
          problems.append("\(problem)")
        }
      } catch {
        problems.append("\(error)")
      }
    }
    return problems
  }

  private func usedLayouter() throws(TextError) -> TextLayouter {
    if let layouter { return layouter }
    let made = try TextLayouter()
    layouter = made
    return made
  }

  private func ready() throws(PDFError) -> TextLayouter {
    do throws(TextError) {
      return try usedLayouter()
    } catch {
      throw .text(error)
    }
  }

  /// The page before the first picture's, as large as that; nil for none. Called once, first.
  func titlePage(
    before page: BookPage, _ picture: PictureReference, _ orientation: Orientation
  ) throws(PDFError) -> PDFPage? {
    guard !title.isEmpty else { return nil }
    pageCount += 1
    var found: [String] = []
    let size = try innerSetup.layout(
      width: picture.width, height: picture.height, orientation: orientation,
      resolution: page.metadata.resolution
    ).size
    let result = try setup.titlePage(
      title, style: titleStyle, size: size, with: try ready(), notes: &found)
    note(found)
    return result
  }

  /// Lays out a page with its caption and running lines.
  func page(
    _ page: BookPage, _ picture: PictureReference, _ orientation: Orientation, _ writer: PDFWriter
  ) throws(PDFError) -> PDFPage {
    pageCount += 1
    var found: [String] = []
    var result = try captioned(page, picture, orientation, &found)
    if page.running.all.contains(where: \.needsPageCount) {
      let place = writer.reserveTexts(onPageOf: result.size)
      result.laterTexts = place
      later.append(
        LaterPage(place: place, size: result.size, number: pageCount, texts: page.running))
    } else if !page.running.all.isEmpty {
      result.texts += try running.layout(
        Self.texts(page.running, page: pageCount, of: nil), page: pageCount, size: result.size,
        with: try ready(), notes: &found)
    }
    note(found)
    return result
  }

  private func captioned(
    _ page: BookPage, _ picture: PictureReference, _ orientation: Orientation,
    _ found: inout [String]
  ) throws(PDFError) -> PDFPage {
    let caption = page.caption ?? ""
    guard !caption.isEmpty, Self.isPangoThere else {
      if !caption.isEmpty, notes.isEmpty, let problem = TextLayouter.problem {
        found.append("captions are in Helvetica, which is not embedded: \(problem)")
      }
      return try innerSetup.page(
        picture, orientation: orientation, resolution: page.metadata.resolution, caption: caption)
    }
    return try innerSetup.page(
      picture, orientation: orientation, resolution: page.metadata.resolution, caption: caption,
      style: captionStyle, number: pageCount, with: try ready(), notes: &found)
  }

  private static func texts(_ running: RunningTexts, page: Int, of count: Int?) -> [String: String]
  {
    [
      "header": running.header, "footer": running.footer, "page_number": running.pageNumber,
    ].compactMapValues { $0?.text(page: page, pageCount: count) }
  }

  private func note(_ found: [String]) {
    let room = max(0, Self.maximumNotes - notes.count)
    notes += found.prefix(room)
    moreNotes += max(0, found.count - room)
  }

  /// Writes what had to wait for the number of pages. Called once, before the writer's `finish`.
  func finish(_ writer: PDFWriter) throws(PDFError) {
    for page in later {
      var found: [String] = []
      let texts = Self.texts(page.texts, page: page.number, of: pageCount)
      let placed = try running.layout(
        texts, page: page.number, size: page.size, with: try ready(), notes: &found)
      try writer.write(placed, as: page.place)
      note(found)
    }
    if moreNotes > 0 { notes.append("and \(moreNotes) more of this kind") }
  }
}
