extension BookLayout {
  /// From this width by height on, a picture takes two facing pages.
  private static let wide = 1.2

  /// Wide pictures from outer margin to outer margin over a left page and the right one beside it, a blank
  /// page before where one is needed; the others on a page of their own.
  func spreadPages(_ pictures: [LayoutPicture]) throws(PDFError) -> [PlannedPage] {
    let size = pageSize
    let room = try room(of: size)
    let bleed = options.print.bleed
    var pages: [PlannedPage] = []
    for (index, picture) in pictures.enumerated() {
      guard picture.aspect >= Self.wide else {
        pages.append(
          PlannedPage(
            size: size,
            cells: [cell(picture, index, in: room, fit: setup.fit, bleedingOver: size)]))
        continue
      }
      let isOnRight = (pages.count % 2 == 0) == options.binding.startsRight
      if isOnRight { pages.append(PlannedPage(size: size)) }
      // Both pages as one sheet, whose fold is at the page's width.
      let sheet = PageSize(width: size.width * 2, height: size.height)
      let strip = picture.hasCaption ? captionHeight : 0
      let whole = PageRectangle(
        left: setup.margins.left, bottom: room.bottom + strip,
        width: sheet.width - setup.margins.left - setup.margins.right, height: room.height - strip)
      guard whole.height >= 1 else { throw .noRoom(width: size.width, height: size.height) }
      let both = placed(picture, index, in: whole.bled(bleed, over: sheet), fit: setup.fit)
      // What continues over the fold does so within the bleed there.
      for side in 0...1 {
        var cell = both
        cell.move(-Double(side) * size.width, 0)
        let half = PageRectangle(
          left: -bleed, bottom: -bleed, width: size.width + 2 * bleed,
          height: size.height + 2 * bleed)
        let seen = cell.visible.intersection(half)
        if seen != cell.visible { cell.clip = seen }
        cell.frame = cell.frame.intersection(half)
        if picture.hasCaption, side == 1 {
          cell.caption = slot(below: cell.visible, on: size)
        }
        pages.append(PlannedPage(size: size, cells: seen.width > 0.01 ? [cell] : []))
      }
    }
    return pages
  }
}
