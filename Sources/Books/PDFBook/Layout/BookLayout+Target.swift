import Platform

/// Books with a requested number of pages, in layouts that are not designed.
extension BookLayout {
  /// Returns the layout for each section, with the number of its pages.
  ///
  /// - Parameter pages: the requested number, without a title page.
  func targeted(_ pages: Int, _ pictures: [LayoutPicture], _ sections: [Range<Int>]) throws(PDFError) -> [BookLayout] {
    var layout = self
    var least = sections.map { _ in 1 }
    var most = sections.map(\.count)
    let loads: [Double]
    switch options.kind {
    case .grid:
      layout = try withGrid(for: pages, pictures, sections)
      let cells = layout.options.rows! * layout.options.columns!
      least = sections.map { ($0.count + cells - 1) / cells }
      loads = sections.map { Double($0.count) }
    case .masonry:
      (layout, least) = try withColumns(for: pages, pictures, sections)
      loads = sections.map { section in section.reduce(0) { $0 + 1 / pictures[$1].aspect } }
    case .spread:
      (least, most) = (most, most.map { 2 * $0 })
      loads = sections.map { Double($0.count) }
    default:
      loads = sections.map { section in section.reduce(0) { $0 + pictures[$1].aspect } }
    }
    let shares = PageShares.shares(of: pages, least: least, most: most, loads: loads)
    return shares.map { share in
      var part = layout
      part.sectionPages = share
      return part
    }
  }

  /// The most rows and columns that a target chooses.
  private static let mostLines = 20

  /// Returns the layout with the rows and columns that show pictures as large as the number of pages allows. If none
  /// fits, returns the grid with the most cells.
  private func withGrid(for pages: Int, _ pictures: [LayoutPicture], _ sections: [Range<Int>]) throws(PDFError)
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
    for columns in options.columns.map({ $0...$0 }) ?? 1...Self.mostLines {
      for rows in options.rows.map({ $0...$0 }) ?? 1...Self.mostLines {
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

  /// Returns the layout with the fewest columns that the number of pages allows, and the least number of pages of each
  /// section.
  private func withColumns(for pages: Int, _ pictures: [LayoutPicture], _ sections: [Range<Int>]) throws(PDFError)
    -> (BookLayout, [Int])
  {
    var layout = self
    var least: [Int] = []
    for columns in options.columns.map({ $0...$0 }) ?? 1...Self.mostLines {
      var tried = self
      tried.options.columns = columns
      var found: [Int] = []
      do throws(PDFError) {
        for section in sections { found.append(try tried.fewestMasonryPages(Array(pictures[section]), columns)) }
      } catch {
        // There is no room for so many columns, so the previous number is used.
        if least.isEmpty { throw error }
        break
      }
      if least.isEmpty || found.reduce(0, +) < least.reduce(0, +) { (layout, least) = (tried, found) }
      if least.reduce(0, +) <= pages { break }
    }
    return (layout, least)
  }
}
