import Scheduling

/// One or several quantities over time, drawn as stacked areas.
struct AreaPlot {
  /// The values of the layers in each column of pixels, at the time when their sum is largest; the lowest layer is
  /// first.
  private(set) var columns: [[Double]] = []
  /// The largest sum of all layers.
  private(set) var peak = 0.0
  private let scale: TimeScale
  private let columnWidth: Double

  /// - Parameter layers: returns the values of a level, the lowest layer first.
  init(_ levels: [TraceRecord.Level], _ scale: TimeScale, layerCount: Int, layers: (TraceRecord.Level) -> [Double]) {
    self.scale = scale
    columnWidth = 1
    let count = max(1, Int(scale.width / columnWidth))
    var current = [Double](repeating: 0, count: layerCount)
    var next = 0
    for column in 0..<count {
      let end = Int(scale.time(Double(column + 1) * columnWidth))
      var most = current
      while next < levels.count, levels[next].time < end || column == count - 1 {
        current = layers(levels[next])
        if current.reduce(0, +) >= most.reduce(0, +) { most = current }
        next += 1
      }
      columns.append(most)
      peak = max(peak, most.reduce(0, +))
    }
  }

  /// Returns the area of each layer as the attribute `d` of a path; nil for a layer that is 0 everywhere.
  func paths(y: Double, height: Double) -> [String?] {
    let layerCount = columns.first?.count ?? 0
    let unit = peak > 0 ? height / peak : 0
    return (0..<layerCount).map { layer in
      guard columns.contains(where: { $0[layer] > 0 }) else { return nil }
      let lower = outline { column in y + height - unit * column[..<layer].reduce(0, +) }
      let upper = outline { column in y + height - unit * column[...layer].reduce(0, +) }
      let points = upper + lower.reversed()
      return "M" + points.map { "\(SVGText.number($0.x)) \(SVGText.number($0.y))" }.joined(separator: "L") + "Z"
    }
  }

  /// Returns a step line, without the columns where nothing changes.
  private func outline(_ height: ([Double]) -> Double) -> [(x: Double, y: Double)] {
    var points: [(x: Double, y: Double)] = []
    for (index, column) in columns.enumerated() {
      let x = scale.left + Double(index) * columnWidth
      let y = height(column)
      if let last = points.last {
        if last.y == y { continue }
        points.append((x, last.y))
      }
      points.append((x, y))
    }
    if let last = points.last { points.append((scale.right, last.y)) }
    return points
  }
}
