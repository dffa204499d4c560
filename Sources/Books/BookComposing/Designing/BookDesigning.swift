import BookDesign
import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits
import TextShaping

/// Designs the pages of one book with the layout `auto`.
struct BookDesigning {
  /// The pages of a design, ready for a plan.
  struct Designed {
    var pages: [PlannedPage] = []
    /// The margins from the options or the style.
    let margins: PageMargins
    /// The sizes of texts.
    let type: PageType
    /// The number of pages before the first of `pages`.
    let pagesBefore: Int
    /// The pages of the design in order, with their own texts. `group` is set only for pages in `DesignedTexts.fixed`.
    var complete: [(page: DesignPage, text: PageText?, group: Int?)] = []
    /// The mistakes in declared pages, by the pages' indices in `OutputRequest.pages`. If there are any, there are no
    /// pages.
    var problems: [(page: Int, reason: String)] = []
    /// One line for each page, with its pictures and the reasons for its design, and a last line about all pages.
    var lines: [String] = []
    var notes: [String] = []
    /// The colour of pages without pictures; nil for the colour of the book.
    var tint: Colour?
    /// A record of the pages as declarations; nil if not requested.
    var record: DesignRecord?
    /// The pictures that the book leaves out, with their indices and the reasons.
    var leftOut: [LeftOutPicture] = []
  }

  private let style: DesignStyle
  /// The options, with the style's values as defaults.
  let arguments: Arguments
  private let layout: BookLayout
  private let running: RunningLines
  private let margins: PageMargins
  private let type: PageType

  /// - Parameter given: arguments without mistakes according to `BookOptions.problems`.
  init(_ style: DesignStyle, _ given: Arguments) {
    self.style = style
    let size = BookFormat.layout(given).designedPageSize
    let side = min(size.width, size.height)
    let type = style.type.scaled(toSide: side)
    arguments = given.withDefaults(type.options + style.look.options(side: side))
    var layout = BookFormat.layout(arguments)
    if !arguments.isGiven("margin") {
      // The method `paper` sets the inner margin. The top margin is rounded so that the content begins on a line of the
      // baseline grid.
      let top = max(1, (style.margins.top * side / type.baseline).rounded()) * type.baseline
      layout.setup.margins = PageMargins(
        top: top, right: style.margins.outer * side, bottom: style.margins.bottom * side,
        left: style.margins.outer * side)
    }
    margins = layout.setup.margins
    running = RunningLines(arguments, margins: margins)
    layout.setup.margins = running.contentMargins
    if !arguments.isGiven("gutter") {
      (layout.options.rowGap, layout.options.columnGap) = (style.gap * side, style.gap * side)
    }
    self.type = PageType(title: type.title, heading: type.heading, text: type.text, baseline: type.baseline)
    layout.type = self.type
    self.layout = layout
  }

  /// Returns the design of a book.
  ///
  /// - Parameters:
  ///   - sequence: the sections of the book, and the pages that the script declares.
  ///   - captions: the measurer of captions; nil if all captions have one line.
  func design(
    _ facts: [PictureFacts], _ sequence: BookSequence, captions: CaptionMeasurer?
  ) throws(PDFError) -> Designed {
    var layout = layout
    layout.measurer = captions
    let room = try layout.designedCaptions(of: facts.map(\.layout))
    let paper = paper(strip: room.strip)
    var texts = try DesignedTexts(sequence, layout, width: paper.contentWidth)
    let found = try search(request(facts, texts, paper))
    var designed = Designed(
      margins: margins, type: type, pagesBefore: paper.pagesBefore, notes: found.notes, leftOut: found.leftOut)
    designed.problems = problems(of: found, texts, facts, paper)
    guard designed.problems.isEmpty else { return designed }
    let sizes = facts.map(\.layout)
    var pages = found.pages
    let ownTexts = try pages.indices.map { (index) throws(PDFError) in
      try complete(&pages[index], &texts, paper, facts)
    }
    let declared = pages.map { page in page.fixed.map { texts.fixed[$0].page } }
    designed.tint = tint(&pages, asking: declared.map { $0?.isTinted ?? false }, facts)
    for (index, page) in pages.enumerated() {
      var planned = try layout.designedPages(page, sizes, lines: room.lines)
      for half in planned.indices {
        planned[half].hidesRunningLines = page.coversEdges(of: paper)
        planned[half].background = page.background ?? designed.tint
      }
      planned[0].text = ownTexts[index]
      designed.pages += planned
      designed.complete.append((page, ownTexts[index], declared[index]?.group))
      designed.lines.append(
        Self.line(found.pages[index], ownTexts[index], before: paper.pagesBefore) { facts[$0].name })
    }
    if !found.pages.isEmpty { designed.lines.append(Self.line(found.figures)) }
    while (otherPages + designed.pages.count) % layout.options.print.pageMultiple != 0 {
      designed.pages.append(PlannedPage(size: layout.designedPageSize))
      designed.pages[designed.pages.count - 1].background = designed.tint
    }
    return designed
  }

  private var otherPages: Int { layout.options.pagesBefore + layout.options.pagesAfter }

  private func request(
    _ facts: [PictureFacts], _ texts: DesignedTexts, _ paper: DesignPaper
  ) -> DesignRequest {
    var request = DesignRequest(
      pictures: facts.map {
        DesignPicture(
          width: $0.layout.width, height: $0.layout.height, time: $0.time, traits: $0.traits,
          hasCaption: $0.layout.hasCaption)
      }, hints: facts.map(\.hint), sections: texts.sections, style: style, paper: paper,
      leavesOutDuplicates: !arguments.boolean("duplicates"))
    request.fixed = texts.fixed.map(\.page)
    request.textHeights = texts.fixed.map(\.textHeight)
    request.openers = texts.heights
    request.otherPages = otherPages
    request.pageCount = arguments.optionalInteger("pages").map { max(1, $0 - otherPages) }
    return request
  }

  private func search(_ request: DesignRequest) throws(PDFError) -> BookDesign {
    var found = BookDesigner.design(request)
    let multiple = layout.options.print.pageMultiple
    if multiple > 1, request.pageCount == nil, let first = found {
      // More pages with pictures are better than blank pages at the end.
      var request = request
      request.pageCount = (otherPages + first.pageCount + multiple - 1) / multiple * multiple - otherPages
      found = BookDesigner.design(request)
    }
    guard let found else { throw .noRoom(width: request.paper.width, height: request.paper.height) }
    return found
  }

  /// Returns the mistakes in declared pages: those that the designer finds, and captions that would extend beyond the
  /// page.
  private func problems(
    of found: BookDesign, _ texts: DesignedTexts, _ facts: [PictureFacts], _ paper: DesignPaper
  ) -> [(page: Int, reason: String)] {
    var problems = found.problems.compactMap { problem in
      texts.fixed[problem.page].declared.map { (page: $0, reason: problem.reason) }
    }
    let (strip, side) = (paper.captionStrip / paper.height, paper.captionsAreAbove ? "above" : "below")
    guard strip > 0 else { return problems }
    for fixed in texts.fixed {
      let slot = zip(fixed.page.slots, fixed.page.pictures).enumerated().first { _, place in
        let (slot, picture) = place
        guard facts[picture].layout.hasCaption, slot.text == nil else { return false }
        return paper.captionsAreAbove ? slot.area.top < strip : slot.area.bottom + strip > 1
      }
      guard let page = fixed.declared, let slot else { continue }
      problems.append(
        (
          page,
          "the caption \(side) slot \(slot.offset + 1) has no room on the page; make the slot smaller, or give the "
            + "caption a place: text = { left, top, width, height }"
        ))
    }
    return problems
  }

  private func paper(strip: Double) -> DesignPaper {
    let size = layout.designedPageSize
    let side = min(size.width, size.height)
    let content = layout.setup.margins
    let isGiven = arguments.isGiven("margin")
    let inner = isGiven ? content.left : max(content.left, style.margins.inner * side)
    var paper = DesignPaper(
      width: size.width, height: size.height,
      margins: .init(top: content.top, bottom: content.bottom, inner: inner, outer: content.right),
      gap: max(layout.options.rowGap, layout.options.columnGap))
    paper.captionStrip = strip
    paper.captionsAreAbove = layout.setup.captions.position == .above
    paper.sectionsHaveHeadings = arguments.has("section_heading")
    paper.pagesBefore = layout.options.pagesBefore
    paper.startsRight = layout.options.binding.startsRight
    paper.isRightToLeft = layout.options.binding.isRightToLeft
    return paper
  }

  /// The share of a picture's attention that its crop must keep, so that `mayCut` allows a slightly smaller crop.
  private static let leastKept = 0.95

  /// Tints pages with the colours of their pictures: all pages if the book requests it, otherwise the pages that
  /// request it. Facing pages have the same colour.
  ///
  /// - Parameter asking: whether each page requests a tint.
  /// - Returns: the colour of pages without pictures. If the book requests tints, it is the mean colour of the other
  ///   pages; otherwise nil, for the colour of the book.
  private func tint(_ pages: inout [DesignPage], asking: [Bool], _ facts: [PictureFacts]) -> Colour? {
    let areAllTinted = if case .text? = arguments["background"] { true } else { false }
    let isTinted = zip(pages, asking).map { $0.background == nil && (areAllTinted || $1) }
    // Captions on pictures have a veil behind them, so they do not restrict the colour of the page.
    let areOnPages = layout.setup.captions.position != .over
    let texts = ["caption", "header", "footer", "page_number", "section_heading"].filter {
      $0 == "caption" ? areOnPages && (arguments.has("caption") || arguments.has("captions")) : arguments.has($0)
    }.compactMap { arguments.optionalColour("\($0)_colour") }
    let binding = layout.options.binding
    var first = 0
    while first < pages.count {
      let number = layout.options.pagesBefore + pages[first].place + 1
      let isFirst = binding.isOnRight(number) == binding.isRightToLeft
      let hasNeighbour = isFirst && !pages[first].isSpread && first + 1 < pages.count
      let end = first + (hasNeighbour ? 2 : 1)
      var pictures: [(colours: [Colour], area: Double)] = []
      for index in first..<end where isTinted[index] {
        for slot in pages[index].slots {
          let area = slot.area.width * slot.area.height * Double(pages[index].pageCount)
          pictures.append((facts[slot.picture].traits?.colours ?? [], area))
        }
      }
      let colour = pictures.isEmpty ? nil : PageTint.colour(of: pictures, behind: texts)
      for index in first..<end where isTinted[index] { pages[index].background = colour }
      first = end
    }
    guard areAllTinted else { return nil }
    return PageTint.mean(of: pages.filter { !$0.slots.isEmpty }.compactMap(\.background))
  }

  /// Returns whether a picture may be cropped by a few typographic points to put its caption on the baseline grid.
  private func mayCut(_ slot: DesignSlot, of page: DesignPage, _ facts: [PictureFacts]) -> Bool {
    let template = style.templates.first { $0.name == page.template }
    return slot.kept >= Self.leastKept && facts[slot.picture].hint.keep == nil
      && template?.slots.allSatisfy { $0.crop > 0 } ?? false
  }

  /// Rounds the places on a page, puts captions on the baseline grid, and adds texts and the declared background.
  ///
  /// - Returns: the text of the page; nil for none.
  private func complete(
    _ page: inout DesignPage, _ texts: inout DesignedTexts, _ paper: DesignPaper, _ facts: [PictureFacts]
  ) throws(PDFError) -> PageText? {
    let fixed = page.fixed.map { texts.fixed[$0] }
    page.background = fixed?.page.background?.onPaper
    let size = layout.designedPageSize
    page.settle()
    if fixed?.page.slots.isEmpty ?? true {
      // Only places that the script does not declare may change.
      putOnGrid(&page, facts)
    }
    /// Returns the place of a text above the pictures.
    func above(_ text: PageText, height: Double) throws(PDFError) -> UnitRectangle {
      let left = page.slots.map(\.area.left).min() ?? 0
      let right = page.slots.map(\.area.right).max() ?? 1
      return try texts.place(
        of: text, height: height, above: left * size.width...right * size.width, on: paper, page: page.place)
    }
    var text = fixed?.text
    if let fixed, let own = text {
      if page.slots.isEmpty { return text }
      if !fixed.page.slots.isEmpty, let area = fixed.page.textArea {
        page.text = area
      } else if page.text == nil {
        page.text = try above(own, height: fixed.textHeight)
      }
    } else if let section = page.opens, let opener = texts.openers[section] {
      text = opener
      page.text = try above(opener, height: texts.heights[section])
    }
    page.text = page.text?.rounded
    text?.area = page.text.map { PageRectangle($0, of: size) }
    return text
  }

  /// Moves pictures so that their captions lie on the baseline grid.
  private func putOnGrid(_ page: inout DesignPage, _ facts: [PictureFacts]) {
    let sheet = layout.sheet(of: page)
    for (index, slot) in page.slots.enumerated() where facts[slot.picture].layout.hasCaption && slot.text == nil {
      let area = layout.onGrid(PageRectangle(slot.area, of: sheet), mayCut: mayCut(slot, of: page, facts))
      page.slots[index].area = UnitRectangle(area, of: sheet).rounded
    }
  }

  private static func line(_ figures: DesignFigures) -> String {
    func percent(_ share: Double) -> String { "\(Int((share * 100).rounded(.down)))%" }
    return "as a whole: pictures cover \(percent(figures.covered)) of the paper, and show \(percent(figures.kept)) of "
      + "what draws the eye, none of them less than \(percent(figures.leastKept))"
  }

  /// The maximum number of titles and pictures that the line about a page names.
  private static let mostNames = 4

  private static func line(_ page: DesignPage, _ text: PageText?, before: Int, naming name: (Int) -> String) -> String {
    let titles = [text.map { $0.title.isEmpty ? $0.text : $0.title }].compactMap(\.self)
    let names = titles.map { "'\(TextError.excerpt(of: $0))'" } + page.slots.map { name($0.picture) }
    let shown = names.prefix(names.count > mostNames ? mostNames - 1 : mostNames).joined(separator: ", ")
    let rest = names.count > mostNames ? " and \(names.count - mostNames + 1) more" : ""
    return "\(page.numbers(after: before)): \(page.template): \(shown)\(rest) (\(page.reasons.joined(separator: "; ")))"
  }
}

/// The facts about a picture that a design needs.
struct PictureFacts {
  let name: String
  let layout: LayoutPicture
  /// The time when the picture was taken, in seconds; nil if unknown.
  let time: Double?
  let traits: PictureTraits?
  let hint: DesignHint
}

extension TypeScale {
  /// The defaults that the type scale sets for options of a book. Sizes are rounded to tenths of a point, to keep the
  /// numbers in files short.
  fileprivate var options: [(name: String, value: ParameterValue)] {
    func size(_ points: Double) -> ParameterValue { .number(max(4, (points * 10).rounded() / 10)) }
    return ["caption", "header", "footer", "page_number"].map { ("\($0)_size", size(caption)) } + [
      ("section_heading_size", size(heading)), ("title_page_size", size(title)),
      (BaselineGrid.argument, .number(baseline)),
    ]
  }
}

extension DesignLook {
  /// Returns the defaults that the look sets for options of a book.
  ///
  /// - Parameter side: the shorter side of a page in points.
  fileprivate func options(side: Double) -> [(name: String, value: ParameterValue)] {
    func length(_ share: Double) -> String { "\(ParameterValue.text((share * side * 100).rounded() / 100))pt" }
    var options: [(name: String, value: ParameterValue)] = [
      ("corners", .text(length(corners))), ("border", .text(length(border))),
    ]
    if !shadow.isEmpty { options.append(("shadow", .text(shadow.map(length).joined(separator: " ")))) }
    if let borderColour { options.append(("border_colour", .colour(borderColour))) }
    if let shadowColour { options.append(("shadow_colour", .colour(shadowColour))) }
    switch background {
    case .colour(let colour)?: options.append(("background", .colour(colour)))
    case .pictures?: options.append(("background", .text(PageParameters.tint)))
    case nil: break
    }
    return options
  }
}
