extension BookLayout {
  /// Cells of one size from the upper left, row by row; a last page of few pictures gets rows of the page before.
  func gridPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let strip = pictures.contains(where: \.hasCaption) ? captionStrip : 0
    let grid = try grid(of: pictures.count, in: room, strip: strip, on: size)
    var pages: [PlannedPage] = []
    var first = 0
    for count in grid.shares(of: pictures.count, balances: options.balances) {
      var page = PlannedPage(size: size)
      let last = first + count
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
      first = last
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

    /// How many pictures each page has. Where the last would be less than half full, it shares whole rows with the one
    /// before, which keeps a row more of an odd number, unless that leaves the last nearly empty; pages of one row
    /// share pictures.
    func shares(of count: Int, balances: Bool) -> [Int] {
      let perPage = rows * columns
      let full = count / perPage
      let rest = count % perPage
      var shares = [Int](repeating: perPage, count: full) + (rest > 0 ? [rest] : [])
      guard balances, full > 0, rest > 0, rest * 2 < perPage else { return shares }
      let both = perPage + rest
      let step = rows > 1 ? columns : 1
      let steps = (both + step - 1) / step
      var earlier = (steps + 1) / 2 * step
      if (both - earlier) * 4 < perPage { earlier = steps / 2 * step }
      shares.replaceSubrange((full - 1)..., with: [earlier, both - earlier])
      return shares
    }
  }

  /// Columns where nothing is said.
  static let usualColumns = 3

  private func grid(of count: Int, in room: PageRectangle, strip: Double, on size: PageSize)
    throws(PDFError) -> Grid
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
      /// Rows of square pictures.
      func squareRows(_ columns: Int) -> Int {
        let width = share(room.width, columns, options.columnGap)
        return fitting(room.height, width + strip, options.rowGap)
      }
      // Three across where nothing is said, or fewer where one page has room for all pictures even so.
      columns =
        options.columns
        ?? options.rows.map { rows in
          fitting(
            room.width, max(1, share(room.height, rows, options.rowGap) - strip), options.columnGap)
        } ?? (1..<Self.usualColumns).first { $0 * squareRows($0) >= count } ?? Self.usualColumns
      let width = share(room.width, columns, options.columnGap)
      rows = options.rows ?? squareRows(columns)
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
