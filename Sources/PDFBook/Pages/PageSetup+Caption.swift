import ImageCore

extension PageSetup {
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
