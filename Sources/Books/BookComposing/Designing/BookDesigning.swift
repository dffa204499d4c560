import BookDesign
import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits

/// Designs the pages of one book with the layout `auto`.
struct BookDesigning {
  /// The pages of a design, ready for a plan.
  struct Designed {
    var pages: [PlannedPage] = []
    /// The margins of the options, or of the style.
    let margins: PageMargins
    /// A line for each page: its pictures and why they are there.
    var lines: [String] = []
    /// Remarks on the whole book.
    var notes: [String] = []
    /// The places of pictures that the book leaves out.
    var leftOut: [LeftOutPicture] = []
  }

  private let style: DesignStyle
  private let arguments: Arguments
  private let layout: BookLayout
  private let running: RunningLines
  private let margins: PageMargins

  /// - Parameter arguments: those in which `BookOptions.problems` has found nothing wrong.
  init(_ style: DesignStyle, _ arguments: Arguments) {
    self.style = style
    self.arguments = arguments
    var layout = BookFormat.layout(arguments)
    let size = layout.designedPageSize
    let side = min(size.width, size.height)
    if !Self.isGiven("margin", in: arguments) {
      // The inner margin comes on top of these in the design.
      layout.setup.margins = PageMargins(
        top: style.margins.top * side, right: style.margins.outer * side, bottom: style.margins.bottom * side,
        left: style.margins.outer * side)
    }
    margins = layout.setup.margins
    running = RunningLines(arguments, margins: margins)
    layout.setup.margins = running.contentMargins
    self.layout = layout
  }

  /// Returns the design of a book.
  ///
  /// - Parameters:
  ///   - sections: the places that begin a page each time; empty if all follow each other.
  ///   - captions: measures captions of several lines; nil if they have one.
  func design(
    _ pictures: [CaptionedPicture], _ facts: [PictureFacts], sections: [Range<Int>], captions: CaptionMeasurer?
  ) throws(PDFError) -> Designed {
    var layout = layout
    layout.measurer = captions
    let room = try layout.designedCaptions(of: pictures.map(\.layout))
    var request = DesignRequest(
      pictures: zip(pictures, facts).map { picture, facts in
        DesignPicture(
          width: picture.layout.width, height: picture.layout.height, time: facts.time, traits: facts.traits,
          hasCaption: picture.layout.hasCaption)
      }, hints: facts.map(\.hint), sections: sections, style: style, paper: paper(strip: room.strip),
      leavesOutDuplicates: !arguments.boolean("duplicates"))
    let before = layout.options.pagesBefore
    request.pageCount = arguments.optionalInteger("pages").map { max(1, $0 - before) }
    let multiple = layout.options.print.pageMultiple
    var found = BookDesigner.design(request)
    if multiple > 1, request.pageCount == nil, let first = found {
      // Rather other pages than blank ones.
      request.pageCount = (before + first.pageCount + multiple - 1) / multiple * multiple - before
      found = BookDesigner.design(request)
    }
    let size = layout.designedPageSize
    guard let found else { throw .noRoom(width: size.width, height: size.height) }
    var designed = Designed(margins: margins, notes: found.notes, leftOut: found.leftOut)
    for page in found.pages {
      var planned = try layout.designedPages(
        page.slots.map { cell($0, size) }, pictures.map(\.layout), isSpread: page.isSpread, lines: room.lines)
      for index in planned.indices { planned[index].hidesRunningLines = page.isFull }
      designed.pages += planned
      designed.lines.append(Self.line(page, before: before, naming: { facts[$0].name }))
    }
    designed.lines.append(Self.line(DesignFigures(found, on: request.paper)))
    while (before + designed.pages.count) % multiple != 0 { designed.pages.append(PlannedPage(size: size)) }
    return designed
  }

  /// Whether a script gives an option that has a default.
  private static func isGiven(_ option: String, in arguments: Arguments) -> Bool {
    arguments.given.contains { $0.name == option }
  }

  private func paper(strip: Double) -> DesignPaper {
    let size = layout.designedPageSize
    let side = min(size.width, size.height)
    let content = layout.setup.margins
    let isGiven = Self.isGiven("margin", in: arguments)
    let inner = isGiven ? content.left : max(content.left, style.margins.inner * side)
    var paper = DesignPaper(
      width: size.width, height: size.height,
      margins: .init(top: content.top, bottom: content.bottom, inner: inner, outer: content.right),
      gap: Self.isGiven("gutter", in: arguments)
        ? max(layout.options.rowGap, layout.options.columnGap) : style.gap * side)
    paper.captionStrip = strip
    paper.captionsAreAbove = layout.setup.captions.position == .above
    paper.sectionsHaveHeadings = arguments.has("section_heading")
    paper.pagesBefore = layout.options.pagesBefore
    paper.startsRight = layout.options.binding.startsRight
    paper.isRightToLeft = layout.options.binding.isRightToLeft
    return paper
  }

  /// Turns a slot, which counts from the top, into a cell, which counts from the bottom.
  private func cell(_ slot: DesignSlot, _ size: PageSize) -> DesignedCell {
    let box = slot.rectangle
    return DesignedCell(
      picture: slot.picture,
      area: PageRectangle(
        left: box.left, bottom: size.height - box.top - box.height, width: box.width, height: box.height),
      shown: PageRectangle(
        left: slot.crop.left, bottom: 1 - slot.crop.top - slot.crop.height, width: slot.crop.width,
        height: slot.crop.height))
  }

  private static func line(_ figures: DesignFigures) -> String {
    func percent(_ share: Double) -> String { "\(Int((share * 100).rounded(.down)))%" }
    return "as a whole: pictures cover \(percent(figures.covered)) of the paper, and show \(percent(figures.kept)) of "
      + "what draws the eye, none of them less than \(percent(figures.leastKept))"
  }

  /// The most pictures of a page that its line names.
  private static let mostNames = 4

  private static func line(_ page: DesignPage, before: Int, naming name: (Int) -> String) -> String {
    let number = before + page.place + 1
    let pages = page.isSpread ? "pages \(number) and \(number + 1)" : "page \(number)"
    let names = page.slots.map { name($0.picture) }
    let shown = names.prefix(names.count > mostNames ? mostNames - 1 : mostNames).joined(separator: ", ")
    let rest = names.count > mostNames ? " and \(names.count - mostNames + 1) more" : ""
    return "\(pages): \(page.template): \(shown)\(rest) (\(page.reasons.joined(separator: "; ")))"
  }
}

/// The facts about a picture that a design needs beside its size.
struct PictureFacts {
  let name: String
  /// Seconds of the moment when it was taken; nil if it is not known.
  let time: Double?
  let traits: PictureTraits?
  let hint: DesignHint
}
