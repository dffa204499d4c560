extension AttentionMap {
  /// Returns the share of the weights inside a part of the picture, from 0 to 1. Cells that are cut count in proportion.
  ///
  /// - Complexity: the number of cells that the part touches.
  package func kept(in part: UnitRectangle) -> Double {
    let columns = Self.cells(from: part.left, to: part.right)
    let rows = Self.cells(from: part.top, to: part.bottom)
    var sum = 0.0
    for (row, height) in rows {
      var line = 0.0
      for (column, width) in columns { line += Double(weights[row * Self.side + column]) * width }
      sum += line * height
    }
    return min(1, sum)
  }

  /// Finds the largest part with a given shape that keeps most attention.
  ///
  /// The part is as large as the picture allows, so it slides in one direction only, and the best place is found
  /// exactly: the kept share is linear between places where an edge meets the border of a cell. Among equal places the
  /// one nearest to the middle is taken.
  ///
  /// - Parameters:
  ///   - ratio: the part's width divided by its height, both as shares: the shape of the slot divided by the shape of
  ///     the picture. Below 1 the sides are cut, above 1 the top and bottom.
  ///   - keep: what must stay inside.
  /// - Returns: nil if no part of this shape holds all of `keep`.
  package func crop(ratio: Double, keeping keep: UnitRectangle? = nil) -> UnitRectangle? {
    AttentionProfile(self).crop(ratio: ratio, keeping: keep)?.part
  }

  /// Yields the cells between two places, each with the share of it that lies between them.
  private static func cells(from start: Double, to end: Double) -> [(Int, Double)] {
    let count = Double(side)
    let start = max(0, min(1, start)) * count
    let end = max(0, min(1, end)) * count
    guard end > start else { return [] }
    return (Int(start)..<min(side, Int(end.rounded(.up)))).map { cell in
      (cell, min(end, Double(cell + 1)) - max(start, Double(cell)))
    }
  }
}
