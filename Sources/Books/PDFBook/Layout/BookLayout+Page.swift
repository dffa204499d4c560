import BookExpectations
import ImageCore

extension BookLayout {
  /// Returns the page for a plan, ready to be written. Cells for which `picture` returns nil stay empty.
  package func page(_ plan: PlannedPage, _ picture: (Int) -> LaidPicture?) throws(PDFError) -> PDFPage {
    let margin = options.print.margin
    let whole = PageSize(
      width: plan.size.width + 2 * margin, height: plan.size.height + 2 * margin)
    let trim = trim(of: plan.size)
    let background = plan.background ?? setup.background
    var page = PDFPage(size: whole, background: margin > 0 ? nil : background)
    let bleed = trim.grown(options.print.bleed)
    if margin > 0 {
      page.boxes = PrintBoxes(trim: trim, bleed: bleed)
      if let colour = background { page.under.append(.fill(bleed, colour)) }
    }
    if options.kind == .cover, let colour = options.spineColour {
      var area = spineArea.offset(margin, margin)
      // The spine's colour extends by one point behind the pictures on both sides. If their edges only touched, viewers
      // would show a thin line of the page's colour between them.
      area.left -= 1
      area.width += 2
      page.under.append(.fill(area, colour))
    }
    // Shadows fall only on the page, not on pictures or borders.
    let shadowed = options.shadow == nil ? [] : plan.cells
    let shadows = shadowed.filter { picture($0.picture) != nil }.compactMap {
      shadow(of: $0.moved(margin, margin), on: trim, bleed, opaqueOn: options.isOpaque ? background ?? .white : nil)
    }
    var (grounds, borders): ([PageShape], [PageShape]) = ([], [])
    for var cell in plan.cells {
      guard let laid = picture(cell.picture) else { continue }
      cell.move(margin, margin)
      if let colour = options.cellBackground { grounds.append(.fill(cell.frame, colour)) }
      let seen = cell.clip ?? cell.visible
      let outline = RoundedRectangle(seen, radius: options.corners - options.border, inside: trim)
      let rectangle = laid.isCut ? cell.visible : cell.rectangle(laid.focus)
      var placement = Placement(
        laid.reference, in: rectangle, orientation: laid.orientation,
        clip: seen == rectangle ? nil : seen)
      if outline.isRound { (placement.clip, placement.outline) = (seen, outline) }
      placement.sources = laid.sources
      placement.alternative = laid.alternative
      placement.part = cell.part
      page.placements.append(placement)
      if let border = cell.border, let colour = options.borderColour {
        let outer = RoundedRectangle(border, radius: options.corners, inside: trim)
        // A border with rounded corners extends behind the picture. If their antialiased edges coincided, the page
        // would shine through.
        let inner = outline.isRound ? outline.grown(-min(Self.underlap, options.border / 2)) : outline
        borders.append(.frame(outer, around: inner, colour))
      }
      if let slot = cell.caption, !laid.caption.isEmpty {
        var caption = try caption(laid.caption, in: slot)
        caption.placement = page.placements.count - 1
        page.over += [ground(behind: caption.backgroundBox, on: cell, trim)].compactMap { $0 }
        page.captions.append(caption)
      }
      if !laid.link.isEmpty {
        var link = PageLink(laid.link, over: seen)
        link.placement = page.placements.count - 1
        page.links.append(link)
      }
    }
    page.under += grounds + shadows + borders
    if options.print.cropMarks {
      page.over += Self.cropMarks(around: trim, bleed: options.print.bleed)
      if options.kind == .cover { page.over += foldMarks(around: trim) }
    }
    return page
  }

  /// Returns the part of a sheet that remains after trimming: a page of the given size.
  func trim(of size: PageSize) -> PageRectangle {
    let margin = options.print.margin
    return PageRectangle(left: margin, bottom: margin, width: size.width, height: size.height)
  }

  /// The distance by which a border with rounded corners extends behind its picture, in points.
  private static let underlap = 0.25

  /// Returns the shadow of a cell on its sheet; nil for none, for example if the picture covers the page.
  private func shadow(
    of cell: PageCell, on trim: PageRectangle, _ bleed: PageRectangle, opaqueOn page: Colour?
  ) -> PageShape? {
    let outer = RoundedRectangle(cell.border ?? cell.visible, radius: options.corners, inside: trim)
    guard !trim.isInside(outer.box) else { return nil }
    return options.shadow?.shape(behind: outer, within: bleed, opaqueOn: page)
  }

  /// Returns a caption of one line, in a smaller font size if necessary. In the layout `single`, a caption that is
  /// still too long is an error; in others, it is shortened in the middle, because file names may differ only at their
  /// ends.
  private func caption(_ text: String, in slot: CaptionSlot) throws(PDFError) -> Caption {
    var text = text
    var size: Double
    if options.kind == .single {
      size = try setup.fittingSize(of: text, in: slot.width)
    } else {
      (text, size) = try Caption.shortened(text, size: setup.captions.size, room: slot.width)
    }
    size = min(size, setup.captions.size)
    return Caption(text, centre: slot.centre, baseline: slot.baseline, fontSize: size, colour: setup.captions.colour)
  }

  /// Returns crop marks: two lines at each corner, outside the bleed.
  private static func cropMarks(around trim: PageRectangle, bleed: Double) -> [PageShape] {
    let start = bleed + PrintOptions.markGap
    let end = start + PrintOptions.markLength
    var marks: [PageShape] = []
    func line(_ x: Double, _ y: Double, _ toX: Double, _ toY: Double) {
      marks.append(
        .line(x, y, toX, toY, width: PrintOptions.markWidth, .black))
    }
    for (x, away) in [(trim.left, -1.0), (trim.right, 1.0)] {
      for (y, up) in [(trim.bottom, -1.0), (trim.top, 1.0)] {
        line(x + away * start, y, x + away * end, y)
        line(x, y + up * start, x, y + up * end)
      }
    }
    return marks
  }
}

extension BookLayout {
  /// Returns the fold marks of a cover: dashed lines at both sides of the spine, at the hinges, and at the edges of the
  /// boards. Their distance from the page is the same as that of crop marks, which are solid lines.
  private func foldMarks(around trim: PageRectangle) -> [PageShape] {
    let start = options.print.bleed + PrintOptions.markGap
    let dash = PrintOptions.markLength / Double(2 * PrintOptions.foldDashes - 1)
    let (binding, left) = (options.binding, trim.left + spineLeft)
    // A cover without a spine has one fold.
    var folds = binding.spine > 0 ? [left, left + binding.spine] : [left]
    if binding.hinge > 0 { folds += [left - binding.hinge, left + binding.spine + binding.hinge] }
    if binding.turnIn > 0 { folds += [trim.left + binding.turnIn, trim.right - binding.turnIn] }
    var marks: [PageShape] = []
    for y in binding.turnIn > 0 ? [trim.bottom + binding.turnIn, trim.top - binding.turnIn] : [] {
      for (x, away) in [(trim.left, -1.0), (trim.right, 1.0)] {
        for index in 0..<PrintOptions.foldDashes {
          let from = x + away * (start + Double(2 * index) * dash)
          marks.append(.line(from, y, from + away * dash, y, width: PrintOptions.markWidth, .black))
        }
      }
    }
    for x in folds {
      for (y, up) in [(trim.bottom, -1.0), (trim.top, 1.0)] {
        for index in 0..<PrintOptions.foldDashes {
          let from = y + up * (start + Double(2 * index) * dash)
          marks.append(
            .line(x, from, x, from + up * dash, width: PrintOptions.markWidth, .black))
        }
      }
    }
    return marks
  }
}

extension LayoutKind {
  package static let single = LayoutKind(
    rawValue: "single", summary: "one a page", options: ["fit", "enlarge", "reduce"]
  ) { (layout, pictures) throws(PDFError) in
    var pages: [PlannedPage] = []
    for (index, picture) in pictures.enumerated() { pages.append(try layout.singlePage(picture, index)) }
    return pages
  }
}

extension BookLayout {
  /// Lays out the page of a single picture. Without a paper size, the page is as large as the picture with its border,
  /// caption and margins.
  package func singlePage(_ picture: LayoutPicture, _ index: Int) throws(PDFError) -> PlannedPage {
    var natural = setup.naturalSize(picture.width, picture.height, picture.resolution)
    natural.width += 2 * options.border
    natural.height += 2 * options.border
    let size = setup.pageSize(
      for: natural, captionHeight: picture.hasCaption ? captionStrip : 0)
    var fit = setup.fit
    // On a page as large as its picture, the picture is enlarged into the bleed.
    if setup.paper == nil, options.print.bleed > 0, fit == .inside || fit == .contain { fit = .cover }
    let area = withoutStrip(try contentArea(of: size), picture.hasCaption ? captionStrip : 0)
    guard area.height >= 1 else { throw .noRoom(width: size.width, height: size.height) }
    var cell = try placed(picture, index, in: area, fit: fit, on: size)
    if picture.hasCaption { cell.caption = slot(of: cell, on: size) }
    var page = PlannedPage(size: size, cells: [cell])
    page.isOfOnePicture = true
    return page
  }
}
