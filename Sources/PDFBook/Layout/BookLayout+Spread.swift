extension BookLayout {
  /// From this width by height on, a picture takes two facing pages.
  private static let wide = 1.2

  /// Wide pictures from outer margin to outer margin over two pages that face each other, a blank page
  /// before where one is needed; the others on a page of their own.
  func spreadPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let bleed = options.print.bleed
    var pages: [PlannedPage] = []
    for (index, picture) in pictures.enumerated() {
      guard picture.aspect >= Self.wide else {
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
      let isOnRight = binding.isOnRight(options.pagesBefore + pages.count + 1)
      if isOnRight != binding.isRightToLeft { pages.append(PlannedPage(size: size)) }
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
}
