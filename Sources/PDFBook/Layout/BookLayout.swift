import ImageCore

/// From sizes of pictures to pages of cells: a pure function of what it is told.
///
/// Pictures stay in their order. Every picture gets one cell, in a spread one on each of two pages. Cells
/// do not overlap and lie inside the margins, but for the bleed.
public struct BookLayout: Sendable, Hashable {
  public var setup: PageSetup
  public var options: LayoutOptions

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
      while pages.count % options.print.pageMultiple != 0 { pages.append(blank) }
    }
    return pages
  }

  /// The page of one picture on its own.
  public func singlePage(_ picture: LayoutPicture, _ index: Int) throws(PDFError) -> PlannedPage {
    let layout = try setup.layout(
      width: picture.width, height: picture.height, resolution: picture.resolution,
      hasCaption: picture.hasCaption)
    guard options.print.bleed > 0 else {
      let visible = layout.clip.map { $0.intersection(layout.rectangle) } ?? layout.rectangle
      return PlannedPage(
        size: layout.size,
        cells: [
          PageCell(
            picture: index, frame: visible, rectangle: layout.rectangle, visible: visible,
            caption: picture.hasCaption ? slot(below: visible, on: layout.size) : nil)
        ])
    }
    let size = layout.size
    // On a page as large as its picture the picture is enlarged into the bleed.
    let room = try self.room(of: size, caption: picture.hasCaption)
    var cell = placed(
      picture, index, in: room.bled(options.print.bleed, over: size),
      fit: setup.paper == nil && setup.fit == .inside ? .cover : setup.fit)
    if picture.hasCaption { cell.caption = slot(below: cell.visible, on: size) }
    return PlannedPage(size: size, cells: [cell])
  }

  // MARK: Shared

  /// The paper as it lies.
  var pageSize: PageSize {
    let paper = setup.paper ?? LayoutOptions.defaultPaper
    let (short, long) = (min(paper.width, paper.height), max(paper.width, paper.height))
    return setup.orientation == .landscape
      ? PageSize(width: long, height: short) : PageSize(width: short, height: long)
  }

  /// What the margins leave of a page, and a caption under a single picture.
  func room(of size: PageSize, caption: Bool = false) throws(PDFError) -> PageRectangle {
    let margins = setup.margins
    let below = margins.bottom + (caption ? captionHeight : 0)
    let room = PageRectangle(
      left: margins.left, bottom: below, width: size.width - margins.left - margins.right,
      height: size.height - margins.top - below)
    guard room.width >= 1, room.height >= 1 else {
      throw .noRoom(width: size.width, height: size.height)
    }
    return room
  }

  /// What a caption takes below a picture.
  var captionHeight: Double { setup.captionSize * 2 }

  /// The caption's place right below a picture.
  func slot(below seen: PageRectangle, on size: PageSize) -> CaptionSlot {
    let margins = setup.margins
    return CaptionSlot(
      centre: size.width / 2 + (margins.left - margins.right) / 2,
      baseline: seen.bottom - setup.captionSize * 1.3,
      width: size.width - margins.left - margins.right)
  }

  /// A cell with its caption in a strip along its lower edge.
  ///
  /// - Parameter size: of the page at whose edges pictures reach into the bleed; nil where they do not.
  func cell(
    _ picture: LayoutPicture, _ index: Int, in area: PageRectangle, fit: PageFit,
    bleedingOver size: PageSize? = nil
  ) -> PageCell {
    var frame = picture.hasCaption ? area.cutBelow(captionHeight) : area
    if let size { frame = frame.bled(options.print.bleed, over: size) }
    var cell = placed(picture, index, in: frame, fit: fit)
    if picture.hasCaption {
      cell.caption = CaptionSlot(
        centre: area.centre, baseline: area.bottom + captionHeight - setup.captionSize * 1.3,
        width: area.width)
    }
    return cell
  }

  /// A picture in a frame.
  func placed(
    _ picture: LayoutPicture, _ index: Int, in frame: PageRectangle, fit: PageFit
  ) -> PageCell {
    let natural = setup.naturalSize(
      picture.width, picture.height, .upright, picture.resolution)
    // The border lies around the picture, so that it hides nothing of it.
    let inset = min(options.border, frame.width / 3, frame.height / 3)
    let inside = frame.grown(-inset)
    let rectangle = setup.rectangle(of: natural, in: inside, fit: fit)
    return PageCell(
      picture: index, frame: frame, rectangle: rectangle,
      visible: rectangle.isInside(inside) ? rectangle : rectangle.intersection(inside))
  }

  // MARK: Pixels

  /// How many pixels across and down what is wanted of a picture gets; nil where it has no more than it may
  /// have.
  ///
  /// - Parameter cell: any of the picture's.
  public func pixelSize(of picture: LayoutPicture, in cell: PageCell) -> (width: Int, height: Int)?
  {
    guard let dpi = options.maximumDPI else { return nil }
    let scale = min(
      Double(picture.width) / cell.rectangle.width, Double(picture.height) / cell.rectangle.height)
    // A picture that is larger by less than a thousandth is not worth another encoding.
    guard scale * 72 > dpi * 1.001 else { return nil }
    func pixels(_ points: Double) -> Int { max(1, Int((points * dpi / 72).rounded())) }
    return (pixels(cell.visible.width), pixels(cell.visible.height))
  }
}
