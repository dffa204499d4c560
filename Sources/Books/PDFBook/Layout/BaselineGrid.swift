/// The horizontal lines on which baselines of text lie: one at each multiple of a step below the page's upper edge.
package struct BaselineGrid {
  /// The distance between two lines, in points.
  let step: Double
  /// The height of the trimmed page, in points.
  let height: Double

  /// Returns the line nearest to a height above the page's lower edge.
  func nearest(_ y: Double) -> Double { height - ((height - y) / step).rounded() * step }

  /// Returns the lowest line at or above a height. A tolerance of a hundredth of a point allows for rounding.
  func atOrAbove(_ y: Double) -> Double { height - ((height - y + 0.01) / step).rounded(.down) * step }

  /// Returns the highest line at or below a height.
  func atOrBelow(_ y: Double) -> Double { height - ((height - y - 0.01) / step).rounded(.up) * step }

  /// The minimum distance between lines as a multiple of the font size, so that letters of adjacent lines do not touch.
  private static let leastLeading = 1.15

  /// Returns the distance between lines of text on the grid at a font size: a multiple of the grid's step.
  static func leading(ofSize size: Double, step: Double) -> Double {
    max(1, (size * leastLeading / step - 0.001).rounded(.up)) * step
  }

  /// The name of the book argument for the grid's step. Styles can set it, scripts cannot.
  package static let argument = "baseline"
}

extension BookLayout {
  /// Returns a picture's area, adjusted so that its caption lies on the grid. The lower edge moves, or the upper edge
  /// if captions are above pictures.
  ///
  /// The edge moves by at most one step. If the picture may be cropped and the height changes by at most a twentieth,
  /// the width stays the same. Otherwise, the area keeps its proportions and becomes smaller.
  ///
  /// - Parameter mayCut: whether a few more points of the picture may be cropped.
  package func onGrid(_ area: PageRectangle, mayCut: Bool) -> PageRectangle {
    let size = pageSize
    guard let step = options.baseline, setup.captions.position != .over else { return area }
    let grid = BaselineGrid(step: step, height: size.height)
    let isBelow = setup.captions.position == .below
    let baseline = captionBaseline(beside: area)
    var line = grid.nearest(baseline)
    let lowest = setup.margins.bottom + setup.captions.size * Self.descent
    if isBelow ? line < lowest || options.rowGap < step && line < baseline : line > baseline && options.rowGap < step {
      line += isBelow ? step : -step
    }
    var move = line - baseline
    let grows = isBelow ? move < 0 : move > 0
    let isSmall = abs(move) > area.height * Self.mostCut
    if grows, !mayCut || isSmall { move += isBelow ? step : -step }
    guard abs(move) < area.height / 2 else { return area }
    var moved = area
    moved.height -= isBelow ? move : -move
    if isBelow { moved.bottom += move }
    if !mayCut || isSmall {
      moved.width *= moved.height / area.height
      moved.left += (area.width - moved.width) / 2
    }
    return moved
  }

  /// The largest share of a picture's height that may be cropped to put its caption on the grid.
  private static let mostCut = 0.05
  /// The depth of letters below the baseline, as a multiple of the font size.
  private static let descent = 0.25
}
