import ImageCore

/// The table as a drawing. Each kind of work has a bar for imghost's time, and a mark for the time of each peer.
///
/// Lengths are multiples of imghost's time and begin at 0, so a mark to the right of the bar's end is a slower peer.
/// The SVG file needs no fonts of its own, and adapts to the reader's light or dark background.
package struct Plot: Sendable {
  let rows: [Row]
  let peers: [String]

  struct Row: Equatable {
    let title: String
    let marks: [Mark]
  }

  struct Mark: Equatable {
    let peer: String
    /// The ratio of the peer's time to imghost's.
    let factor: Double
  }

  /// - Parameter lines: the lines of the table. Lines without a ratio to a peer, and comparisons of imghost with
  ///   itself, are left out.
  package init(_ lines: [ReportLine]) {
    var titles: [String] = []
    var marks: [String: [Mark]] = [:]
    var peers: [String] = []
    for line in lines {
      let peer = Self.family(line.peer)
      guard let ratio = line.ratio, ratio > 0, !peer.hasPrefix("imghost") else { continue }
      if marks[line.work] == nil { titles.append(line.work) }
      marks[line.work, default: []].append(Mark(peer: peer, factor: 1 / ratio))
      if !peers.contains(peer) { peers.append(peer) }
    }
    rows = titles.map { Row(title: $0, marks: marks[$0] ?? []) }
    self.peers = peers
  }

  /// Returns a peer's name without its version and further details.
  static func family(_ peer: String) -> String {
    let words = peer.split(separator: " ").prefix { word in
      word.first != "(" && !(word.first?.isNumber ?? false)
    }
    let name = words.joined(separator: " ")
    return String(name.prefix { $0 != "," })
  }
}

/// The dimensions of the drawing, in pixels.
private enum Measure {
  static let width = 1000.0
  static let left = 440.0
  static let right = 820.0
  static let rowHeight = 26.0
  static let legendHeight = 22.0
  /// The largest ratio on the scale.
  static let scale = 4.0

  static func x(_ factor: Double) -> Double { left + (right - left) * min(factor, scale) / scale }
}

extension Plot {
  /// The drawing as SVG.
  package var svg: String {
    let legend = LegendLayout(peers, width: Measure.width)
    let top = 16 + Double(legend.lineCount) * Measure.legendHeight + 24
    let height = top + Double(rows.count) * Measure.rowHeight + 12
    var parts = [header(height), legendText(legend), axis(top, height - 12)]
    for (index, row) in rows.enumerated() {
      parts.append(text(of: row, y: top + (Double(index) + 0.5) * Measure.rowHeight))
    }
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private func header(_ height: Double) -> String {
    let size = "\(number(Measure.width)) \(number(height))"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" font-family="sans-serif" \
      font-size="12" role="img">
      <title>Time of imghost and of its peers, in units of imghost's</title>
      <style>
        text { fill: #1f2328 }
        .faint { fill: #656d76 }
        .grid { stroke: #d0d7de }
        .bar { fill: #0969da }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 }
          .faint { fill: #8d96a0 }
          .grid { stroke: #30363d }
          .bar { fill: #4493f8 }
        }
      </style>
      """
  }

  private func legendText(_ legend: LegendLayout) -> String {
    var parts = [
      "<rect class=\"bar\" x=\"8\" y=\"11\" width=\"22\" height=\"10\" rx=\"2\"/>",
      "<text x=\"36\" y=\"20\">imghost</text>",
    ]
    for (index, place) in legend.places.enumerated() {
      let y = 16 + Double(place.line) * Measure.legendHeight
      parts.append(PlotMark(index).svg(x: place.x, y: y))
      parts.append("<text x=\"\(number(place.x + 10))\" y=\"\(number(y + 4))\">\(XMLText.content(peers[index]))</text>")
    }
    return parts.joined(separator: "\n")
  }

  private func axis(_ top: Double, _ bottom: Double) -> String {
    (0...Int(Measure.scale)).map { factor in
      let x = number(Measure.x(Double(factor)))
      let label = factor == 0 ? "0" : factor == 1 ? "imghost's time" : "\(factor) times"
      return """
        <line class="grid" x1="\(x)" y1="\(number(top))" x2="\(x)" y2="\(number(bottom))"/>
        <text class="faint" x="\(x)" y="\(number(top - 6))" text-anchor="middle" font-size="11">\
        \(label)</text>
        """
    }.joined(separator: "\n")
  }

  private func text(of row: Row, y: Double) -> String {
    var parts = [
      """
      <text x="\(number(Measure.left - 10))" y="\(number(y + 4))" text-anchor="end">\
      \(XMLText.content(row.title))</text>
      """,
      """
      <rect class="bar" x="\(number(Measure.left))" y="\(number(y - 5))" \
      width="\(number(Measure.x(1) - Measure.left))" height="10" rx="2"/>
      """,
    ]
    var end = Measure.right + 12
    for mark in row.marks {
      let index = peers.firstIndex(of: mark.peer) ?? 0
      guard mark.factor > Measure.scale else {
        parts.append(PlotMark(index).svg(x: Measure.x(mark.factor), y: y))
        continue
      }
      // Peers beyond the end of the scale are drawn side by side after it, each with its ratio as a number.
      let label = NumberText.decimal(mark.factor, 1)
      parts.append(PlotMark(index).svg(x: end, y: y))
      parts.append(
        """
        <text class="faint" x="\(number(end + 7))" y="\(number(y + 3.5))" font-size="10">\(label)</text>
        """)
      end += 18 + Double(label.count) * 5.5
    }
    return parts.joined(separator: "\n")
  }
}

/// Returns a coordinate with one decimal.
func number(_ value: Double) -> String { NumberText.decimal(value, 1) }

/// The mark of a peer. Both shapes and colours differ, so that either suffices to distinguish up to five peers.
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
