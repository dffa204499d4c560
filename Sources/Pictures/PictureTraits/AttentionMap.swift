/// The distribution of attention over an upright picture, in a grid of cells.
package struct AttentionMap: Sendable, Hashable {
  /// The number of cells in a row, and in a column.
  package static let side = 16

  /// The weight of each cell, row by row from the top left; the sum is 1.
  package let weights: [Float]

  /// - Parameter weights: `side` times `side` nonnegative numbers. If all are 0, the weights become equal.
  package init(_ weights: [Float]) {
    precondition(weights.count == Self.side * Self.side, "an attention map has \(Self.side) x \(Self.side) cells")
    let sum = weights.reduce(0, +)
    self.weights = sum > 0 ? weights.map { $0 / sum } : weights.map { _ in 1 / Float(weights.count) }
  }

  /// Restores the weights of another map, unchanged to the last bit; nil if they are not a distribution.
  package init?(stored weights: [Float]) {
    guard weights.count == Self.side * Self.side, weights.allSatisfy({ $0 >= 0 && $0 <= 1 }),
      abs(weights.reduce(0, +) - 1) < 0.01
    else { return nil }
    self.weights = weights
  }

  /// A map with equal weights.
  package static let even = AttentionMap([Float](repeating: 1, count: side * side))
}

// MARK: - Focus

extension AttentionMap {
  /// The part that attracts the most attention. A tenth of the weight is to its left, a tenth to its right, a tenth
  /// above it, and a tenth below it.
  package var focus: UnitRectangle {
    let columns = (0..<Self.side).map { x in (0..<Self.side).reduce(0.0) { $0 + Double(weights[$1 * Self.side + x]) } }
    let rows = (0..<Self.side).map { y in (0..<Self.side).reduce(0.0) { $0 + Double(weights[y * Self.side + $1]) } }
    let (left, right) = (Self.place(0.1, columns), Self.place(0.9, columns))
    let (top, bottom) = (Self.place(0.1, rows), Self.place(0.9, rows))
    return UnitRectangle(left: left, top: top, width: right - left, height: bottom - top)
  }

  /// Returns the position, from 0 to 1, that has the given share of the sums before it.
  private static func place(_ share: Double, _ sums: [Double]) -> Double {
    let target = share * sums.reduce(0, +)
    var before = 0.0
    for (index, sum) in sums.enumerated() {
      if before + sum >= target, sum > 0 {
        return (Double(index) + (target - before) / sum) / Double(side)
      }
      before += sum
    }
    return 1
  }
}

// MARK: - Crops

extension AttentionMap {
  /// Returns the share of the weights inside a part of the picture, from 0 to 1. Cells that are partly inside count in
  /// proportion.
  ///
  /// - Complexity: linear in the number of cells that the part touches.
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

  /// Returns the cells between two positions, each with the share of the cell that lies between them.
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
