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
      let last = min(first + perPage, pictures.count)
      for (row, start) in stride(from: first, to: last, by: grid.columns).enumerated() {
        let areas = (start..<min(start + grid.columns, last)).map {
          ($0, grid.area(row, $0 - start))
        }
        // One height for all of them, so that pictures with and without captions stand in line.
        let captions = try captionRoom(
          areas.filter { pictures[$0.0].hasCaption }, most: grid.cell.height / 2, on: size)
        var cells: [PageCell] = []
        for (index, area) in areas {
          cells.append(
            try cell(
              pictures[index], index, in: area, fit: setup.fit, captions: captions, on: size))
        }
        alignWithCaptions(&cells[...])
        page.cells += cells
      }
      pages.append(page)
    }
    return pages
  }

  private struct Grid {
    var rows, columns: Int
    var cell: PageSize
    var left, top: Double
    var columnGap, rowGap: Double

    func area(_ row: Int, _ column: Int) -> PageRectangle {
      PageRectangle(
        left: left + Double(column) * (cell.width + columnGap),
        bottom: top - cell.height - Double(row) * (cell.height + rowGap), width: cell.width,
        height: cell.height)
    }
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
      top: room.top - (room.height - whole.height) / 2, columnGap: options.columnGap,
      rowGap: options.rowGap)
  }
}
