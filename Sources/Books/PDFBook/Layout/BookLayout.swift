import ImageCore

/// From sizes of pictures to pages of cells: a pure function of what it is told.
///
/// Pictures stay in their order. Every picture gets one cell, in a spread one on each of two pages. Cells
/// do not overlap and lie inside the margins, but for the bleed.
public struct BookLayout: Sendable, Hashable {
  public var setup: PageSetup
  public var options: LayoutOptions
  /// Nil where captions have one line.
  public var ruler: CaptionRuler?

  public init(setup: PageSetup = PageSetup(), options: LayoutOptions = LayoutOptions()) {
    self.setup = setup
    self.options = options
  }

  /// All pages.
  ///
  /// - Throws: `PDFError.noRoom` where margins, gaps and captions leave nothing.
  public func pages(of pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    var pages: [PlannedPage]
    switch options.kind {
    case .single:
      pages = []
      for (index, picture) in pictures.enumerated() {
        pages.append(try singlePage(picture, index))
      }
    case .grid: pages = try gridPages(pictures)
    case .justified: pages = try justifiedPages(pictures)
    case .masonry: pages = try masonryPages(pictures)
    case .spread: pages = try spreadPages(pictures)
    case .cover: pages = [try coverPage(pictures)]
    }
    if let last = pages.last, options.kind != .cover {
      let blank = PlannedPage(size: last.size)
      while (options.pagesBefore + pages.count) % options.print.pageMultiple != 0 {
        pages.append(blank)
      }
    }
    return pages
  }

  /// The page of one picture on its own. Without a paper it is as large as its picture, with its border.
  public func singlePage(_ picture: LayoutPicture, _ index: Int) throws(PDFError) -> PlannedPage {
    var natural = setup.naturalSize(picture.width, picture.height, .upright, picture.resolution)
    natural.width += 2 * options.border
    natural.height += 2 * options.border
    let size = setup.pageSize(
      for: natural, captionHeight: picture.hasCaption ? captionStrip : 0)
    var fit = setup.fit
    // On a page as large as its picture the picture is enlarged into the bleed.
    if setup.paper == nil, options.print.bleed > 0, fit == .inside || fit == .contain {
      fit = .cover
    }
    let room = withoutStrip(try room(of: size), picture.hasCaption ? captionStrip : 0)
    guard room.height >= 1 else { throw .noRoom(width: size.width, height: size.height) }
    var cell = try placed(picture, index, in: room, fit: fit, on: size)
    if picture.hasCaption { cell.caption = slot(of: cell, on: size) }
    return PlannedPage(size: size, cells: [cell])
  }

  /// Refuses a page that a PDF cannot have, with what is printed around it.
  public func check(_ page: PlannedPage) throws(PDFError) {
    let around = 2 * options.print.margin
    let whole = PageSize(width: page.size.width + around, height: page.size.height + around)
    guard whole.isPossible else {
      throw .pageSize(width: page.size.width, height: page.size.height)
    }
  }

  /// Refuses a picture whose own page cannot be, by what is wrong first: of a picture of a few pixels on a
  /// page of its size that is not the room.
  public func check(_ picture: LayoutPicture, _ index: Int) throws(PDFError) {
    guard setup.paper == nil else { return try check(singlePage(picture, index)) }
    let natural = setup.naturalSize(picture.width, picture.height, .upright, picture.resolution)
    let size = setup.pageSize(
      for: PageSize(
        width: natural.width + 2 * options.border, height: natural.height + 2 * options.border),
      captionHeight: picture.hasCaption ? captionStrip : 0)
    do throws(PDFError) {
      try check(PlannedPage(size: size))
      try check(singlePage(picture, index))
    } catch {
      guard min(natural.width, natural.height) < 3,
        max(natural.width, natural.height) <= PageSize.maximumPlainSide
      else { throw error }
      throw .pictureTooSmall(
        width: picture.width, height: picture.height, page: size,
        dpi: sufficientDPI(for: picture, index))
    }
  }

  /// A resolution at which a picture of a few pixels has a page of its own; nil for none.
  private func sufficientDPI(for picture: LayoutPicture, _ index: Int) -> Double? {
    var other = self
    // Three points a side.
    let dpi = Double(24 * min(picture.width, picture.height))
    other.setup.dpi = dpi
    guard let page = try? other.singlePage(picture, index), (try? check(page)) != nil else {
      return nil
    }
    return dpi
  }

  // MARK: Shared

  /// The paper as it lies.
  var pageSize: PageSize {
    let paper = setup.paper ?? LayoutOptions.defaultPaper
    let (short, long) = (min(paper.width, paper.height), max(paper.width, paper.height))
    return setup.orientation == .landscape
      ? PageSize(width: long, height: short) : PageSize(width: short, height: long)
  }

  /// What the margins leave of a page.
  func room(of size: PageSize) throws(PDFError) -> PageRectangle {
    let margins = setup.margins
    let room = PageRectangle(
      left: margins.left, bottom: margins.bottom, width: size.width - margins.left - margins.right,
      height: size.height - margins.top - margins.bottom)
    guard room.width >= 1, room.height >= 1 else {
      throw .noRoom(width: size.width, height: size.height)
    }
    return room
  }

  /// A cell with its caption: in a strip along its edge, or on the picture.
  ///
  /// - Parameters:
  ///   - captions: what its row's take, whether it has one itself or not; nil where it stands alone.
  ///   - size: of the page at whose edges pictures reach into the bleed.
  func cell(
    _ picture: LayoutPicture, _ index: Int, in area: PageRectangle, fit: PageFit,
    captions: CaptionRoom? = nil, on size: PageSize
  ) throws(PDFError) -> PageCell {
    let room: CaptionRoom
    if let captions {
      room = captions
    } else {
      room = try captionRoom(
        picture.hasCaption ? [(index, area)] : [], most: area.height / 2, on: size)
    }
    let frame = withoutStrip(area, room.strip)
    guard frame.height > 0 else { throw .noRoom(width: size.width, height: size.height) }
    var cell = try placed(picture, index, in: frame, fit: fit, on: size)
    guard picture.hasCaption else { return cell }
    var slot = slot(beside: beside(cell, in: frame), of: cell.visible, on: size)
    slot.lines = room.lines
    if setup.captionPosition == .over {
      slot.lines = try captionLines(index, on: cell.visible, width: slot.width)
    }
    cell.caption = slot
    return cell
  }

  /// A picture in a frame, and in the bleed where the frame lies at an edge of the page.
  ///
  /// A border lies around the picture, so that it hides nothing of it. At an edge of the page it is the border
  /// that reaches into the bleed: of it is left as much as was asked for when the page is cut.
  ///
  /// - Parameter size: of the page; nil for no bleed.
  func placed(
    _ picture: LayoutPicture, _ index: Int, in frame: PageRectangle, fit: PageFit,
    on size: PageSize? = nil
  ) throws(PDFError) -> PageCell {
    func bled(_ box: PageRectangle) -> PageRectangle {
      size.map { box.bled(options.print.bleed, over: $0) } ?? box
    }
    let natural = setup.naturalSize(
      picture.width, picture.height, .upright, picture.resolution)
    let inside = options.border > 0 ? frame.grown(-options.border) : bled(frame)
    guard inside.width > 0, inside.height > 0 else {
      throw .noRoom(width: size?.width ?? frame.width, height: size?.height ?? frame.height)
    }
    var gravity = Gravity.centre
    if case .gravity(let given)? = options.position { gravity = given }
    let rectangle = setup.rectangle(of: natural, in: inside, fit: fit, gravity: gravity)
    let visible = rectangle.isInside(inside) ? rectangle : rectangle.intersection(inside)
    return PageCell(
      picture: index, frame: bled(frame), rectangle: rectangle, visible: visible,
      border: options.border > 0 ? bled(visible.grown(options.border)) : nil)
  }
}
