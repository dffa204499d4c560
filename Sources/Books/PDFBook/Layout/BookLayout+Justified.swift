extension BookLayout {
  /// Rows as wide as the room, from its upper edge down, shared out among pages by `JustifiedRows`. Where pictures
  /// bleed, a page's rows are stretched to its lower edge, and what that cuts off is small.
  func justifiedPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let hasCaptions = pictures.contains(where: \.hasCaption)
    let border = 2 * options.border
    let most = room.height - (hasCaptions ? captionStrip : 0) - border
    let wanted = min(options.rowHeight ?? room.height / 4, most)
    guard wanted >= 1, room.width > border else {
      throw .noRoom(width: size.width, height: size.height)
    }
    var strips: [Double] = []
    for (index, picture) in pictures.enumerated() {
      let width = min(room.width, wanted * picture.aspect * Self.narrowest)
      let area = PageRectangle(
        left: room.left, bottom: room.bottom, width: width, height: wanted)
      let own = try captionRoom(
        picture.hasCaption ? [(index, area)] : [], most: room.height / 2, on: size)
      strips.append(max(own.strip, hasCaptions ? captionStrip : 0))
    }
    let rows = JustifiedRows(
      aspects: pictures.map(\.aspect), strips: strips, width: room.width, height: room.height,
      columnGap: options.columnGap, rowGap: options.rowGap, border: border, wanted: wanted,
      fills: fillsPages(room))
    guard let pages = rows.pages() else {
      throw .noRoom(width: size.width, height: size.height)
    }
    var planned: [PlannedPage] = []
    for page in pages {
      planned.append(try self.page(of: page, rows, pictures, in: room, on: size))
    }
    return planned
  }

  /// Of the width that a picture has in a row as high as wanted: what rows may make of it, for the lines of its
  /// caption.
  private static let narrowest = 0.8

  /// Whether what is free below pictures would be left white at an edge that they are to reach over.
  func fillsPages(_ room: PageRectangle) -> Bool {
    options.print.bleed > 0 && room.bottom < 0.01
  }

  private func page(
    of rows: [JustifiedRows.Row], _ plan: JustifiedRows, _ pictures: [LayoutPicture],
    in room: PageRectangle, on size: PageSize
  ) throws(PDFError) -> PlannedPage {
    let border = 2 * options.border
    var captions: [CaptionRoom] = []
    var free = max(0, room.height - plan.height(of: rows))
    for row in rows {
      let strip = plan.strip(row.pictures)
      let found = try captionRoom(
        of: row, pictures, most: strip + free, in: room, on: size)
      free -= found.strip - strip
      captions.append(found)
    }
    let extras = zip(rows, captions).reduce(0) { $0 + $1.1.strip + border }
    let stretch = plan.stretch(of: rows, extras: extras)
    var page = PlannedPage(size: size)
    var top = room.top
    for (row, captions) in zip(rows, captions) {
      let height = row.height * stretch + captions.strip + border
      var left = room.left + max(0, room.width - plan.width(of: row)) / 2
      for index in row.pictures {
        let width = row.height * pictures[index].aspect + border
        let area = PageRectangle(left: left, bottom: top - height, width: width, height: height)
        page.cells.append(
          try framed(pictures[index], index, area, captions: captions, on: size))
        left += width + options.columnGap
      }
      top -= height + options.rowGap
    }
    return page
  }

  /// What the captions of a row take: one line where any picture of the book has one, so that rows are alike.
  private func captionRoom(
    of row: JustifiedRows.Row, _ pictures: [LayoutPicture], most: Double, in room: PageRectangle,
    on size: PageSize
  ) throws(PDFError) -> CaptionRoom {
    var left = room.left
    var captions: [(picture: Int, area: PageRectangle)] = []
    for index in row.pictures {
      let width = row.height * pictures[index].aspect + 2 * options.border
      if pictures[index].hasCaption {
        captions.append(
          (
            index,
            PageRectangle(left: left, bottom: room.bottom, width: width, height: row.height)
          ))
      }
      left += width + options.columnGap
    }
    var found = try captionRoom(captions, most: most, on: size)
    if pictures.contains(where: \.hasCaption) { found.strip = max(found.strip, captionStrip) }
    return found
  }

  /// A picture that fills its area but for the caption's strip, also where it has no caption itself, and the
  /// bleed.
  private func framed(
    _ picture: LayoutPicture, _ index: Int, _ area: PageRectangle, captions: CaptionRoom,
    on size: PageSize
  ) throws(PDFError) -> PageCell {
    var layout = self
    (layout.setup.enlarge, layout.setup.reduce) = (true, true)
    return try layout.cell(picture, index, in: area, fit: .cover, captions: captions, on: size)
  }
}

extension PageCell {
  /// Moves all of it.
  mutating func move(_ x: Double, _ y: Double) {
    frame = frame.offset(x, y)
    movePicture(x, y)
    clip = clip?.offset(x, y)
    caption?.centre += x
    caption?.baseline += y
  }

  /// Moves the picture with its border inside its frame.
  mutating func movePicture(_ x: Double, _ y: Double) {
    rectangle = rectangle.offset(x, y)
    visible = visible.offset(x, y)
    border = border?.offset(x, y)
  }
}
