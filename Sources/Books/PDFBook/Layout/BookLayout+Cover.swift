extension BookLayout {
  /// Back, spine and front side by side, the front on the right, or on the left where one reads from there. One picture wraps around all of it; of two the first is the front,
  /// the second the back; a third is the spine.
  func coverPage(_ pictures: [LayoutPicture]) throws(PDFError) -> PlannedPage {
    let page = pageSize
    let spine = options.binding.spine
    let size = PageSize(width: page.width * 2 + spine, height: page.height)
    guard pictures.count <= 3 else { throw .coverPictures(pictures.count) }
    if pictures.count == 1 {
      return PlannedPage(
        size: size,
        cells: [try cell(pictures[0], 0, in: room(of: size), fit: setup.fit, on: size)])
    }
    let room = try room(of: page)
    let right = room.offset(page.width + spine, 0)
    let isFrontRight = !options.binding.isRightToLeft
    var cells: [PageCell] = []
    for (index, picture) in pictures.enumerated() {
      var area = room
      switch index {
      case 0: area = isFrontRight ? right : room
      case 1: area = isFrontRight ? room : right
      default:
        guard spine >= 1 else { throw .noSpine }
        area = PageRectangle(
          left: page.width, bottom: room.bottom, width: spine, height: room.height)
      }
      cells.append(try cell(picture, index, in: area, fit: setup.fit, on: size))
    }
    return PlannedPage(size: size, cells: cells)
  }
}
