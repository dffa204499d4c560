import ImageCore

extension LayoutKind {
  package static let spread = LayoutKind(
    rawValue: "spread", summary: "wide ones over two pages",
    options: ["pages", "fit", "enlarge", "reduce", "first_page"],
    parameters: [
      ParameterDescriptor(
        "first_page", .choice(["right", "left"]),
        help:
          "side of the first page; by default right, or left in a book read from right to left"
      )
    ],
    adapt: { (target, pictures) throws(PDFError) in
      (target.least, target.most) = (target.most, target.most.map { 2 * $0 })
      target.loads = target.sections.map { Double($0.count) }
    }
  ) { (layout, pictures) throws(PDFError) in try layout.spreadPages(pictures) }
}

extension BookLayout {
  /// The minimum aspect ratio of a picture on two facing pages.
  private static let wide = 1.2

  /// Lays out each wide picture over two facing pages, from outer margin to outer margin, and all other pictures on one
  /// page each.
  ///
  /// If a wide picture would begin on the second of two facing pages, the narrowest possible wide picture gets only one
  /// page, so that no page is blank. If a number of pages is requested, more wide pictures may get one page.
  func spreadPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let content = try contentArea(of: size)
    var pages: [PlannedPage] = []
    let isOverTwo = sectionPages.map { picturesOverTwo(pictures, pages: $0) } ?? picturesOverTwo(pictures)
    for (index, picture) in pictures.enumerated() {
      guard isOverTwo[index] else {
        var cell = try cell(picture, index, in: content, fit: setup.fit, on: size)
        // The caption lies below or above the picture, which is alone on the page.
        if let lines = cell.caption?.lines {
          cell.caption = slot(of: cell, on: size)
          cell.caption?.lines = lines
        }
        pages.append(PlannedPage(size: size, cells: [cell]))
        continue
      }
      // Both pages are laid out as one sheet, with the spine in the middle.
      let sheet = PageSize(width: size.width * 2, height: size.height)
      let captions = try captionSpace(picture.hasCaption ? [(index, content)] : [], most: content.height / 2, on: size)
      let whole = withoutStrip(
        PageRectangle(
          left: setup.margins.left, bottom: content.bottom,
          width: sheet.width - setup.margins.left - setup.margins.right, height: content.height), captions.strip)
      guard whole.height >= 1 else { throw .noRoom(width: size.width, height: size.height) }
      let both = try placed(picture, index, in: whole, fit: setup.fit, on: sheet)
      for var half in halves(of: both, on: size) {
        if picture.hasCaption, let own = half, own.part != .first {
          half?.caption = slot(of: own, on: size)
          half?.caption?.lines = captions.lines
        }
        pages.append(PlannedPage(size: size, cells: [half].compactMap(\.self)))
      }
    }
    return pages
  }

  /// Divides a picture between two facing pages, which lie next to each other with the spine in the middle.
  ///
  /// Each half extends beyond the spine by the bleed.
  ///
  /// - Parameters:
  ///   - both: the picture's cell without a caption.
  ///   - size: the size of one page.
  /// - Returns: the cells of the first and of the second page; nil for a page on which no part of the picture lies.
  func halves(of both: PageCell, on size: PageSize) -> [PageCell?] {
    let bleed = options.print.bleed
    let half = PageRectangle(
      left: -bleed, bottom: -bleed, width: size.width + 2 * bleed, height: size.height + 2 * bleed)
    let sides = options.binding.isRightToLeft ? [1, 0] : [0, 1]
    return sides.map { side in
      var cell = both
      cell.move(-Double(side) * size.width, 0)
      let seen = cell.visible.intersection(half)
      guard seen.width > 0.01 else { return nil }
      if seen != cell.visible {
        cell.clip = seen
        cell.part = side == sides[0] ? .first : .second
      }
      cell.frame = cell.frame.intersection(half)
      cell.border = cell.border?.intersection(half)
      return cell
    }
  }

  /// Returns, for each picture, whether it gets two pages. The choice gives the section the requested number of pages,
  /// or the nearest possible number.
  ///
  /// Among all such choices, the result has the largest total width of pictures on two pages. Each of these pictures
  /// begins on the first of two facing pages.
  private func picturesOverTwo(_ pictures: [LayoutPicture], pages: Int) -> [Bool] {
    let beginsFacing = options.binding.isOnRight(options.pagesBefore + 1) == options.binding.isRightToLeft
    let most = min(max(0, pages - pictures.count), pictures.count)
    // The forward pass computes the largest total width of pictures on two pages, by the number of such pictures and
    // the side of the next page. It records the choices for the backward pass.
    var best = [[Double]](repeating: [-.infinity, -.infinity], count: most + 1)
    best[0][beginsFacing ? 0 : 1] = 0
    var steps: [[[Bool]]] = []
    for picture in pictures {
      var next = [[Double]](repeating: [-.infinity, -.infinity], count: most + 1)
      var step = [[Bool]](repeating: [false, false], count: most + 1)
      for count in 0...most {
        for side in 0...1 {
          // A picture on one page moves the next picture to the other side.
          next[count][side] = best[count][1 - side]
          // A picture on two pages begins on the first of two facing pages and takes both, so the next page is again a
          // first one.
          guard side == 0, count > 0, picture.aspect >= Self.wide else { continue }
          let over = best[count - 1][0] + picture.aspect
          if over > next[count][0] { (next[count][0], step[count][0]) = (over, true) }
        }
      }
      best = next
      steps.append(step)
    }
    guard var count = (0...most).last(where: { best[$0].contains { $0 > -.infinity } }) else {
      return pictures.map { _ in false }
    }
    var side = best[count][0] >= best[count][1] ? 0 : 1
    var isOver = [Bool](repeating: false, count: pictures.count)
    for index in pictures.indices.reversed() {
      isOver[index] = steps[index][count][side]
      if isOver[index] { count -= 1 } else { side = 1 - side }
    }
    return isOver
  }

  /// Returns for each picture whether it gets two pages. Of all choices without a blank page, the result has the least
  /// total width of wide pictures that get only one page.
  private func picturesOverTwo(_ pictures: [LayoutPicture]) -> [Bool] {
    let binding = options.binding
    let beginsFacing =
      binding.isOnRight(options.pagesBefore + 1) == binding.isRightToLeft
    // The backward pass computes the least cost of the remaining pictures if the next page is the first or the second
    // of two facing pages.
    var cost = (first: 0.0, second: 0.0)
    var goesOver = [Bool](repeating: false, count: pictures.count)
    for (index, picture) in pictures.enumerated().reversed() {
      let isWide = picture.aspect >= Self.wide
      let onOne = isWide ? picture.aspect : 0
      goesOver[index] = isWide && cost.first <= cost.second + onOne
      cost = (
        goesOver[index] ? cost.first : cost.second + onOne, cost.first + onOne
      )
    }
    var isFirst = beginsFacing
    for index in pictures.indices {
      goesOver[index] = goesOver[index] && isFirst
      if !goesOver[index] { isFirst.toggle() }
    }
    return goesOver
  }
}
