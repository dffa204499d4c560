import TextShaping

/// The widths of two running lines that share a header or footer, in points.
///
/// A line that is short enough keeps its width, and the other gets the rest. So a page number is never cut by
/// a long footer next to it.
struct SharedBand {
  /// The width of the band.
  let width: Double
  /// The space between two lines.
  let gap: Double

  /// Returns the widths of two lines with different alignments: left, right or centred.
  func widths(_ first: (alignment: TextAlignment, width: Double), _ second: (alignment: TextAlignment, width: Double))
    -> (Double, Double)
  {
    if first.alignment == .centre {
      let widths = widths(centre: first.width, side: second.width)
      return (widths.centre, widths.side)
    }
    if second.alignment == .centre {
      let widths = widths(centre: second.width, side: first.width)
      return (widths.side, widths.centre)
    }
    let both = max(0, width - gap)
    if first.width + second.width <= both { return (first.width, second.width) }
    if first.width <= both / 2 { return (first.width, both - first.width) }
    if second.width <= both / 2 { return (both - second.width, second.width) }
    return (both / 2, both / 2)
  }

  /// Returns the widths of a centred line and the line beside it. The centred line keeps the same space free
  /// on both sides.
  private func widths(centre: Double, side: Double) -> (centre: Double, side: Double) {
    let all = max(0, width - 2 * gap)
    if centre + 2 * side <= all { return (centre, side) }
    if side <= all / 3 { return (all - 2 * side, side) }
    if centre <= all / 3 { return (centre, (all - centre) / 2) }
    return (all / 3, all / 3)
  }
}
