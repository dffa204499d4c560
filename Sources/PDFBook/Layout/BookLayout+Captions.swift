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
  private static let padding = 0.6
  private static let below = 0.5
  private static let above = 1.22

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

  /// Gives the captions of pictures side by side one baseline: the one that keeps off all of them.
  func alignCaptions(_ row: inout ArraySlice<PageCell>) {
    guard setup.captionPosition != .over else { return }
    let baselines = row.compactMap { $0.caption?.baseline }
    let line = setup.captionPosition == .below ? baselines.min() : baselines.max()
    guard let line else { return }
    for index in row.indices { row[index].caption?.baseline = line }
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
      // What the bleed takes is cut off.
      let kept = seen.intersection(
        PageRectangle(left: 0, bottom: 0, width: size.width, height: size.height))
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
      let first = text.block.lines.first, let last = text.block.lines.last
    else { return nil }
    let em = text.block.size
    let ink = text.coverage
    let bottom = text.top - last.baseline - Self.below * em
    return .fill(
      PageRectangle(
        left: ink.left - Self.padding * em, bottom: bottom,
        width: ink.width + 2 * Self.padding * em,
        height: text.top - first.baseline + Self.above * em - bottom), colour)
  }
}
