import BookDesign
import ImageCore
import PictureTraits

extension LayoutKind {
  package static let auto = LayoutKind(
    rawValue: "auto", summary: "designed (auto)",
    options: ["style", "pages", "templates", "duplicates", "gutter", "first_page"], lacks: ["position"]
  ) { (_, _) in preconditionFailure("a design arranges its pages itself") }
}

/// Lays out the pages of a design.
extension BookLayout {
  /// The size of the paper in its orientation, which all pages of a design have.
  package var designedPageSize: PageSize { pageSize }

  /// Returns the height of the caption strip below or above each picture on a page with captions, and the number of
  /// lines that fit in it.
  ///
  /// The strip is the same on all pages of a design. It has as many lines as the longest caption takes below a picture
  /// that is about half as wide as the page, but takes at most a fifth of the content area's height.
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

  /// Returns the size of a page of a design, or of two facing pages.
  package func sheet(of page: DesignPage) -> PageSize {
    PageSize(width: pageSize.width * Double(page.pageCount), height: pageSize.height)
  }

  /// Returns the planned pages for one page of a design, or for two facing pages.
  ///
  /// - Parameter lines: the maximum number of lines of each caption in a strip.
  package func designedPages(_ page: DesignPage, _ pictures: [LayoutPicture], lines: Int) throws(PDFError)
    -> [PlannedPage]
  {
    let (size, sheet) = (pageSize, sheet(of: page))
    var pages = [PlannedPage](repeating: PlannedPage(size: size), count: page.pageCount)
    for place in page.slots {
      let hasCaption = pictures[place.picture].hasCaption
      let whole = try placed(place, pictures[place.picture], on: sheet)
      for (index, half) in (page.isSpread ? halves(of: whole, on: size) : [whole]).enumerated() {
        guard var half else { continue }
        if hasCaption, let text = place.text.map({ PageRectangle($0, of: sheet) }) {
          half.caption = slot(in: index == 1 ? text.offset(-size.width, 0) : text, on: size)
          // A caption must lie on a single page.
          if let slot = half.caption, page.isSpread, slot.centre < 0 || slot.centre > size.width { half.caption = nil }
        } else if hasCaption, half.part != .first {
          let seen = half.clip ?? half.visible
          half.caption = slot(beside: half.clip ?? half.border ?? seen, of: seen, on: size)
          half.caption?.lines = lines
          if setup.captions.position == .over, let width = half.caption?.width {
            half.caption?.lines = try captionLines(place.picture, on: half.visible, width: width)
          }
        }
        pages[index].cells.append(half)
      }
    }
    return pages
  }

  /// Places a picture so that the slot's area shows the slot's crop. At an edge of the page, the picture is enlarged a
  /// little to reach into the bleed.
  private func placed(_ slot: DesignSlot, _ picture: LayoutPicture, on sheet: PageSize) throws(PDFError) -> PageCell {
    let area = PageRectangle(slot.area, of: sheet)
    let outer = area.bled(options.print.bleed, over: sheet)
    let visible = options.border > 0 ? area.grown(-options.border) : outer
    guard visible.width > 0, visible.height > 0 else { throw .noRoom(width: sheet.width, height: sheet.height) }
    let scale = max(
      visible.width / (slot.crop.width * Double(picture.width)),
      visible.height / (slot.crop.height * Double(picture.height)))
    let (width, height) = (scale * Double(picture.width), scale * Double(picture.height))
    /// Returns the position of the picture's left or lower edge that centres the crop in the visible area, or the
    /// nearest position at which the picture still covers that area.
    func start(_ visible: Double, _ length: Double, _ whole: Double, _ middle: Double) -> Double {
      min(visible, max(visible + length - whole, visible + length / 2 - middle * whole))
    }
    let rectangle = PageRectangle(
      left: start(visible.left, visible.width, width, slot.crop.left + slot.crop.width / 2),
      bottom: start(visible.bottom, visible.height, height, 1 - slot.crop.bottom + slot.crop.height / 2),
      width: max(width, visible.width), height: max(height, visible.height))
    return PageCell(
      picture: slot.picture, frame: outer, rectangle: rectangle,
      visible: rectangle.isInside(visible) ? rectangle : visible, border: options.border > 0 ? outer : nil)
  }
}
