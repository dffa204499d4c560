import Platform

extension LayoutKind {
  package static let grid = LayoutKind(
    rawValue: "grid", summary: "in a grid",
    options: ["rows", "columns", "cell", "balance", "pages", "gutter", "fit", "enlarge", "reduce"],
    adapt: { (target, pictures) throws(PDFError) in
      target.layout = try target.layout.withGrid(for: target.pages, pictures, target.sections)
      let cells = target.layout.options.rows! * target.layout.options.columns!
      target.least = target.sections.map { ($0.count + cells - 1) / cells }
      target.loads = target.sections.map { Double($0.count) }
    }
  ) { (layout, pictures) throws(PDFError) in try layout.gridPages(pictures) }
}

extension BookLayout {
  /// Lays out cells of equal size from the upper left, row by row. Pictures are divided evenly among a requested number
  /// of pages. Otherwise, a last page that would have few pictures may take some from the previous page.
  func gridPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let content = try contentArea(of: size)
    let strip = pictures.contains(where: \.hasCaption) ? captionStrip : 0
    let grid = try grid(of: gridPictureCount ?? pictures.count, in: content, strip: strip, on: size)
    var pages: [PlannedPage] = []
    var first = 0
    let shares =
      sectionPages.map { PageShares.evenly(pictures.count, over: $0) }
      ?? grid.shares(of: pictures.count, balances: options.balances)
    for count in shares {
      var page = PlannedPage(size: size)
      let last = first + count
      for (row, start) in stride(from: first, to: last, by: grid.columns).enumerated() {
        let areas = (start..<min(start + grid.columns, last)).map {
          ($0, grid.area(row, $0 - start))
        }
        // All cells of a row have an equally high caption strip, so that pictures with and without captions are
        // aligned.
        let captions = try captionSpace(
          areas.filter { pictures[$0.0].hasCaption }, most: grid.cell.height / 2, on: size)
        var cells: [PageCell] = []
        for (index, area) in areas {
          cells.append(try cell(pictures[index], index, in: area, fit: setup.fit, captions: captions, on: size))
        }
        alignWithCaptions(&cells[...])
        page.cells += cells
      }
      pages.append(page)
      first = last
    }
    return pages
  }

  struct Grid {
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

    /// Returns the number of pictures of each page.
    ///
    /// If `balances` is set, a last page that would be less than half full takes whole rows from the previous page, or
    /// single pictures if pages have one row. If the two pages have an odd number of rows together, the previous page
    /// gets one more, unless the last page would be less than a quarter full.
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

  static let usualColumns = 3

  func grid(of count: Int, in content: PageRectangle, strip: Double, on size: PageSize)
    throws(PDFError) -> Grid
  {
    func fitting(_ length: Double, _ side: Double, _ gap: Double) -> Int {
      max(1, Int(((length + gap) / (side + gap) + 1e-9).rounded(.down)))
    }
    func share(_ length: Double, _ count: Int, _ gap: Double) -> Double {
      (length - Double(count - 1) * gap) / Double(count)
    }
    let rows: Int
    let columns: Int
    let cell: PageSize
    if let given = options.cell {
      guard given.width <= content.width + 0.01, given.height <= content.height + 0.01 else {
        throw .cellTooLarge(given, room: PageSize(width: content.width, height: content.height))
      }
      columns = options.columns ?? fitting(content.width, given.width, options.columnGap)
      rows = options.rows ?? fitting(content.height, given.height, options.rowGap)
      cell = given
    } else {
      /// Returns the number of rows that makes cells, without their captions, nearly square.
      func squareRows(_ columns: Int) -> Int {
        let width = share(content.width, columns, options.columnGap)
        return fitting(content.height, width + strip, options.rowGap)
      }
      // There are three columns by default, or fewer if all pictures then fit on one page.
      columns =
        options.columns
        ?? options.rows.map { rows in
          fitting(content.width, max(1, share(content.height, rows, options.rowGap) - strip), options.columnGap)
        } ?? (1..<Self.usualColumns).first { $0 * squareRows($0) >= count } ?? Self.usualColumns
      let width = share(content.width, columns, options.columnGap)
      rows = options.rows ?? squareRows(columns)
      cell = PageSize(width: width, height: share(content.height, rows, options.rowGap))
    }
    let whole = PageSize(
      width: Double(columns) * (cell.width + options.columnGap) - options.columnGap,
      height: Double(rows) * (cell.height + options.rowGap) - options.rowGap)
    let needed = 1 + 2 * options.border
    guard cell.width >= needed, cell.height - strip >= needed, whole.width <= content.width + 0.01,
      whole.height <= content.height + 0.01
    else {
      throw .noRoomForCells(rows: rows, columns: columns, width: size.width, height: size.height)
    }
    // Cells of a given size are centred.
    return Grid(
      rows: rows, columns: columns, cell: cell,
      left: content.left + (content.width - whole.width) / 2,
      top: content.top - (content.height - whole.height) / 2, columnGap: options.columnGap,
      rowGap: options.rowGap)
  }

  /// Returns the layout with the rows and columns that show pictures as large as possible on the given number of pages.
  /// If no grid has enough cells, returns the layout that needs the fewest pages.
  fileprivate func withGrid(for pages: Int, _ pictures: [LayoutPicture], _ sections: [Range<Int>]) throws(PDFError)
    -> BookLayout
  {
    let size = pageSize
    let content = try contentArea(of: size)
    let strip = pictures.contains(where: \.hasCaption) ? captionStrip : 0
    if options.cell != nil || (options.rows != nil && options.columns != nil) {
      var fixed = self
      let grid = try grid(of: pictures.count, in: content, strip: strip, on: size)
      (fixed.options.rows, fixed.options.columns) = (grid.rows, grid.columns)
      return fixed
    }
    let shape = exp(pictures.reduce(0) { $0 + log($1.aspect) } / Double(max(1, pictures.count)))
    var best: (layout: BookLayout, pages: Int, area: Double)?
    for columns in options.columns.map({ $0...$0 }) ?? 1...PageTarget.mostLines {
      for rows in options.rows.map({ $0...$0 }) ?? 1...PageTarget.mostLines {
        let width = (content.width - Double(columns - 1) * options.columnGap) / Double(columns) - 2 * options.border
        let height =
          (content.height - Double(rows - 1) * options.rowGap) / Double(rows) - strip - 2 * options.border
        guard width >= 1, height >= 1 else { continue }
        let needed = max(pages, sections.reduce(0) { $0 + ($1.count + rows * columns - 1) / (rows * columns) })
        let area = min(width, height * shape) * min(height, width / shape)
        if best.map({ needed < $0.pages || needed == $0.pages && area > $0.area * 1.0001 }) ?? true {
          var layout = self
          (layout.options.rows, layout.options.columns) = (rows, columns)
          best = (layout, needed, area)
        }
      }
    }
    guard let best else { throw .noRoom(width: size.width, height: size.height) }
    return best.layout
  }
}
