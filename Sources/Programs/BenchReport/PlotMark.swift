/// The mark of a peer. Both shapes and colours differ, so that either one is sufficient to distinguish peers.
struct PlotMark {
  private let index: Int

  init(_ index: Int) { self.index = index }

  /// The palette of Okabe and Ito, "Color Universal Design", 2008, without black, and adjusted to be visible on both
  /// white and black.
  private static let colours = ["#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bd1", "#7f8c8d"]

  func svg(x: Double, y: Double) -> String {
    let colour = Self.colours[index % Self.colours.count]
    let style = "fill=\"\(colour)\" stroke=\"#fff\" stroke-width=\"0.8\""
    switch index % 5 {
    case 0: return "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"5\" \(style)/>"
    case 1:
      return
        "<rect x=\"\(number(x - 4.5))\" y=\"\(number(y - 4.5))\" width=\"9\" height=\"9\" \(style)/>"
    case 2: return polygon([(0, -6), (6, 0), (0, 6), (-6, 0)], x, y, style)
    case 3: return polygon([(0, -5.5), (5.5, 5), (-5.5, 5)], x, y, style)
    default: return polygon([(0, 5.5), (5.5, -5), (-5.5, -5)], x, y, style)
    }
  }

  private func polygon(_ points: [(Double, Double)], _ x: Double, _ y: Double, _ style: String) -> String {
    let text = points.map { "\(number(x + $0.0)),\(number(y + $0.1))" }.joined(separator: " ")
    return "<polygon points=\"\(text)\" \(style)/>"
  }
}

/// The positions of the names in the legend, on as many lines as they need.
struct LegendLayout {
  struct Place: Equatable {
    let x: Double
    let line: Int
  }

  let places: [Place]
  let lineCount: Int

  /// The approximate width of a letter at the font size of the legend.
  private static let letter = 6.6

  init(_ names: [String], width: Double) {
    var (x, line) = (110.0, 0)
    places = names.map { name in
      let needed = 34 + Double(name.count) * Self.letter
      if x + needed > width { (x, line) = (110, line + 1) }
      defer { x += needed }
      return Place(x: x, line: line)
    }
    lineCount = line + 1
  }
}
