extension BookLayout {
  /// Each picture goes to the column that is the shortest so far, the leftmost of several, from the room's upper edge
  /// down. Where pages begin is chosen so that columns are filled alike. Where pictures bleed, a column is stretched
  /// to the page's lower edge. A picture that is higher than a page is made smaller.
  ///
  /// Where nobody says how many columns, there are three, or fewer where all pictures fill a page better so.
  func masonryPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    var best = try masonry(pictures, options.columns ?? Self.usualColumns)
    if options.columns == nil, best.pages.count == 1 {
      for columns in 1..<Self.usualColumns {
        let other = try masonry(pictures, columns)
        if other.pages.count == 1, other.cost < best.cost { best = other }
      }
    }
    return try pages(of: best, pictures)
  }

  /// What is known before pictures are placed.
  private struct Masonry {
    let plan: MasonryColumns
    /// Of a column.
    let width: Double
    let captions: [CaptionRoom]
    let pages: [Range<Int>]
    let cost: Double
  }

  private func masonry(_ pictures: [LayoutPicture], _ columns: Int) throws(PDFError) -> Masonry {
    let size = pageSize
    let room = try room(of: size)
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
    let (pages, cost) = plan.pages()
    return Masonry(plan: plan, width: width, captions: rooms, pages: pages, cost: cost)
  }

  private func pages(of masonry: Masonry, _ pictures: [LayoutPicture]) throws(PDFError)
    -> [PlannedPage]
  {
    let size = pageSize
    let room = try room(of: size)
    var pages: [PlannedPage] = []
    for range in masonry.pages {
      var page = PlannedPage(size: size)
      for place in masonry.plan.places(range) {
        let area = PageRectangle(
          left: room.left + Double(place.column) * (masonry.width + options.columnGap),
          bottom: room.top - place.bottom, width: masonry.width, height: place.height)
        // Of the picture's proportions or nearly so: little is cut off.
        let isWhole = masonry.plan.blocks[place.block].isWhole
        page.cells.append(
          try cell(
            pictures[place.block], place.block, in: area,
            fit: isWhole && setup.enlarge ? .cover : .inside,
            captions: masonry.captions[place.block], on: size))
      }
      pages.append(page)
    }
    return pages
  }
}
