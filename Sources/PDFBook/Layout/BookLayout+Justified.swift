extension BookLayout {
  /// Rows as wide as the room. A row takes pictures until it is no higher than wanted; whether the last of
  /// them is better left to the next row is decided by which height is nearer. The last row is as high as
  /// wanted and ends where its pictures end.
  func justifiedPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let strip = pictures.contains(where: \.hasCaption) ? captionHeight : 0
    let most = room.height - strip
    let wanted = min(options.rowHeight ?? room.height / 4, most)
    guard wanted >= 1 else { throw .noRoom(width: size.width, height: size.height) }
    func height(_ row: Range<Int>) -> Double {
      let gaps = Double(row.count - 1) * options.columnGap
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
        if before <= most, before - wanted < wanted - now || now < 1 {
          rows.append((first..<next, before))
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
    return pages(of: rows, pictures, strip: strip, in: room, on: size)
  }

  private func pages(
    of rows: [(pictures: Range<Int>, height: Double)], _ pictures: [LayoutPicture], strip: Double,
    in room: PageRectangle, on size: PageSize
  ) -> [PlannedPage] {
    var pages: [PlannedPage] = []
    var top = -1.0
    for row in rows {
      let height = row.height + strip
      if top - height < room.bottom - 0.01 || pages.isEmpty {
        pages.append(PlannedPage(size: size))
        top = room.top
      }
      var left = room.left
      for index in row.pictures {
        let width = row.height * pictures[index].aspect
        let area = PageRectangle(
          left: left, bottom: top - height, width: width, height: height)
        pages[pages.count - 1].cells.append(framed(pictures[index], index, area, strip: strip))
        left += width + options.columnGap
      }
      top -= height + options.rowGap
    }
    return pages.map { centred($0, in: room) }
  }

  /// A picture that fills its area but for the caption's strip, also where it has no caption itself.
  func framed(_ picture: LayoutPicture, _ index: Int, _ area: PageRectangle, strip: Double)
    -> PageCell
  {
    var cell = cell(picture, index, in: area, fit: .fill)
    if !picture.hasCaption, strip > 0 {
      cell = placed(picture, index, in: area.cutBelow(strip), fit: .fill)
    }
    return cell
  }

  /// With what is free above and below shared.
  func centred(_ page: PlannedPage, in room: PageRectangle) -> PlannedPage {
    let lowest = page.cells.map { min($0.frame.bottom, ($0.caption?.baseline ?? .infinity)) }.min()
    guard let lowest, lowest > room.bottom else { return page }
    var page = page
    let shift = -(lowest - room.bottom) / 2
    for index in page.cells.indices { page.cells[index].move(0, shift) }
    return page
  }
}

extension PageCell {
  /// Moves all of it.
  mutating func move(_ x: Double, _ y: Double) {
    frame = frame.offset(x, y)
    rectangle = rectangle.offset(x, y)
    visible = visible.offset(x, y)
    clip = clip?.offset(x, y)
    caption?.centre += x
    caption?.baseline += y
  }
}
