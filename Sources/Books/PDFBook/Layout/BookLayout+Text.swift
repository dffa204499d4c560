import ImageCore
import TextShaping

/// Pages with texts laid out by Pango.
extension BookLayout {
  /// Returns the page for a plan, with its pictures and captions.
  ///
  /// - Parameters:
  ///   - number: the page's number from 1, for notes.
  ///   - notes: receives a note for each caption that is not shown in full.
  package func page(
    _ plan: PlannedPage, captions style: TextStyle, number: Int, with layouter: TextLayouter, notes: inout [TextNote],
    _ picture: (Int) -> LaidPicture?
  ) throws(PDFError) -> PDFPage {
    var page = try self.page(plan) { picture($0)?.withoutCaption }
    let margin = options.print.margin
    let trim = trim(of: plan.size)
    var placement = -1
    for cell in plan.cells {
      guard let laid = picture(cell.picture) else { continue }
      placement += 1
      let text = laid.caption
      guard let slot = cell.caption, !text.isEmpty else { continue }
      var style = style.inCell(of: slot)
      if slot.isBeside {
        style = style.readable(on: plan.background ?? setup.background ?? .white)
      } else if setup.captions.position != .over, let ground = plan.background {
        style = style.readable(on: ground)
      }
      let block = try layouter.block(text, style: style, width: slot.width)
      notes += block.notes(
        page: number, option: "caption", of: laid.name, overflow: style.overflow)
      guard block.lines.contains(where: { !$0.text.isEmpty }) else { continue }
      let nearest = slot.isBeside || setup.captions.position == .below ? block.lines.first! : block.lines.last!
      var placed = PlacedText(
        block, left: margin + slot.centre - slot.width / 2,
        top: margin + slot.baseline + nearest.baseline, role: .caption(placement))
      placed.language = style.language
      let shape = ground(behind: placed.backgroundBox, on: cell.moved(margin, margin), trim)
      page.over += [shape].compactMap { $0 }
      page.texts.append(placed)
    }
    return page
  }

  /// Returns the page of a single picture, with a caption of any number of lines.
  package func singlePage(
    _ picture: LayoutPicture, _ laid: LaidPicture, captions style: TextStyle, number: Int, with layouter: TextLayouter,
    notes: inout [TextNote]
  ) throws(PDFError) -> PDFPage {
    // A picture that has already been cut to its cell leaves room for only one line of caption.
    guard !laid.caption.isEmpty, !laid.isCut else {
      return try page(singlePage(picture, 0), captions: style, number: number, with: layouter, notes: &notes) { _ in
        laid
      }
    }
    let bare = LayoutPicture(width: picture.width, height: picture.height, resolution: picture.resolution)
    // The widths of the page and of the caption do not depend on the caption's height.
    let whole = try singlePage(bare, 0)
    let slot = slot(of: whole.cells[0], on: whole.size)
    let block = try layouter.block(laid.caption, style: style, width: slot.width)
    notes += block.notes(
      page: number, option: "caption", of: laid.name, overflow: style.overflow)
    guard let last = block.lines.last, block.lines.contains(where: { !$0.text.isEmpty }) else {
      return try page(whole) { _ in laid.withoutCaption }
    }
    let gap = style.size * 0.5
    var inner = self
    switch setup.captions.position {
    case .below: inner.setup.margins.bottom += gap + block.height
    case .above: inner.setup.margins.top += gap + block.height
    case .over: break
    }
    let plan = try inner.singlePage(bare, 0)
    var page = try inner.page(plan) { _ in laid.withoutCaption }
    let seen = plan.cells[0].border ?? plan.cells[0].visible
    let top =
      switch setup.captions.position {
      case .below: seen.bottom - gap
      case .above: seen.top + gap + block.height
      case .over: slot.baseline + last.baseline
      }
    let margin = options.print.margin
    var text = PlacedText(block, left: margin + slot.centre - slot.width / 2, top: margin + top, role: .caption(0))
    text.language = style.language
    let shape = ground(
      behind: text.backgroundBox, on: plan.cells[0].moved(margin, margin), trim(of: plan.size))
    page.over += [shape].compactMap { $0 }
    page.texts = [text]
    return page
  }

  /// Returns a page with only a text, placed slightly above the centre.
  ///
  /// - Parameters:
  ///   - size: the size of the page.
  ///   - tint: the colour of the page; text that cannot be read on it becomes black or white. Nil for the book's
  ///     colour.
  ///   - notes: receives a note for each text that is not shown in full.
  package func titlePage(
    _ text: String, style: TextStyle, size: PageSize, tint: Colour? = nil, with layouter: TextLayouter,
    notes: inout [TextNote]
  ) throws(PDFError) -> PDFPage {
    let margins = setup.margins
    let style = tint.map(style.readable) ?? style
    let block = try layouter.title(
      text, style: style, width: size.width - margins.left - margins.right, option: "title_page", notes: &notes)
    let available = size.height - margins.top - margins.bottom
    guard block.height <= available else {
      throw .text(.tooHigh("title_page", text: text, height: block.height, room: available))
    }
    var plan = PlannedPage(size: size)
    plan.background = tint
    var page = try self.page(plan) { _ in nil }
    let free = available - block.height
    var top = margins.bottom + free * TextPosition.middle.fractionBelow + block.height
    if let step = options.baseline, let first = block.lines.first {
      top = BaselineGrid(step: step, height: size.height).nearest(top - first.baseline) + first.baseline
    }
    let margin = options.print.margin
    let title = PlacedText(block, left: margin + margins.left, top: margin + top, role: .heading)
    page.texts = try layouter.paragraphs(of: title, style: style)
    for index in page.texts.indices { page.texts[index].language = style.language }
    return page
  }
}

extension TextStyle {
  func inCell(of slot: CaptionSlot) -> TextStyle {
    var style = self
    if slot.isBeside { style.alignment = .start }
    style.maximumLines = slot.lines
    style.overflow = cellOverflow ?? (slot.lines > 1 ? .ellipsis : .middle)
    return style
  }

  /// Returns the style, in black or white if its own colour cannot be read on a background.
  func readable(on ground: Colour) -> TextStyle {
    guard colour.contrast(to: ground) < Colour.readableContrast else { return self }
    var style = self
    style.colour = ground.isLight ? .black : .white
    return style
  }
}

extension CaptionSlot {
  /// Throws if a caption does not fit and the style does not shorten it.
  package func check(_ caption: String, style: TextStyle, with layouter: TextLayouter) throws(PDFError) {
    _ = try layouter.block(caption, style: style.inCell(of: self), width: width)
  }
}
