import ImageCore

extension LayoutKind {
  package static let auto = LayoutKind(
    rawValue: "auto", summary: "designed (auto)",
    options: ["style", "pages", "templates", "duplicates", "gutter", "first_page"], lacks: ["position"]
  ) { (_, _) in preconditionFailure("a design arranges its pages itself") }
}

/// A picture in the place that a design gives it.
package struct DesignedCell: Sendable, Hashable {
  /// The picture's index in the list.
  package var picture: Int
  /// The visible area on the trimmed page, or on two facing pages with the spine in the middle, in points.
  package var area: PageRectangle
  /// The part of the upright picture that is shown, in fractions of the picture's sides from its lower left corner.
  package var shown: PageRectangle
  /// The area of the caption next to the picture; nil for the usual place of captions in the book.
  package var text: PageRectangle?

  package init(picture: Int, area: PageRectangle, shown: PageRectangle, text: PageRectangle? = nil) {
    self.picture = picture
    self.area = area
    self.shown = shown
    self.text = text
  }
}

/// Lays out the pages of a design.
extension BookLayout {
  /// The size of the pages of a design.
  package var designedPageSize: PageSize { pageSize }

  /// The height of the caption strip below or above each picture on a page with captions, and the number of lines that
  /// fit in it.
  ///
  /// The strip is the same on all pages of a design. It has as many lines as the longest caption takes below a picture
  /// that is about half as wide as the page.
  package func designedCaptions(of pictures: [LayoutPicture]) throws(PDFError) -> (strip: Double, lines: Int) {
    let size = pageSize
    var most = CaptionSpace()
    for (index, picture) in pictures.enumerated() where picture.hasCaption {
      let content = try contentArea(of: size)
      let half = PageRectangle(left: content.left, bottom: 0, width: content.width * 0.45, height: content.height)
      let own = try captionSpace([(index, half)], most: content.height / 5, on: size)
      if own.strip > most.strip { most = own }
    }
    return (setup.captions.position == .over ? 0 : most.strip, most.lines)
  }

  /// Returns the planned pages for one page, or for two facing pages.
  ///
  /// - Parameters:
  ///   - cells: the pictures on the page or pages, with their places.
  ///   - isSpread: whether the cells lie on two facing pages.
  ///   - lines: the maximum number of lines of each caption.
  package func designedPages(_ cells: [DesignedCell], _ pictures: [LayoutPicture], isSpread: Bool, lines: Int)
    throws(PDFError) -> [PlannedPage]
  {
    let size = pageSize
    let sheet = PageSize(width: size.width * (isSpread ? 2 : 1), height: size.height)
    var pages = [PlannedPage](repeating: PlannedPage(size: size), count: isSpread ? 2 : 1)
    for cell in cells {
      let whole = try placed(cell, pictures[cell.picture], on: sheet)
      for (page, half) in (isSpread ? halves(of: whole, on: size) : [whole]).enumerated() {
        guard var half else { continue }
        if pictures[cell.picture].hasCaption, let text = cell.text {
          half.caption = slot(in: isSpread && page == 1 ? text.offset(-size.width, 0) : text, on: size)
          // A caption must lie on one page.
          if let slot = half.caption, isSpread, slot.centre < 0 || slot.centre > size.width { half.caption = nil }
        } else if pictures[cell.picture].hasCaption, half.part != .first {
          let seen = half.clip ?? half.visible
          half.caption = slot(beside: half.clip ?? half.border ?? seen, of: seen, on: size)
          half.caption?.lines = lines
          if setup.captions.position == .over, let width = half.caption?.width {
            half.caption?.lines = try captionLines(cell.picture, on: half.visible, width: width)
          }
        }
        pages[page].cells.append(half)
      }
    }
    return pages
  }

  /// Places a picture so that its area shows the given part. Pictures at an edge of the page extend into the bleed, so
  /// the part is enlarged a little.
  private func placed(_ cell: DesignedCell, _ picture: LayoutPicture, on sheet: PageSize) throws(PDFError) -> PageCell {
    let outer = cell.area.bled(options.print.bleed, over: sheet)
    let visible = options.border > 0 ? cell.area.grown(-options.border) : outer
    guard visible.width > 0, visible.height > 0 else { throw .noRoom(width: sheet.width, height: sheet.height) }
    let scale = max(
      visible.width / (cell.shown.width * Double(picture.width)),
      visible.height / (cell.shown.height * Double(picture.height)))
    let (width, height) = (scale * Double(picture.width), scale * Double(picture.height))
    /// Returns the left or lower edge of the picture. The centre of the part is in the centre of the visible area, as
    /// far as the picture's edges allow.
    func start(_ visible: Double, _ length: Double, _ whole: Double, _ middle: Double) -> Double {
      min(visible, max(visible + length - whole, visible + length / 2 - middle * whole))
    }
    let rectangle = PageRectangle(
      left: start(visible.left, visible.width, width, cell.shown.centre),
      bottom: start(visible.bottom, visible.height, height, cell.shown.bottom + cell.shown.height / 2),
      width: max(width, visible.width), height: max(height, visible.height))
    return PageCell(
      picture: cell.picture, frame: outer, rectangle: rectangle,
      visible: rectangle.isInside(visible) ? rectangle : visible, border: options.border > 0 ? outer : nil)
  }
}
