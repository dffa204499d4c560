extension LayoutKind {
  package static let masonry = LayoutKind(
    rawValue: "masonry", summary: "in columns (masonry)",
    options: ["columns", "pages", "gutter", "enlarge", "reduce"], fillsPages: true,
    adapt: { (target, pictures) throws(PDFError) in
      (target.layout, target.least) = try target.layout.withColumns(for: target.pages, pictures, target.sections)
      target.loads = target.sections.map { section in section.reduce(0) { $0 + 1 / pictures[$1].aspect } }
    }
  ) { (layout, pictures) throws(PDFError) in try layout.masonryPages(pictures) }
}

extension BookLayout {
  /// Lays out columns of equal width. Each picture goes to the shortest column, or to the leftmost of several equally
  /// short ones.
  ///
  /// Page breaks are chosen to fill columns evenly. If pictures bleed at the lower edge of pages and may be enlarged,
  /// columns are stretched to that edge. A picture taller than a page is reduced. By default there are three columns,
  /// or fewer if all pictures then fill one page better.
  func masonryPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    var best = try masonry(pictures, options.columns ?? Self.usualColumns)
    if sectionPages == nil, options.columns == nil, best.pages.count == 1 {
      for columns in 1..<Self.usualColumns {
        let other = try masonry(pictures, columns)
        if other.pages.count == 1, other.cost < best.cost { best = other }
      }
    }
    return try pages(of: best, pictures)
  }

  /// A planned arrangement whose pictures are not placed yet.
  private struct Masonry {
    let plan: MasonryColumns
    /// The width of a column.
    let width: Double
    let captions: [CaptionSpace]
    let pages: [Range<Int>]
    let cost: Double
  }

  private func masonry(_ pictures: [LayoutPicture], _ columns: Int) throws(PDFError) -> Masonry {
    let size = pageSize
    let content = try contentArea(of: size)
    let width = (content.width - Double(columns - 1) * options.columnGap) / Double(columns)
    let border = 2 * options.border
    guard width - border >= 1 else {
      throw .noRoomForCells(
        rows: nil, columns: columns, width: size.width, height: size.height)
    }
    guard content.height - captionStrip - border >= 1 else {
      throw .noRoom(width: size.width, height: size.height)
    }
    let anyColumn = PageRectangle(left: content.left, bottom: content.bottom, width: width, height: content.height)
    var blocks: [MasonryColumns.Block] = []
    var captionSpaces: [CaptionSpace] = []
    for (index, picture) in pictures.enumerated() {
      let captions = try captionSpace(
        picture.hasCaption ? [(index, anyColumn)] : [], most: content.height / 2, on: size)
      let extras = border + captions.strip
      let wanted = (width - border) / picture.aspect
      blocks.append(
        MasonryColumns.Block(
          height: min(wanted, content.height - extras), extras: extras,
          isWhole: wanted + extras <= content.height))
      captionSpaces.append(captions)
    }
    let plan = MasonryColumns(
      blocks: blocks, columns: columns, gap: options.rowGap,
      filling: PageFilling(
        height: content.height, stretches: fillsPages(content) && setup.enlarge))
    let (pages, cost) = sectionPages.flatMap { plan.pages(exactly: $0) } ?? plan.pages()
    return Masonry(plan: plan, width: width, captions: captionSpaces, pages: pages, cost: cost)
  }

  private func pages(of masonry: Masonry, _ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let content = try contentArea(of: size)
    var pages: [PlannedPage] = []
    for range in masonry.pages {
      var page = PlannedPage(size: size)
      for place in masonry.plan.places(range) {
        let area = PageRectangle(
          left: content.left + Double(place.column) * (masonry.width + options.columnGap),
          bottom: content.top - place.bottom, width: masonry.width, height: place.height)
        // A picture that is not reduced has the aspect ratio of its area, unless its column is stretched.
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

  /// Returns the layout with the fewest columns that suffice for the requested number of pages, and the minimum number
  /// of pages of each section. If no number of columns suffices, the layout needs as few pages as possible.
  fileprivate func withColumns(for pages: Int, _ pictures: [LayoutPicture], _ sections: [Range<Int>]) throws(PDFError)
    -> (BookLayout, [Int])
  {
    var layout = self
    var least: [Int] = []
    for columns in options.columns.map({ $0...$0 }) ?? 1...PageTarget.mostLines {
      var tried = self
      tried.options.columns = columns
      var found: [Int] = []
      do throws(PDFError) {
        for section in sections { found.append(try tried.masonry(Array(pictures[section]), columns).plan.fewestPages) }
      } catch {
        // This number of columns does not fit, so the best previous number is used.
        if least.isEmpty { throw error }
        break
      }
      if least.isEmpty || found.reduce(0, +) < least.reduce(0, +) { (layout, least) = (tried, found) }
      if least.reduce(0, +) <= pages { break }
    }
    return (layout, least)
  }
}
