extension BookLayout {
  /// Lays out a cover: back, spine and front side by side. The front is on the right, or on the left in a
  /// book read from right to left.
  ///
  /// One picture wraps around the whole cover. Of several, the first is the front, the second the back, and
  /// the third the spine.
  func coverPage(_ pictures: [LayoutPicture]) throws(PDFError) -> PlannedPage {
    let page = pageSize
    let spine = options.binding.spine
    let size = PageSize(width: page.width * 2 + spine, height: page.height)
    guard pictures.count <= 3 else { throw .coverPictures(pictures.count) }
    if pictures.count == 1 {
      return PlannedPage(
        size: size, cells: [try cell(pictures[0], 0, in: contentArea(of: size), fit: setup.fit, on: size)])
    }
    let content = try contentArea(of: page)
    let right = content.offset(page.width + spine, 0)
    let isFrontRight = !options.binding.isRightToLeft
    var cells: [PageCell] = []
    for (index, picture) in pictures.enumerated() {
      var area = content
      switch index {
      case 0: area = isFrontRight ? right : content
      case 1: area = isFrontRight ? content : right
      default:
        guard spine >= 1 else { throw .noSpine }
        area = PageRectangle(left: page.width, bottom: content.bottom, width: spine, height: content.height)
      }
      cells.append(try cell(picture, index, in: area, fit: setup.fit, on: size))
    }
    return PlannedPage(size: size, cells: cells)
  }
}
