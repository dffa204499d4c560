/// What each of the lines that share a band at a page's edge may take of its width; points.
///
/// A line that is short enough keeps its width; the others share what is left. So a page number stays whole
/// beside a long footer.
struct BandRooms {
  let width: Double
  /// What is left free between two lines.
  let gap: Double

  /// The rooms of two lines that stand at different places: left, right, or in the middle.
  func rooms(
    _ first: (alignment: TextAlignment, width: Double),
    _ second: (alignment: TextAlignment, width: Double)
  ) -> (Double, Double) {
    if first.alignment == .centre {
      let rooms = rooms(centre: first.width, side: second.width)
      return (rooms.centre, rooms.side)
    }
    if second.alignment == .centre {
      let rooms = rooms(centre: second.width, side: first.width)
      return (rooms.side, rooms.centre)
    }
    let both = max(0, width - gap)
    if first.width + second.width <= both { return (first.width, second.width) }
    if first.width <= both / 2 { return (first.width, both - first.width) }
    if second.width <= both / 2 { return (both - second.width, second.width) }
    return (both / 2, both / 2)
  }

  /// A line in the middle leaves as much free on both sides as the one beside it takes.
  private func rooms(centre: Double, side: Double) -> (centre: Double, side: Double) {
    let all = max(0, width - 2 * gap)
    if centre + 2 * side <= all { return (centre, side) }
    if side <= all / 3 { return (all - 2 * side, side) }
    if centre <= all / 3 { return (centre, (all - centre) / 2) }
    return (all / 3, all / 3)
  }
}
