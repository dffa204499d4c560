extension LayoutKind {
  package static let single = LayoutKind(
    rawValue: "single", summary: "one a page", options: ["fit", "enlarge", "reduce"]
  ) { (layout, pictures) throws(PDFError) in
    var pages: [PlannedPage] = []
    for (index, picture) in pictures.enumerated() { pages.append(try layout.singlePage(picture, index)) }
    return pages
  }
}

extension BookLayout {
  /// Lays out the page of a single picture. Without a paper size, the page is as large as the picture with its border,
  /// caption and margins.
  package func singlePage(_ picture: LayoutPicture, _ index: Int) throws(PDFError) -> PlannedPage {
    var natural = setup.naturalSize(picture.width, picture.height, picture.resolution)
    natural.width += 2 * options.border
    natural.height += 2 * options.border
    let size = setup.pageSize(
      for: natural, captionHeight: picture.hasCaption ? captionStrip : 0)
    var fit = setup.fit
    // On a page as large as its picture, the picture is enlarged into the bleed.
    if setup.paper == nil, options.print.bleed > 0, fit == .inside || fit == .contain { fit = .cover }
    let area = withoutStrip(try contentArea(of: size), picture.hasCaption ? captionStrip : 0)
    guard area.height >= 1 else { throw .noRoom(width: size.width, height: size.height) }
    var cell = try placed(picture, index, in: area, fit: fit, on: size)
    if picture.hasCaption { cell.caption = slot(of: cell, on: size) }
    var page = PlannedPage(size: size, cells: [cell])
    page.isOfOnePicture = true
    return page
  }
}
