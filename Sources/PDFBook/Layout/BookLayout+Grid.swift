extension BookLayout {
  /// Cells of one size from the upper left, row by row.
  func gridPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let strip = pictures.contains(where: \.hasCaption) ? captionStrip : 0
    let grid = try grid(in: room, strip: strip, on: size)
    let perPage = grid.rows * grid.columns
    var pages: [PlannedPage] = []
    for first in stride(from: 0, to: pictures.count, by: perPage) {
      var page = PlannedPage(size: size)
      for index in first..<min(first + perPage, pictures.count) {
        let place = index - first
        let area = PageRectangle(
          left: grid.left + Double(place % grid.columns) * (grid.cell.width + options.columnGap),
          bottom: grid.top - grid.cell.height
            - Double(place / grid.columns) * (grid.cell.height + options.rowGap),
          width: grid.cell.width, height: grid.cell.height)
        page.cells.append(try cell(pictures[index], index, in: area, fit: setup.fit, on: size))
      }
      for row in stride(from: 0, to: page.cells.count, by: grid.columns) {
        alignCaptions(&page.cells[row..<min(row + grid.columns, page.cells.count)])
      }
      pages.append(page)
    }
    return pages
  }

  private struct Grid {
    var rows, columns: Int
    var cell: PageSize
    var left, top: Double
  }

  private func grid(in room: PageRectangle, strip: Double, on size: PageSize) throws(PDFError)
    -> Grid
  {
    func fitting(_ room: Double, _ side: Double, _ gap: Double) -> Int {
      max(1, Int(((room + gap) / (side + gap) + 1e-9).rounded(.down)))
    }
    func share(_ room: Double, _ count: Int, _ gap: Double) -> Double {
      (room - Double(count - 1) * gap) / Double(count)
    }
    let rows: Int
    let columns: Int
    let cell: PageSize
    if let given = options.cell {
      guard given.width <= room.width + 0.01, given.height <= room.height + 0.01 else {
        throw .cellTooLarge(given, room: PageSize(width: room.width, height: room.height))
      }
      columns = options.columns ?? fitting(room.width, given.width, options.columnGap)
      rows = options.rows ?? fitting(room.height, given.height, options.rowGap)
      cell = given
    } else {
      // Three across, and square pictures, where nothing is said.
      columns =
        options.columns
        ?? options.rows.map { rows in
          fitting(
            room.width, max(1, share(room.height, rows, options.rowGap) - strip), options.columnGap)
        } ?? 3
      let width = share(room.width, columns, options.columnGap)
      rows = options.rows ?? fitting(room.height, width + strip, options.rowGap)
      cell = PageSize(width: width, height: share(room.height, rows, options.rowGap))
    }
    let whole = PageSize(
      width: Double(columns) * (cell.width + options.columnGap) - options.columnGap,
      height: Double(rows) * (cell.height + options.rowGap) - options.rowGap)
    let needed = 1 + 2 * options.border
    guard cell.width >= needed, cell.height - strip >= needed, whole.width <= room.width + 0.01,
      whole.height <= room.height + 0.01
    else {
      throw .noRoomForCells(rows: rows, columns: columns, width: size.width, height: size.height)
    }
    // Cells of a given size stand in the middle of what they leave free.
    return Grid(
      rows: rows, columns: columns, cell: cell, left: room.left + (room.width - whole.width) / 2,
      top: room.top - (room.height - whole.height) / 2)
  }
}
