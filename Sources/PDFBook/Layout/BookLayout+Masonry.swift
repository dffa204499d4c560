extension BookLayout {
  /// Each picture goes to the column that is the shortest so far, the leftmost of several; the first that
  /// does not fit there begins the next page. A picture that is higher than a page is made smaller.
  func masonryPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let columns = options.columns ?? 3
    let width = (room.width - Double(columns - 1) * options.columnGap) / Double(columns)
    let border = 2 * options.border
    guard width - border >= 1 else {
      throw .noRoomForCells(
        rows: nil, columns: columns, width: size.width, height: size.height)
    }
    guard room.height - captionStrip - border >= 1 else {
      throw .noRoom(width: size.width, height: size.height)
    }
    var pages: [PlannedPage] = []
    var tops: [Double] = []
    for (index, picture) in pictures.enumerated() {
      let anyColumn = PageRectangle(
        left: room.left, bottom: room.bottom, width: width, height: room.height)
      let captions = try captionRoom(
        picture.hasCaption ? [(index, anyColumn)] : [], most: room.height / 2, on: size)
      let wanted = (width - border) / picture.aspect + border + captions.strip
      let height = min(wanted, room.height)
      var column = tops.indices.max { tops[$0] < tops[$1] || (tops[$0] == tops[$1] && $0 > $1) }
      if column.map({ tops[$0] - height < room.bottom - 0.01 }) ?? true {
        pages.append(PlannedPage(size: size))
        tops = Array(repeating: room.top, count: columns)
        column = 0
      }
      let area = PageRectangle(
        left: room.left + Double(column!) * (width + options.columnGap),
        bottom: tops[column!] - height, width: width, height: height)
      // Of the cell's proportions, so that nothing is cut but what the bleed takes.
      let fit = height == wanted && setup.enlarge ? PageFit.cover : .inside
      pages[pages.count - 1].cells.append(
        try cell(picture, index, in: area, fit: fit, captions: captions, on: size))
      tops[column!] -= height + options.rowGap
    }
    return pages
  }
}
