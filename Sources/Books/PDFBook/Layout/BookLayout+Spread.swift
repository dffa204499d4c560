extension BookLayout {
  /// From this width by height on, a picture takes two facing pages.
  private static let wide = 1.2

  /// Wide pictures from outer margin to outer margin over two pages that face each other, the others on a page of
  /// their own, as is the least wide picture where a wide one would begin on the wrong side: no page is left blank.
  func spreadPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let bleed = options.print.bleed
    var pages: [PlannedPage] = []
    let isOverTwo = picturesOverTwo(pictures)
    for (index, picture) in pictures.enumerated() {
      guard isOverTwo[index] else {
        var cell = try cell(picture, index, in: room, fit: setup.fit, on: size)
        // It has the page to itself, and its caption stands right beside it.
        if let lines = cell.caption?.lines {
          cell.caption = slot(of: cell, on: size)
          cell.caption?.lines = lines
        }
        pages.append(PlannedPage(size: size, cells: [cell]))
        continue
      }
      let binding = options.binding
      // Both pages as one sheet, whose fold is at the page's width.
      let sheet = PageSize(width: size.width * 2, height: size.height)
      let captions = try captionRoom(
        picture.hasCaption ? [(index, room)] : [], most: room.height / 2, on: size)
      let whole = withoutStrip(
        PageRectangle(
          left: setup.margins.left, bottom: room.bottom,
          width: sheet.width - setup.margins.left - setup.margins.right, height: room.height),
        captions.strip)
      guard whole.height >= 1 else { throw .noRoom(width: size.width, height: size.height) }
      let both = try placed(picture, index, in: whole, fit: setup.fit, on: sheet)
      // What continues over the fold does so within the bleed there.
      let sides = binding.isRightToLeft ? [1, 0] : [0, 1]
      for side in sides {
        var cell = both
        cell.move(-Double(side) * size.width, 0)
        let half = PageRectangle(
          left: -bleed, bottom: -bleed, width: size.width + 2 * bleed,
          height: size.height + 2 * bleed)
        let seen = cell.visible.intersection(half)
        if seen != cell.visible {
          cell.clip = seen
          cell.share = side == sides[0] ? .first : .second
        }
        cell.frame = cell.frame.intersection(half)
        cell.border = cell.border?.intersection(half)
        if picture.hasCaption, side == sides[1] {
          cell.caption = slot(of: cell, on: size)
          cell.caption?.lines = captions.lines
        }
        pages.append(PlannedPage(size: size, cells: seen.width > 0.01 ? [cell] : []))
      }
    }
    return pages
  }
  /// Which pictures lie over two pages: of all choices that leave no page blank the one whose wide pictures on one page
  /// are the least wide together.
  private func picturesOverTwo(_ pictures: [LayoutPicture]) -> [Bool] {
    let binding = options.binding
    let beginsFacing =
      binding.isOnRight(options.pagesBefore + 1) == binding.isRightToLeft
    // From the last picture to the first: the least cost of all that follow, where the next page is the first of two
    // that face each other, and where it is the second.
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
