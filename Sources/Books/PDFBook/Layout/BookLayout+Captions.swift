import ImageCore

/// Where a picture's caption stands.
public enum CaptionPosition: String, Sendable, Hashable, CaseIterable {
  /// In a strip of its own.
  case below
  case above
  /// On the picture, at its lower edge.
  case over
}

/// Where captions stand, and what is behind them. Lengths are multiples of the letters' height.
extension BookLayout {
  /// Of a strip beside a picture.
  private static let strip = 2.0
  /// From a strip's lower edge to the baseline, below and above a picture: letters stand nearer to their picture
  /// than to the next.
  private static let baselineBelow = 0.7
  private static let baselineAbove = 0.7
  /// Between a line's ends and the page's edges, at least.
  private static let edge = 0.8
  /// What is left free of a picture around the box behind its caption.
  private static let inset = 0.8
  /// Of that box beside the text, below its baseline, and above: capitals stand in its middle.
  fileprivate static let padding = 0.6
  fileprivate static let below = 0.5
  fileprivate static let above = 1.22

  /// What a caption of one line takes of its picture's room; points.
  var captionStrip: Double {
    setup.captionPosition == .over ? 0 : setup.captionSize * Self.strip
  }

  /// What a strip for a caption leaves of an area.
  func withoutStrip(_ area: PageRectangle, _ strip: Double) -> PageRectangle {
    PageRectangle(
      left: area.left, bottom: area.bottom + (setup.captionPosition == .below ? strip : 0),
      width: area.width, height: area.height - strip)
  }

  /// The place of the caption of a picture that has the page to itself: from margin to margin, or on it.
  ///
  /// - Parameter cell: the picture's, without a caption yet.
  func slot(of cell: PageCell, on size: PageSize) -> CaptionSlot {
    let margins = setup.margins
    let outer = cell.border ?? cell.visible
    let row = PageRectangle(
      left: margins.left, bottom: outer.bottom, width: size.width - margins.left - margins.right,
      height: outer.height)
    return slot(beside: row, of: cell.visible, on: size)
  }

  /// What the caption of a picture in a cell stands beside: the picture, as wide as its cell; or the cell's
  /// background, which is seen as one with it.
  ///
  /// - Parameter frame: the cell without the caption's strip.
  func beside(_ cell: PageCell, in frame: PageRectangle) -> PageRectangle {
    guard options.cellBackground == nil else { return frame }
    let seen = (cell.border ?? cell.visible).intersection(frame)
    return PageRectangle(
      left: frame.left, bottom: seen.bottom, width: frame.width, height: seen.height)
  }

  /// Stands pictures side by side whose captions stand in line on one line themselves, beside the captions: that of the
  /// highest picture, which stays in the middle of its cell.
  func alignWithCaptions(_ row: inout ArraySlice<PageCell>) {
    guard setup.captionPosition != .over, row.contains(where: { $0.caption != nil }) else { return }
    let isBelow = setup.captionPosition == .below
    func edge(_ cell: PageCell) -> Double {
      let seen = (cell.border ?? cell.visible).intersection(cell.frame)
      return isBelow ? seen.bottom : seen.top
    }
    let edges = row.map(edge)
    guard let line = isBelow ? edges.min() : edges.max() else { return }
    if options.cellBackground == nil {
      for index in row.indices { row[index].movePicture(0, line - edge(row[index])) }
    }
    let baselines = row.compactMap { $0.caption?.baseline }
    guard let baseline = isBelow ? baselines.min() : baselines.max() else { return }
    for index in row.indices { row[index].caption?.baseline = baseline }
  }

  /// The place of the caption of a picture in a cell.
  ///
  /// - Parameters:
  ///   - frame: what it stands beside.
  ///   - seen: the picture.
  func slot(beside frame: PageRectangle, of seen: PageRectangle, on size: PageSize) -> CaptionSlot {
    let em = setup.captionSize
    let width = captionWidth(beside: frame, on: size)
    switch setup.captionPosition {
    case .below:
      return CaptionSlot(
        centre: frame.centre, baseline: frame.bottom - (Self.strip - Self.baselineBelow) * em,
        width: width)
    case .above:
      return CaptionSlot(
        centre: frame.centre, baseline: frame.top + Self.baselineAbove * em, width: width)
    case .over:
      // What the bleed takes is cut off, and running lines stand below.
      let lowest = options.print.linesBelow
      let kept = seen.intersection(
        PageRectangle(left: 0, bottom: lowest, width: size.width, height: size.height - lowest))
      return CaptionSlot(
        centre: kept.centre, baseline: kept.bottom + (Self.inset + Self.below) * em,
        width: max(em, kept.width - 2 * (Self.inset + Self.padding) * em))
    }
  }

  /// Of the lines of a caption below or above what is as wide as a frame; points.
  func captionWidth(beside frame: PageRectangle, on size: PageSize) -> Double {
    let em = setup.captionSize
    // A line that begins where the page is cut may lose its first letter; both ends move, so that its middle stays.
    let inset = max(0, Self.edge * em - min(frame.left, size.width - frame.right))
    return max(em, frame.width - 2 * inset)
  }

  /// What one line on a picture hides of it, from the picture's lower edge on; points.
  var captionSlotHeight: Double { setup.captionSize * (Self.inset + Self.below + Self.above) }

  /// What is painted behind a caption that stands on its picture; nil for nothing.
  func label(behind text: PlacedText) -> PageShape? {
    guard setup.captionPosition == .over, let colour = setup.captionBackground,
      !text.block.lines.isEmpty
    else { return nil }
    return .fill(text.labelBox, colour)
  }
}

extension PlacedText {
  /// What is painted behind its lines, from a little below the last baseline to a little above the first. There is a
  /// line.
  var labelBox: PageRectangle {
    let em = block.size
    let ink = coverage
    let bottom = top - block.lines.last!.baseline - BookLayout.below * em
    return PageRectangle(
      left: ink.left - BookLayout.padding * em, bottom: bottom,
      width: ink.width + 2 * BookLayout.padding * em,
      height: top - block.lines.first!.baseline + BookLayout.above * em - bottom)
  }
}
