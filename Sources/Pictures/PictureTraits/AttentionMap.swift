import ImageCore
import ImageOperations
import Platform

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
  /// The part that attracts most attention: a tenth of the weight is to the left of it, to its right, above it, and
  /// below it.
  package var focus: UnitRectangle {
    let columns = (0..<Self.side).map { x in (0..<Self.side).reduce(0.0) { $0 + Double(weights[$1 * Self.side + x]) } }
    let rows = (0..<Self.side).map { y in (0..<Self.side).reduce(0.0) { $0 + Double(weights[y * Self.side + $1]) } }
    let (left, right) = (Self.place(0.1, columns), Self.place(0.9, columns))
    let (top, bottom) = (Self.place(0.1, rows), Self.place(0.9, rows))
    return UnitRectangle(left: left, top: top, width: right - left, height: bottom - top)
  }

  /// Returns the position, from 0 to 1, before which a share of the sums lies.
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
  /// Returns the share of the weights inside a part of the picture, from 0 to 1. Cells that are cut count in
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

  /// Finds the largest part with a given aspect ratio that keeps the most attention.
  ///
  /// The part is as large as the picture allows, so it can move in one direction only, and the best position is found
  /// exactly: the kept share is linear between positions where an edge meets the border of a cell. Of several equal
  /// positions, the one nearest to the centre is chosen.
  ///
  /// - Parameters:
  ///   - ratio: the part's width divided by its height, both as shares of the picture: the aspect ratio of the slot
  ///     divided by that of the picture. Below 1 the sides are cropped, above 1 the top and bottom.
  ///   - keep: the area that must stay inside.
  /// - Returns: The part; nil if no part with this aspect ratio contains all of `keep`.
  package func crop(ratio: Double, keeping keep: UnitRectangle? = nil) -> UnitRectangle? {
    AttentionProfile(self).crop(ratio: ratio, keeping: keep)?.part
  }

  /// Returns the cells between two positions, each with the share of it that lies between them.
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

// MARK: - Measuring

extension AttentionMap {
  /// Creates the map from the scores, in 32 x 32 cells, that `position = "attention"` uses to place crops.
  ///
  /// The score of a cell is the sum of edges, skin, and the difference of its colour from the picture's mean colour (R.
  /// Achanta et al., "Frequency-tuned salient region detection", 2009). The median is subtracted, and the rest is
  /// squared, so that clear subjects outweigh textures. The centre counts up to twice as much as a corner (B. Tatler,
  /// "The central fixation bias in scene viewing", 2007). A twentieth of the weight is distributed evenly.
  init(_ cells: [AttentionCell]) {
    let scores = smoothed(scores(of: cells))
    let floor = scores.sorted()[scores.count / 2]
    let highest = scores.max()! - floor
    var weights = [Double](repeating: 0, count: Self.side * Self.side)
    guard highest > 0.02 else {
      self = .even
      return
    }
    let perCell = AttentionCell.side / Self.side
    for (index, score) in scores.enumerated() {
      let (x, y) = (index % AttentionCell.side, index / AttentionCell.side)
      let clear = max(0, score - floor) / highest
      weights[y / perCell * Self.side + x / perCell] += clear * clear * middleWeight(x, y)
    }
    let even = 0.05 * weights.reduce(0, +) / 0.95 / Double(weights.count)
    self.init(weights.map { Float($0 + even) })
  }
}

/// Returns the sum of the properties of each cell that attract attention.
private func scores(of cells: [AttentionCell]) -> [Double] {
  let count = Double(cells.count)
  let mean = cells.reduce(SIMD3<Double>.zero) { $0 + SIMD3($1.colour.lightness, $1.colour.a, $1.colour.b) } / count
  return cells.map { cell in
    let edge = (min(cell.edge, 400) / 400).squareRoot()
    let difference = SIMD3(cell.colour.lightness, cell.colour.a, cell.colour.b) - mean
    let unlike = min(1, (difference * difference).sum().squareRoot() / 80)
    // Neither dark nor white cells have a reliable hue.
    let skin = (5...95).contains(cell.luminance) ? max(0, 1 - cell.skinDistance / 0.2) : 0
    return 0.5 * edge + 0.3 * skin + 0.4 * unlike
  }
}

/// Returns the mean of each cell and its eight neighbours.
private func smoothed(_ scores: [Double]) -> [Double] {
  let side = AttentionCell.side
  return scores.indices.map { index in
    let (x, y) = (index % side, index / side)
    let rows = max(0, y - 1)...min(side - 1, y + 1)
    let columns = max(0, x - 1)...min(side - 1, x + 1)
    let sum = rows.reduce(0.0) { sum, row in columns.reduce(sum) { $0 + scores[row * side + $1] } }
    return sum / Double(rows.count * columns.count)
  }
}

/// Returns 1 slightly above the centre, where heads usually are, and 0.5 far from it.
private func middleWeight(_ x: Int, _ y: Int) -> Double {
  let side = Double(AttentionCell.side)
  let (across, down) = ((Double(x) + 0.5) / side - 0.5, (Double(y) + 0.5) / side - 0.45)
  return 0.5 + 0.5 * exp(-(across * across + down * down) / (2 * 0.3 * 0.3))
}
