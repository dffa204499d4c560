import ImageCore

/// A picture that is in the book, for the page that shows it.
public struct LaidPicture: Sendable {
  public let reference: PictureReference
  /// What notes call it; empty for its page's number.
  public let name: String
  /// How the stored picture is turned to stand upright.
  public let orientation: Orientation
  /// Whether only what the cell wants of it is stored.
  public let isCut: Bool
  public let caption: String
  /// An address that it opens; empty for none.
  public let link: String
  /// What a tagged book says instead of the picture; empty for nothing.
  public let alternative: String
  public let sources: PictureSources
  /// What of it is shown in a cell that cuts it; nil for what the layout says.
  public let focus: CropFocus?

  public init(
    _ reference: PictureReference, name: String = "", orientation: Orientation = .upright,
    isCut: Bool = false, caption: String = "", link: String = "", alternative: String = "",
    sources: PictureSources = PictureSources(), focus: CropFocus? = nil
  ) {
    self.reference = reference
    self.name = name
    self.orientation = orientation
    self.isCut = isCut
    self.caption = caption
    self.link = link
    self.alternative = alternative
    self.sources = sources
    self.focus = focus
  }
}

extension BookLayout {
  /// A planned page with its pictures, ready to be written. Cells whose picture is missing stay empty.
  public func page(_ plan: PlannedPage, _ picture: (Int) -> LaidPicture?) throws(PDFError)
    -> PDFPage
  {
    let margin = options.print.margin
    let whole = PageSize(
      width: plan.size.width + 2 * margin, height: plan.size.height + 2 * margin)
    let trim = PageRectangle(
      left: margin, bottom: margin, width: plan.size.width, height: plan.size.height)
    var page = PDFPage(size: whole, background: margin > 0 ? nil : setup.background)
    if margin > 0 {
      let bleed = trim.grown(options.print.bleed)
      page.boxes = PrintBoxes(trim: trim, bleed: bleed)
      if let colour = setup.background { page.under.append(.fill(bleed, colour)) }
    }
    for var cell in plan.cells {
      guard let laid = picture(cell.picture) else { continue }
      cell.move(margin, margin)
      if let colour = options.cellBackground { page.under.append(.fill(cell.frame, colour)) }
      let seen = cell.clip ?? cell.visible
      let rectangle = laid.isCut ? cell.visible : cell.rectangle(laid.focus)
      var placement = Placement(
        laid.reference, in: rectangle, orientation: laid.orientation,
        clip: seen == rectangle ? nil : seen)
      placement.sources = laid.sources
      placement.alternative = laid.alternative
      placement.share = cell.share
      page.placements.append(placement)
      if let border = cell.border, let colour = options.borderColour {
        page.under.append(.frame(border, around: seen, colour))
      }
      if let slot = cell.caption, !laid.caption.isEmpty {
        var caption = try caption(laid.caption, in: slot)
        caption.placement = page.placements.count - 1
        page.captions.append(caption)
      }
      if !laid.link.isEmpty {
        var link = PageLink(laid.link, over: seen)
        link.placement = page.placements.count - 1
        page.links.append(link)
      }
    }
    if options.print.cropMarks {
      page.over += Self.cropMarks(around: trim, bleed: options.print.bleed)
      if options.kind == .cover { page.over += foldMarks(around: trim) }
    }
    return page
  }

  /// One line, in letters as much smaller as it needs; in a cell it is shortened in its middle where that
  /// is not enough, as names of files differ at both ends.
  private func caption(_ text: String, in slot: CaptionSlot) throws(PDFError) -> Caption {
    var text = text
    var size: Double
    if options.kind == .single {
      size = try setup.fittingSize(of: text, in: slot.width)
    } else {
      (text, size) = try Caption.shortened(text, size: setup.captionSize, room: slot.width)
    }
    size = min(size, setup.captionSize)
    return Caption(
      text, centre: slot.centre, baseline: slot.baseline, fontSize: size,
      colour: setup.captionColour)
  }

  /// Two lines at each corner, outside the bleed.
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
  /// Dashed lines above and below the folds of a cover, on both sides of its spine, as far from the page as crop
  /// marks are, which are solid.
  private func foldMarks(around trim: PageRectangle) -> [PageShape] {
    let start = options.print.bleed + PrintOptions.markGap
    let dash = PrintOptions.markLength / Double(2 * PrintOptions.foldDashes - 1)
    let left = trim.left + pageSize.width
    // A cover without a spine has one fold.
    let folds = options.binding.spine > 0 ? [left, left + options.binding.spine] : [left]
    var marks: [PageShape] = []
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

extension PageRectangle {
  /// Moved outward on all sides.
  func grown(_ by: Double) -> PageRectangle {
    PageRectangle(
      left: left - by, bottom: bottom - by, width: width + 2 * by, height: height + 2 * by)
  }
}

extension Caption {
  /// A line that fits: in letters down to three quarters of the size and to `smallestSize`, then without
  /// what is in its middle.
  static func shortened(_ text: String, size: Double, room: Double) throws(PDFError)
    -> (text: String, size: Double)
  {
    let smallest = min(size, max(smallestSize, size * 0.75))
    let width = Helvetica.width(try WinAnsi.bytes(text), size: 1)
    if width * smallest <= room { return (text, min(size, room / max(width, 0.001))) }
    var letters = Array(text)
    // A megabyte of text is not looked at letter by letter.
    if letters.count > 1_000 { letters = letters.prefix(500) + letters.suffix(500) }
    while letters.count > 2 {
      letters.remove(at: letters.count / 2)
      let half = (letters.count + 1) / 2
      let short = String(letters[..<half]) + "…" + String(letters[half...])
      if Helvetica.width(try WinAnsi.bytes(short), size: smallest) <= room {
        return (short, smallest)
      }
    }
    return ("…", smallest)
  }
}
