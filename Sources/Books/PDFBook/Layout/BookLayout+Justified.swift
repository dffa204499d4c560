extension LayoutKind {
  package static let justified = LayoutKind(
    rawValue: "justified", summary: "in justified rows", options: ["pages", "gutter", "row_height"], fillsPages: true
  ) { (layout, pictures) throws(PDFError) in try layout.justifiedPages(pictures) }
}

extension BookLayout {
  /// Lays out rows of equal width, which `JustifiedRows` distributes over pages. If pictures bleed at the lower edge of
  /// pages, the rows are stretched to that edge, and the pictures are cropped slightly.
  func justifiedPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let content = try contentArea(of: size)
    let hasCaptions = pictures.contains(where: \.hasCaption)
    let border = 2 * options.border
    let most = content.height - (hasCaptions ? captionStrip : 0) - border
    let wanted = min(options.rowHeight ?? content.height / 4, most)
    guard wanted >= 1, content.width > border else { throw .noRoom(width: size.width, height: size.height) }
    var strips: [Double] = []
    for (index, picture) in pictures.enumerated() {
      let width = min(content.width, wanted * picture.aspect * Self.narrowest)
      let area = PageRectangle(left: content.left, bottom: content.bottom, width: width, height: wanted)
      let own = try captionSpace(picture.hasCaption ? [(index, area)] : [], most: content.height / 2, on: size)
      strips.append(max(own.strip, hasCaptions ? captionStrip : 0))
    }
    var rows = JustifiedRows(
      aspects: pictures.map(\.aspect), strips: strips, width: content.width, height: content.height,
      columnGap: options.columnGap, rowGap: options.rowGap, border: border, wanted: wanted, fills: fillsPages(content))
    guard let pages = sectionPages.map({ rows.pages(exactly: $0, highest: most) }) ?? rows.pages() else {
      throw .noRoom(width: size.width, height: size.height)
    }
    let gaps = measurer == nil ? facingGaps(pages, rows) : pages.map { _ in options.rowGap }
    var planned: [PlannedPage] = []
    for (page, gap) in zip(pages, gaps) {
      planned.append(try self.page(of: page, rows, pictures, rowGap: gap, in: content, on: size))
    }
    return planned
  }

  /// The maximum distance that is added to the gap between rows to align facing pages, as a share of the content
  /// area's height.
  private static let mostSpread = 0.015

  /// Returns the gap between the rows of each page. If one of two facing pages ends slightly higher than the other, its
  /// rows move apart, so that both end at the same height.
  private func facingGaps(_ pages: [[JustifiedRows.Row]], _ rows: JustifiedRows) -> [Double] {
    var gaps = pages.map { _ in options.rowGap }
    guard !rows.fills else { return gaps }
    let heights = pages.map { rows.height(of: $0) }
    for first in pages.indices.dropLast()
    where options.binding.isOnRight(options.pagesBefore + first + 1) == options.binding.isRightToLeft {
      let short = heights[first] < heights[first + 1] ? first : first + 1
      guard pages[short].count > 1 else { continue }
      let more = abs(heights[first] - heights[first + 1]) / Double(pages[short].count - 1)
      if more <= Self.mostSpread * rows.height { gaps[short] += more }
    }
    return gaps
  }

  /// The width at which captions are measured before the rows are known, as a multiple of the picture's width at the
  /// preferred row height. Pictures are usually wider.
  private static let narrowest = 0.8

  /// Returns whether pictures must reach the page's lower edge.
  func fillsPages(_ content: PageRectangle) -> Bool { options.print.bleed > 0 && content.bottom < 0.01 }

  private func page(
    of rows: [JustifiedRows.Row], _ plan: JustifiedRows, _ pictures: [LayoutPicture], rowGap: Double,
    in content: PageRectangle, on size: PageSize
  ) throws(PDFError) -> PlannedPage {
    let border = 2 * options.border
    var captions: [CaptionSpace] = []
    var free = max(0, content.height - plan.height(of: rows))
    for row in rows {
      let strip = plan.strip(row.pictures)
      let found = try captionSpace(
        of: row, pictures, most: strip + free, in: content, on: size)
      free -= found.strip - strip
      captions.append(found)
    }
    let extras = zip(rows, captions).reduce(0) { $0 + $1.1.strip + border }
    let stretch = plan.stretch(of: rows, extras: extras)
    var page = PlannedPage(size: size)
    var top = content.top
    for (row, captions) in zip(rows, captions) {
      let height = row.height * stretch + captions.strip + border
      var left = content.left + max(0, content.width - plan.width(of: row)) / 2
      for index in row.pictures {
        let width = row.height * pictures[index].aspect + border
        let area = PageRectangle(left: left, bottom: top - height, width: width, height: height)
        page.cells.append(
          try framed(pictures[index], index, area, captions: captions, on: size))
        left += width + options.columnGap
      }
      top -= height + rowGap
    }
    return page
  }

  /// Returns the space for the captions of a row: at least one line if any of `pictures` has a caption, so that all
  /// rows look alike.
  private func captionSpace(
    of row: JustifiedRows.Row, _ pictures: [LayoutPicture], most: Double, in content: PageRectangle, on size: PageSize
  ) throws(PDFError) -> CaptionSpace {
    var left = content.left
    var captions: [(picture: Int, area: PageRectangle)] = []
    for index in row.pictures {
      let width = row.height * pictures[index].aspect + 2 * options.border
      if pictures[index].hasCaption {
        captions.append((index, PageRectangle(left: left, bottom: content.bottom, width: width, height: row.height)))
      }
      left += width + options.columnGap
    }
    var found = try captionSpace(captions, most: most, on: size)
    if pictures.contains(where: \.hasCaption) { found.strip = max(found.strip, captionStrip) }
    return found
  }

  /// Returns a cell whose picture fills its area, except for the caption's strip, and extends into the bleed.
  private func framed(
    _ picture: LayoutPicture, _ index: Int, _ area: PageRectangle, captions: CaptionSpace, on size: PageSize
  ) throws(PDFError) -> PageCell {
    var layout = self
    (layout.setup.enlarge, layout.setup.reduce) = (true, true)
    return try layout.cell(picture, index, in: area, fit: .cover, captions: captions, on: size)
  }
}
