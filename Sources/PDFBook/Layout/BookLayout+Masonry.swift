extension BookLayout {
  /// Each picture goes to the column that is the shortest so far, the leftmost of several, from the room's upper edge
  /// down. Where pages begin is chosen so that columns are filled alike. Where pictures bleed, a column is stretched
  /// to the page's lower edge. A picture that is higher than a page is made smaller.
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
    let anyColumn = PageRectangle(
      left: room.left, bottom: room.bottom, width: width, height: room.height)
    var blocks: [MasonryColumns.Block] = []
    var rooms: [CaptionRoom] = []
    for (index, picture) in pictures.enumerated() {
      let captions = try captionRoom(
        picture.hasCaption ? [(index, anyColumn)] : [], most: room.height / 2, on: size)
      let extras = border + captions.strip
      let wanted = (width - border) / picture.aspect
      blocks.append(
        MasonryColumns.Block(
          height: min(wanted, room.height - extras), extras: extras,
          isWhole: wanted + extras <= room.height))
      rooms.append(captions)
    }
    let plan = MasonryColumns(
      blocks: blocks, columns: columns, gap: options.rowGap,
      filling: PageFilling(
        height: room.height, stretches: fillsPages(room) && setup.enlarge))
    var pages: [PlannedPage] = []
    for range in plan.pages() {
      var page = PlannedPage(size: size)
      for place in plan.places(range) {
        let area = PageRectangle(
          left: room.left + Double(place.column) * (width + options.columnGap),
          bottom: room.top - place.bottom, width: width, height: place.height)
        // Of the picture's proportions or nearly so: little is cut off.
        let fit = blocks[place.block].isWhole && setup.enlarge ? PageFit.cover : .inside
        page.cells.append(
          try cell(
            pictures[place.block], place.block, in: area, fit: fit, captions: rooms[place.block],
            on: size))
      }
      pages.append(page)
    }
    return pages
  }
}
