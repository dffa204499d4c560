import ImageCore

extension PageSetup {
  /// A page of text alone, a little above the middle.
  ///
  /// - Parameters:
  ///   - size: of the page.
  ///   - notes: gets what could not be shown.
  public func titlePage(
    _ text: String, style: TextStyle, size: PageSize, with layouter: TextLayouter,
    notes: inout [String]
  ) throws(PDFError) -> PDFPage {
    let block = try layouter.block(
      text, style: style, width: size.width - margins.left - margins.right)
    notes += block.notes(page: 1, what: "title_page")
    let room = size.height - margins.top - margins.bottom
    guard block.height <= room else {
      throw .text(.tooHigh(text: text, height: block.height, room: room))
    }
    var page = PDFPage(size: size, background: background)
    // The optical middle: as much again below as above, and half.
    let top = size.height - margins.top - (room - block.height) * 0.4
    page.texts = [PlacedText(block, left: margins.left, top: top)]
    return page
  }

  /// A whole page: a picture, and under it a caption of as many lines as it takes.
  ///
  /// - Parameters:
  ///   - number: the page's, from 1, for notes.
  ///   - notes: gets what of the caption could not be shown.
  public func page(
    _ picture: PictureReference, orientation: Orientation = .upright,
    resolution: Resolution? = nil, caption: String, style: TextStyle, number: Int,
    with layouter: TextLayouter, notes: inout [String]
  ) throws(PDFError) -> PDFPage {
    guard !caption.isEmpty else {
      return try page(picture, orientation: orientation, resolution: resolution)
    }
    // The width of a page does not depend on the height of its caption.
    let width =
      try layout(
        width: picture.width, height: picture.height, orientation: orientation,
        resolution: resolution
      ).size.width - margins.left - margins.right
    let block = try layouter.block(caption, style: style, width: width)
    notes += block.notes(page: number, what: "caption")
    guard !block.lines.allSatisfy({ $0.text.isEmpty }) else {
      return try page(picture, orientation: orientation, resolution: resolution)
    }
    var inner = self
    let gap = style.size * 0.5
    inner.margins.bottom += gap + block.height
    var page = try inner.page(picture, orientation: orientation, resolution: resolution)
    let seen = page.placements[0].clip ?? page.placements[0].rectangle
    page.texts = [PlacedText(block, left: margins.left, top: seen.bottom - gap)]
    return page
  }
}
