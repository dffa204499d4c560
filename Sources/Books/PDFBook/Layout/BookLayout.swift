import ImageCore
import PictureTraits

/// A layout of pictures in cells on pages. It depends on the properties and captions of pictures, not on their pixels.
///
/// Pictures keep their order. Every picture gets one cell, or one on each of two pages in a spread. Cells do
/// not overlap, and stay inside the margins except for the bleed.
package struct BookLayout: Sendable, Hashable {
  package var setup: PageSetup
  package var options: LayoutOptions
  /// The measurer of captions; nil if all captions have one line.
  package var measurer: CaptionMeasurer?
  /// The number of pictures from which a grid derives its rows and columns; nil for the number of pictures that are
  /// laid out.
  var gridPictureCount: Int?
  /// The number of pages of the current section; nil to choose the best-looking number.
  var sectionPages: Int?
  /// The sizes of texts on pages without pictures or above pictures; nil for defaults derived from the page size.
  package var type: PageType?

  package init(setup: PageSetup = PageSetup(), options: LayoutOptions = LayoutOptions()) {
    self.setup = setup
    self.options = options
  }

  /// Lays out all pages.
  ///
  /// - Parameter segments: groups of pictures that each begin a page, and pages of text, in order; empty if all
  ///   pictures form one group.
  /// - Throws: an error such as `PDFError.noRoom` if margins, gaps and captions leave no space.
  package func pages(of pictures: [LayoutPicture], segments: [BookSegment] = []) throws(PDFError) -> [PlannedPage] {
    var pages: [PlannedPage] = []
    let given = segments.isEmpty ? [.pictures(pictures.indices)] : segments
    let texts = given.count(where: \.isText)
    // In a spread layout, each picture begins a page anyway.
    let isOne = texts == 0 && options.pageTarget != nil && options.kind == .spread
    let segments = isOne ? [.pictures(pictures.indices)] : given
    let parts = try options.pageTarget.map { target throws(PDFError) in
      try targeted(
        max(1, target - options.pagesBefore - options.pagesAfter - texts), pictures, segments.compactMap(\.pictures))
    }
    /// The indices of text pages that take the size of the next page with pictures.
    var unsized: [Int] = []
    var number = 0
    for segment in segments {
      guard case .pictures(let section) = segment else {
        guard case .text(let text, let background) = segment else { continue }
        unsized.append(pages.count)
        pages.append(PlannedPage(size: pages.last?.size ?? LayoutOptions.defaultPaper))
        (pages[pages.count - 1].text, pages[pages.count - 1].background) = (text, background)
        continue
      }
      var part = parts?[number] ?? self
      number += 1
      part.options.pagesBefore += pages.count
      part.measurer = section.lowerBound > 0 ? measurer?.dropping(section.lowerBound) : measurer
      part.gridPictureCount = pictures.count
      var more = try options.kind.pages(part, Array(pictures[section]))
      for page in more.indices {
        for cell in more[page].cells.indices { more[page].cells[cell].picture += section.lowerBound }
      }
      if let size = more.first?.size { for page in unsized { pages[page].size = size } }
      unsized = []
      pages += more
    }
    if let last = pages.last, options.kind != .cover {
      let blank = PlannedPage(size: last.size)
      while (options.pagesBefore + pages.count + options.pagesAfter) % options.print.pageMultiple != 0 {
        pages.append(blank)
      }
    }
    return pages
  }

  /// Throws if the page, with its bleed and marks, has a size that a PDF cannot have.
  package func check(_ page: PlannedPage) throws(PDFError) {
    let around = 2 * options.print.margin
    let whole = PageSize(width: page.size.width + around, height: page.size.height + around)
    guard whole.isPossible else { throw .pageSize(width: page.size.width, height: page.size.height) }
  }

  /// Throws if a picture cannot have a page of its own. For a picture of a few pixels on a page as large as the
  /// picture, the error states the size of the page.
  package func check(_ picture: LayoutPicture, _ index: Int) throws(PDFError) {
    guard setup.paper == nil else { return try check(singlePage(picture, index)) }
    let natural = setup.naturalSize(picture.width, picture.height, picture.resolution)
    let size = setup.pageSize(
      for: PageSize(
        width: natural.width + 2 * options.border, height: natural.height + 2 * options.border),
      captionHeight: picture.hasCaption ? captionStrip : 0)
    do throws(PDFError) {
      try check(PlannedPage(size: size))
      try check(singlePage(picture, index))
    } catch {
      guard min(natural.width, natural.height) < 3, max(natural.width, natural.height) <= PageSize.maximumPlainSide
      else { throw error }
      throw .pictureTooSmall(
        width: picture.width, height: picture.height, page: size,
        dpi: sufficientDPI(for: picture, index))
    }
  }

  /// Returns a resolution at which a tiny picture can have a page; nil if there is none.
  private func sufficientDPI(for picture: LayoutPicture, _ index: Int) -> Double? {
    var other = self
    // A side must be at least three points long.
    let dpi = Double(24 * min(picture.width, picture.height))
    other.setup.dpi = dpi
    guard let page = try? other.singlePage(picture, index), (try? check(page)) != nil else { return nil }
    return dpi
  }

  // MARK: Shared

  /// The size of the paper in its orientation.
  var pageSize: PageSize {
    let paper = setup.paper ?? LayoutOptions.defaultPaper
    let (short, long) = (min(paper.width, paper.height), max(paper.width, paper.height))
    return setup.orientation == .landscape ? PageSize(width: long, height: short) : PageSize(width: short, height: long)
  }

  /// Returns the area inside the margins of a page.
  func contentArea(of size: PageSize) throws(PDFError) -> PageRectangle {
    let margins = setup.margins
    let area = PageRectangle(
      left: margins.left, bottom: margins.bottom, width: size.width - margins.left - margins.right,
      height: size.height - margins.top - margins.bottom)
    guard area.width >= 1, area.height >= 1 else { throw .noRoom(width: size.width, height: size.height) }
    return area
  }

  /// Returns a cell with its caption, which lies in a strip or on the picture.
  ///
  /// - Parameters:
  ///   - captions: the space for the captions of the cell's row; nil for a cell that is not in a row.
  ///   - size: the size of the page at whose edges pictures bleed.
  func cell(
    _ picture: LayoutPicture, _ index: Int, in area: PageRectangle, fit: PageFit,
    captions: CaptionSpace? = nil, on size: PageSize
  ) throws(PDFError) -> PageCell {
    let space: CaptionSpace
    if let captions {
      space = captions
    } else {
      space = try captionSpace(picture.hasCaption ? [(index, area)] : [], most: area.height / 2, on: size)
    }
    let frame = withoutStrip(area, space.strip)
    guard frame.height > 0 else { throw .noRoom(width: size.width, height: size.height) }
    var cell = try placed(picture, index, in: frame, fit: fit, on: size)
    guard picture.hasCaption else { return cell }
    var slot = slot(beside: captionNeighbour(cell, in: frame), of: cell.visible, on: size)
    slot.lines = space.lines
    if setup.captions.position == .over {
      slot.lines = try captionLines(index, on: cell.visible, width: slot.width)
    }
    cell.caption = slot
    return cell
  }

  /// Places a picture in a frame, and in the bleed if the frame lies at an edge of the page.
  ///
  /// A border lies around the picture and hides no part of it. At an edge of the page, the border extends into the
  /// bleed, so that its full width remains after trimming.
  ///
  /// - Parameter size: the size of the page; nil for no bleed.
  func placed(_ picture: LayoutPicture, _ index: Int, in frame: PageRectangle, fit: PageFit, on size: PageSize? = nil)
    throws(PDFError) -> PageCell
  {
    func bled(_ box: PageRectangle) -> PageRectangle {
      size.map { box.bled(options.print.bleed, over: $0) } ?? box
    }
    let natural = setup.naturalSize(
      picture.width, picture.height, picture.resolution)
    let inside = options.border > 0 ? frame.grown(-options.border) : bled(frame)
    guard inside.width > 0, inside.height > 0 else {
      throw .noRoom(width: size?.width ?? frame.width, height: size?.height ?? frame.height)
    }
    var gravity = Gravity.centre
    if case .gravity(let given)? = options.position { gravity = given }
    var rectangle = setup.rectangle(of: natural, in: inside, fit: fit, gravity: gravity)
    var isSettled = false
    if let keep = picture.keep, !rectangle.isInside(inside) {
      isSettled = true
      let isFree = if case .gravity? = options.position { false } else { true }
      rectangle =
        rectangle.showing(keep, in: inside, inMiddle: isFree)
        ?? setup.rectangle(of: natural, in: frame.grown(-options.border), fit: .inside, gravity: gravity)
    }
    let visible = rectangle.isInside(inside) ? rectangle : rectangle.intersection(inside)
    var cell = PageCell(
      picture: index, frame: bled(frame), rectangle: rectangle, visible: visible,
      border: options.border > 0 ? bled(visible.grown(options.border)) : nil)
    cell.isSettled = isSettled
    return cell
  }
}

extension PageRectangle {
  /// Returns the rectangle of a picture that covers a frame, moved so that the frame shows a given part of the picture;
  /// nil if the part is larger than the frame.
  ///
  /// - Parameters:
  ///   - part: the part of the picture to show.
  ///   - isInMiddle: whether the part is centred as far as the picture's edges allow; otherwise the picture moves no
  ///     farther than necessary.
  fileprivate func showing(_ part: UnitRectangle, in frame: PageRectangle, inMiddle isInMiddle: Bool) -> PageRectangle?
  {
    /// Returns the left or lower edge of the picture; nil if the part does not fit into the frame.
    func start(
      _ own: (start: Double, length: Double), _ part: (start: Double, length: Double), _ frame: (Double, Double)
    )
      -> Double?
    {
      let (least, length) = frame
      let (first, size) = (own.length * part.start, own.length * part.length)
      guard size <= length + 0.01 else { return nil }
      let wanted = isInMiddle ? least + (length - size) / 2 - first : own.start
      let shown = min(max(wanted, least - first), least + length - first - size)
      return own.length <= length ? own.start : min(least, max(least + length - own.length, shown))
    }
    guard let left = start((left, width), (part.left, part.width), (frame.left, frame.width)),
      let bottom = start((bottom, height), (1 - part.bottom, part.height), (frame.bottom, frame.height))
    else { return nil }
    return PageRectangle(left: left, bottom: bottom, width: width, height: height)
  }
}

// MARK: - Pixels

/// The numbers of pixels that pictures need in their cells.
extension BookLayout {
  /// Returns the reduced size, in pixels, of the visible part of a picture in a cell; nil if there is no maximum
  /// resolution, or the picture does not exceed it.
  ///
  /// - Parameter cell: any cell of the picture.
  package func pixelSize(of picture: LayoutPicture, in cell: PageCell) -> (width: Int, height: Int)? {
    guard let dpi = options.maximumDPI else { return nil }
    // A reduction by less than a thousandth is not worth another encoding.
    guard resolution(of: picture, in: cell) > dpi * 1.001 else { return nil }
    func pixels(_ points: Double) -> Int { max(1, Int((points * dpi / 72).rounded())) }
    return (pixels(cell.visible.width), pixels(cell.visible.height))
  }

  /// Returns the resolution, in pixels per inch, that a picture has in a cell before the picture is reduced: horizontal
  /// or vertical, whichever is lower.
  ///
  /// - Parameter cell: any cell of the picture.
  package func resolution(of picture: LayoutPicture, in cell: PageCell) -> Double {
    72 * min(Double(picture.width) / cell.rectangle.width, Double(picture.height) / cell.rectangle.height)
  }

  /// The largest share of a picture that is cropped evenly on both sides. If more is cut off, the most interesting part
  /// is kept.
  private static let noticed = 0.1

  /// Whether cells may cut off parts of their pictures.
  package var mayCut: Bool { setup.fit == .cover || !setup.reduce || options.print.bleed > 0 }

  /// Returns the crop position of a picture in a cell.
  package func position(in cell: PageCell) -> CropPosition {
    let kept = cell.visible.width * cell.visible.height / (cell.rectangle.width * cell.rectangle.height)
    guard kept < 1 - 1e-6 else { return .gravity(.centre) }
    if options.kind == .auto || cell.isSettled { return .focus(focus(of: cell)) }
    return options.position ?? (kept < 1 - Self.noticed ? .smart(.attention) : .gravity(.centre))
  }

  /// Returns the crop position that keeps the part of the picture that the cell shows.
  private func focus(of cell: PageCell) -> CropFocus {
    let (across, down) = (cell.rectangle.width - cell.visible.width, cell.rectangle.height - cell.visible.height)
    func share(_ distance: Double, _ spare: Double) -> Double { spare > 1e-6 ? min(1, max(0, distance / spare)) : 0.5 }
    return CropFocus(
      x: share(cell.visible.left - cell.rectangle.left, across), y: share(cell.rectangle.top - cell.visible.top, down))
  }

  /// Returns the size, in the picture's own pixels, of the part of the picture that a cell shows.
  package func ownPixels(of picture: LayoutPicture, in cell: PageCell) -> (width: Int, height: Int) {
    func kept(_ side: Int, _ visible: Double, _ whole: Double) -> Int {
      min(side, max(1, Int((Double(side) * visible / whole).rounded())))
    }
    return (
      kept(picture.width, cell.visible.width, cell.rectangle.width),
      kept(picture.height, cell.visible.height, cell.rectangle.height)
    )
  }
}
