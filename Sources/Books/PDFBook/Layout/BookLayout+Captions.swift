import BookExpectations
import ImageCore

/// Places captions and their backgrounds. Constants are multiples of the font size unless stated otherwise.
extension BookLayout {
  /// The height of the strip above or below a picture for a caption of one line.
  private static let strip = 2.0
  /// The distance from a strip's lower edge to the baseline, for captions below and above a picture. The values keep
  /// the text closer to its own picture than to the next one.
  private static let baselineBelow = 0.7
  private static let baselineAbove = 0.7
  /// The minimum distance between the ends of a line and the page's edges.
  private static let edgeDistance = 0.8
  /// The distance of a caption's background from the edges of its picture.
  private static let inset = 0.8
  /// The minimum distance from a picture's lower edge to the last baseline of a caption on a veil.
  private static let veiledInset = 0.8
  /// The padding of a caption's background at the sides of the text, below the last baseline, and above the first.
  /// Capital letters are vertically centred in the background.
  fileprivate static let padding = 0.6
  fileprivate static let paddingBelow = 0.5
  fileprivate static let paddingAbove = 1.22

  /// The height that a caption of one line takes from its picture, in points.
  var captionStrip: Double { setup.captions.position == .over ? 0 : setup.captions.size * Self.strip }

  /// Returns an area without the strip for captions at its lower or upper edge.
  func withoutStrip(_ area: PageRectangle, _ strip: Double) -> PageRectangle {
    PageRectangle(
      left: area.left, bottom: area.bottom + (setup.captions.position == .below ? strip : 0),
      width: area.width, height: area.height - strip)
  }

  /// Returns the place of the caption of a picture that is alone on its page: between the margins, or on the picture.
  ///
  /// - Parameter cell: the picture's cell, still without a caption.
  func slot(of cell: PageCell, on size: PageSize) -> CaptionSlot {
    let margins = setup.margins
    let outer = cell.border ?? cell.visible
    let row = PageRectangle(
      left: margins.left, bottom: outer.bottom, width: size.width - margins.left - margins.right, height: outer.height)
    return slot(beside: row, of: cell.visible, on: size)
  }

  /// Returns the area that a caption adjoins: the picture widened to its cell, or the whole cell if cells have a
  /// background.
  ///
  /// - Parameter frame: the cell without the caption's strip.
  func captionNeighbour(_ cell: PageCell, in frame: PageRectangle) -> PageRectangle {
    guard options.cellBackground == nil else { return frame }
    let seen = (cell.border ?? cell.visible).intersection(frame)
    return PageRectangle(left: frame.left, bottom: seen.bottom, width: frame.width, height: seen.height)
  }

  /// Aligns the captions of a row and, unless cells have a background, its pictures: the tallest picture stays centred
  /// in its cell, and the others are aligned with its edge next to the captions.
  func alignWithCaptions(_ row: inout ArraySlice<PageCell>) {
    guard setup.captions.position != .over, row.contains(where: { $0.caption != nil }) else { return }
    let isBelow = setup.captions.position == .below
    func edge(_ cell: PageCell) -> Double {
      let seen = (cell.border ?? cell.visible).intersection(cell.frame)
      return isBelow ? seen.bottom : seen.top
    }
    let edges = row.map(edge)
    guard let line = isBelow ? edges.min() : edges.max() else { return }
    if options.cellBackground == nil {
      for index in row.indices {
        let distance = line - edge(row[index])
        row[index].movePicture(0, distance)
        row[index].caption?.baseline += distance
      }
    }
    let baselines = row.compactMap { $0.caption?.baseline }
    guard let baseline = isBelow ? baselines.min() : baselines.max() else { return }
    for index in row.indices { row[index].caption?.baseline = baseline }
  }

  /// Returns the place of the caption of a picture in a cell.
  ///
  /// - Parameters:
  ///   - frame: the area above or below which the caption lies.
  ///   - seen: the visible part of the picture.
  func slot(beside frame: PageRectangle, of seen: PageRectangle, on size: PageSize) -> CaptionSlot {
    let em = setup.captions.size
    let width = captionWidth(beside: frame, on: size)
    switch setup.captions.position {
    case .below, .above:
      return CaptionSlot(centre: frame.centre, baseline: captionBaseline(beside: frame), width: width)
    case .over:
      // The caption avoids the bleed, which is trimmed, and the running lines at the lower edge.
      let lowest = options.print.runningLineHeight
      let kept = seen.intersection(
        PageRectangle(left: 0, bottom: lowest, width: size.width, height: size.height - lowest))
      let inset = setup.captions.hasScrim ? Self.veiledInset : Self.inset + Self.paddingBelow
      var baseline = kept.bottom + inset * em
      if let step = options.baseline { baseline = BaselineGrid(step: step, height: size.height).atOrAbove(baseline) }
      return CaptionSlot(
        centre: kept.centre, baseline: baseline,
        width: max(em, kept.width - 2 * (Self.inset + Self.padding) * em))
    }
  }

  /// Returns the place of a caption in an area of its own next to its picture. The caption begins at the top of the
  /// area.
  func slot(in area: PageRectangle, on size: PageSize) -> CaptionSlot {
    let em = setup.captions.size
    var slot = CaptionSlot(centre: area.centre, baseline: area.top - em, width: max(em, area.width))
    if let step = options.baseline {
      slot.baseline = BaselineGrid(step: step, height: size.height).nearest(slot.baseline)
    }
    slot.lines = max(1, Int((slot.baseline - area.bottom) / (em * Self.leading)) + 1)
    slot.isBeside = true
    return slot
  }

  /// The largest line height of common fonts, as a multiple of the font size.
  private static let leading = 1.4

  /// Returns the baseline of a caption's first line if captions are below pictures, or of its last line if they are
  /// above.
  func captionBaseline(beside frame: PageRectangle) -> Double {
    let em = setup.captions.size
    return setup.captions.position == .above
      ? frame.top + Self.baselineAbove * em : frame.bottom - (Self.strip - Self.baselineBelow) * em
  }

  /// Returns the width of the lines of a caption above or below an area, in points.
  func captionWidth(beside frame: PageRectangle, on size: PageSize) -> Double {
    let em = setup.captions.size
    // A line that begins at the trim edge may lose its first letter. Both ends of the line move, so that it stays
    // centred.
    let inset = max(0, Self.edgeDistance * em - min(frame.left, size.width - frame.right))
    return max(em, frame.width - 2 * inset)
  }

  /// The height of the lower part of a picture that a one-line caption covers, in points.
  var coveredHeight: Double { setup.captions.size * (Self.inset + Self.paddingBelow + Self.paddingAbove) }

  /// Returns the background of a caption that lies on its picture, or a veil over the picture's lower part; nil for
  /// none.
  ///
  /// - Parameters:
  ///   - box: the box of the caption's lines with their padding, on the sheet.
  ///   - cell: the picture's cell on the sheet; `trim` is the area of the sheet that remains after trimming.
  func ground(behind box: PageRectangle, on cell: PageCell, _ trim: PageRectangle) -> PageShape? {
    guard setup.captions.position == .over, cell.caption?.isBeside != true else { return nil }
    guard setup.captions.hasScrim else { return setup.captions.background.map { .fill(box, $0) } }
    // The contrast is slightly above the minimum, because viewers round colours.
    var veil = setup.captions.colour.veil(contrast: Self.veiledContrast)
    let seen = cell.clip ?? cell.visible
    let covered = box.top - seen.bottom
    if options.isOpaque { veil.alpha = 1 }
    // A veil would hide too much of a picture that is not tall, and would look different on the two halves of a divided
    // picture.
    guard cell.part == .whole, covered <= seen.height * Self.mostVeiled else { return .fill(box, veil) }
    // Viewers extend pictures to whole pixels, slightly beyond their exact edges.
    let limit = RoundedRectangle(seen, radius: options.corners - options.border, inside: trim).grown(Self.overlap)
    func strip(_ height: Double) -> RoundedRectangle {
      let edge = Self.overlap
      return RoundedRectangle(
        PageRectangle(
          left: seen.left - edge, bottom: seen.bottom - edge, width: seen.width + 2 * edge, height: height + edge))
    }
    // An opaque strip has equal padding above and below the lines.
    if options.isOpaque {
      let more = box.bottom - seen.bottom
      return .layers([strip(min(covered + max(0, more), seen.height / 2))], veil, within: limit)
    }
    let ramp = min(max(covered, Self.veilRamp * setup.captions.size), seen.height * Self.mostRamp)
    let strip = strip(covered + ramp).box
    return .veil(strip, veil, VeilMask(opacity: veil.alpha, below: 0, above: ramp / strip.height), within: limit)
  }

  /// The distance by which a veil extends beyond the edges of its picture, in points.
  private static let overlap = 0.3
  private static let veiledContrast = 4.55
  /// The largest share of a picture's height that lines on a veil may cover, and the largest share over which the veil
  /// fades out.
  private static let mostVeiled = 0.45
  private static let mostRamp = 0.3
  /// The minimum height over which a veil fades out, as a multiple of the font size.
  private static let veilRamp = 3.0
}

extension PlacedText {
  /// The box of the background, from below the last baseline to above the letters of the first line. There must be at
  /// least one line.
  var backgroundBox: PageRectangle {
    let em = block.size
    let ink = coverage
    let bottom = top - block.lines.last!.baseline - BookLayout.paddingBelow * em
    return PageRectangle(
      left: ink.left - BookLayout.padding * em, bottom: bottom,
      width: ink.width + 2 * BookLayout.padding * em,
      height: top - block.lines.first!.baseline + BookLayout.paddingAbove * em - bottom)
  }
}

extension Caption {
  /// The box of the background, with the same padding as the background of a `PlacedText`.
  var backgroundBox: PageRectangle {
    let width = (try? WinAnsi.bytes(text)).map { Helvetica.width($0, size: fontSize) } ?? 0
    return PageRectangle(
      left: centre - width / 2 - BookLayout.padding * fontSize, bottom: baseline - BookLayout.paddingBelow * fontSize,
      width: width + 2 * BookLayout.padding * fontSize,
      height: (BookLayout.paddingBelow + BookLayout.paddingAbove) * fontSize)
  }
}
