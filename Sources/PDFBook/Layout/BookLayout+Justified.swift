extension BookLayout {
  /// Rows as wide as the room. A row takes pictures until it is no higher than wanted; whether the last of
  /// them is better left to the next row is decided by which height is nearer. The last row is as high as
  /// wanted and ends where its pictures end.
  func justifiedPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let strip = pictures.contains(where: \.hasCaption) ? captionStrip : 0
    let border = 2 * options.border
    let most = room.height - strip - border
    let wanted = min(options.rowHeight ?? room.height / 4, most)
    guard wanted >= 1 else { throw .noRoom(width: size.width, height: size.height) }
    func height(_ row: Range<Int>) -> Double {
      let gaps = Double(row.count - 1) * options.columnGap + Double(row.count) * border
      return (room.width - gaps) / row.reduce(0) { $0 + pictures[$1].aspect }
    }
    var rows: [(pictures: Range<Int>, height: Double)] = []
    var first = 0
    for next in pictures.indices {
      let row = first..<next + 1
      let now = height(row)
      guard now <= wanted || next == pictures.count - 1 else { continue }
      if row.count > 1, now <= wanted {
        let before = height(first..<next)
        if now < 1 || (before <= most && before - wanted < wanted - now) {
          rows.append((first..<next, min(before, most)))
          first = next
          // The picture that was left over may fill a row by itself.
          let alone = height(first..<next + 1)
          if alone <= wanted || next == pictures.count - 1 {
            rows.append((first..<next + 1, min(alone, wanted)))
            first = next + 1
          }
          continue
        }
      }
      rows.append((row, min(now, wanted)))
      first = next + 1
    }
    guard rows.allSatisfy({ $0.height > 0 }) else {
      throw .noRoom(width: size.width, height: size.height)
    }
    return try pages(of: rows, pictures, strip: strip, in: room, on: size)
  }

  private func pages(
    of rows: [(pictures: Range<Int>, height: Double)], _ pictures: [LayoutPicture], strip: Double,
    in room: PageRectangle, on size: PageSize
  ) throws(PDFError) -> [PlannedPage] {
    var pages: [[(picture: Int, area: PageRectangle, captions: CaptionRoom)]] = []
    let border = 2 * options.border
    var top = -1.0
    for row in rows {
      let captions = try captionRoom(ofRow: row, pictures, in: room, on: size)
      let height = row.height + captions.strip + border
      if top - height < room.bottom - 0.01 || pages.isEmpty {
        pages.append([])
        top = room.top
      }
      var left = room.left
      for index in row.pictures {
        let width = row.height * pictures[index].aspect + border
        let area = PageRectangle(
          left: left, bottom: top - height, width: width, height: height)
        pages[pages.count - 1].append((index, area, captions))
        left += width + options.columnGap
      }
      top -= height + options.rowGap
    }
    var planned: [PlannedPage] = []
    for areas in pages {
      let shift = shift(of: areas.map(\.area), strip: strip, in: room, on: size)
      var page = PlannedPage(size: size)
      for (index, area, captions) in areas {
        page.cells.append(
          try framed(
            pictures[index], index, area.offset(0, shift), captions: captions, on: size))
      }
      planned.append(page)
    }
    return planned
  }

  /// What the captions of a row take: one line where any picture of the book has one, so that rows are alike.
  private func captionRoom(
    ofRow row: (pictures: Range<Int>, height: Double), _ pictures: [LayoutPicture],
    in room: PageRectangle, on size: PageSize
  ) throws(PDFError) -> CaptionRoom {
    let border = 2 * options.border
    var left = room.left
    var captions: [(picture: Int, area: PageRectangle)] = []
    for index in row.pictures {
      let width = row.height * pictures[index].aspect + border
      if pictures[index].hasCaption {
        captions.append(
          (
            index,
            PageRectangle(left: left, bottom: room.bottom, width: width, height: row.height)
          ))
      }
      left += width + options.columnGap
    }
    var found = try captionRoom(captions, most: room.height - row.height - border, on: size)
    if pictures.contains(where: \.hasCaption) { found.strip = max(found.strip, captionStrip) }
    return found
  }

  /// A picture that fills its area but for the caption's strip, also where it has no caption itself, and the
  /// bleed.
  private func framed(
    _ picture: LayoutPicture, _ index: Int, _ area: PageRectangle, captions: CaptionRoom,
    on size: PageSize
  ) throws(PDFError) -> PageCell {
    // The area has the picture's proportions: nothing is cut but what the bleed takes.
    var layout = self
    (layout.setup.enlarge, layout.setup.reduce) = (true, true)
    return try layout.cell(picture, index, in: area, fit: .cover, captions: captions, on: size)
  }

  /// How far a page's rows move so that what is free above and below is shared. Where pictures are to reach
  /// over the upper edge they stay there.
  private func shift(
    of areas: [PageRectangle], strip: Double, in room: PageRectangle, on size: PageSize
  ) -> Double {
    let lowest = areas.map(\.bottom).min() ?? room.bottom
    let isCaptionThere = setup.captionPosition == .above && strip > 0
    let bleeds =
      options.print.bleed > 0 && room.top >= size.height - 0.01 && !isCaptionThere
    return bleeds ? 0 : -max(0, lowest - room.bottom) / 2
  }
}

extension PageCell {
  /// Moves all of it.
  mutating func move(_ x: Double, _ y: Double) {
    frame = frame.offset(x, y)
    rectangle = rectangle.offset(x, y)
    visible = visible.offset(x, y)
    clip = clip?.offset(x, y)
    border = border?.offset(x, y)
    caption?.centre += x
    caption?.baseline += y
  }
}
