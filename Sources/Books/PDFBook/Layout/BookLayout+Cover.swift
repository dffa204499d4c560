import ImageCore

extension LayoutKind {
  package static let cover = LayoutKind(
    rawValue: "cover", summary: "around a cover",
    options: [
      "fit", "enlarge", "reduce", "cover_pages", "cover_thickness", "hinge", "turn_in", "binding", "cover_of",
      "front_title",
    ],
    lacks: [
      "page_multiple", "title_page", "section_heading", "chapter", "colophon", "section_page_break",
    ],
    parameters: [
      ParameterDescriptor(
        "cover_pages", .integer(0...100_000), default: .integer(0),
        help: "number of pages of the book inside the cover, for the width of the spine"),
      ParameterDescriptor(
        "paper_thickness", .lengths(1...1), default: .text("0"),
        help:
          "thickness of a sheet (two pages) of the book, for the spine of its cover: '0.11mm'; cover_of passes it on"
      ),
      ParameterDescriptor(
        "cover_thickness", .lengths(1...1), default: .text("0"),
        help: "thickness of the cover itself; the spine includes it twice"),
      ParameterDescriptor(
        "hinge", .lengths(1...1), default: .text("0"),
        help: "width of the groove on each side of the spine in which a hardcover opens"),
      ParameterDescriptor(
        "turn_in", .lengths(1...1), default: .text("0"),
        help: "width at the outer edges of the cover that is folded around the boards"),
      ParameterDescriptor(
        "binding", .choice(Binding.all.map(\.name)),
        help: "lengths that a printer publishes for a kind of binding; each can be given by its own option, too"),
    ]
  ) { (layout, pictures) throws(PDFError) in [try layout.coverPage(pictures)] }
}

extension BookLayout {
  /// Lays out a cover: back, spine and front side by side. The front is on the right, or on the left in a
  /// book read from right to left.
  ///
  /// A single picture wraps around the whole cover. Of several pictures, the first is the front, the second the back,
  /// and the third the spine. A picture at an edge without a margin extends over the hinge, or around the boards.
  func coverPage(_ pictures: [LayoutPicture]) throws(PDFError) -> PlannedPage {
    let size = coverSize
    guard pictures.count <= 3 else { throw .coverPictures(pictures.count) }
    if pictures.count == 1 {
      return PlannedPage(
        size: size, cells: [try cell(pictures[0], 0, in: contentArea(of: size), fit: setup.fit, on: size)])
    }
    var cells: [PageCell] = []
    for (index, picture) in pictures.enumerated() {
      let area: PageRectangle
      switch index {
      case 0: area = try panel(isRight: !options.binding.isRightToLeft)
      case 1: area = try panel(isRight: options.binding.isRightToLeft)
      default:
        guard options.binding.spine >= 1 else { throw .noSpine }
        let content = try panel(isRight: true)
        area = PageRectangle(
          left: spineLeft, bottom: content.bottom, width: options.binding.spine, height: content.height)
      }
      cells.append(try cell(picture, index, in: area, fit: setup.fit, on: size))
    }
    return PlannedPage(size: size, cells: cells)
  }

  /// The size of the whole sheet, including the part folded around the boards.
  var coverSize: PageSize {
    let (page, binding) = (pageSize, options.binding)
    return PageSize(
      width: 2 * (binding.turnIn + page.width) + binding.gap, height: page.height + 2 * binding.turnIn)
  }

  /// The left edge of the spine on the sheet.
  var spineLeft: Double { options.binding.turnIn + pageSize.width + options.binding.hinge }

  /// Returns whether a page is a cover with pictures on both sides of its spine, but no picture or background on the
  /// spine.
  package func hasBareSpine(_ page: PlannedPage) -> Bool {
    let (left, right) = (spineLeft, spineLeft + options.binding.spine)
    func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 0.01 }
    return options.kind == .cover && right > left && setup.background == nil
      && page.cells.contains { isNear($0.visible.right, left) }
      && page.cells.contains { isNear($0.visible.left, right) }
      && !page.cells.contains { $0.visible.left < right - 0.01 && $0.visible.right > left + 0.01 }
  }

  /// Returns the area for pictures on the left or right half of the sheet, inside the margins. Where a margin is 0, the
  /// area extends to the edge of the sheet or to the spine.
  private func panel(isRight: Bool) throws(PDFError) -> PageRectangle {
    let (page, binding, margins) = (pageSize, options.binding, setup.margins)
    let content = try contentArea(of: page)
    let left = isRight ? binding.turnIn + page.width + binding.gap : binding.turnIn
    func reach(_ margin: Double, _ more: Double) -> Double { margin > 0 ? 0 : more }
    let before = reach(margins.left, isRight ? binding.hinge : binding.turnIn)
    let after = reach(margins.right, isRight ? binding.turnIn : binding.hinge)
    let (below, above) = (reach(margins.bottom, binding.turnIn), reach(margins.top, binding.turnIn))
    return PageRectangle(
      left: left + content.left - before, bottom: binding.turnIn + content.bottom - below,
      width: content.width + before + after, height: content.height + below + above)
  }
}
