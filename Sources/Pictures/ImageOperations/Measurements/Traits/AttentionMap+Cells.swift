import ImageCore
import PictureTraits
import Platform

extension AttentionMap {
  /// Creates the map from the 32 x 32 cells that `position = "attention"` also uses.
  ///
  /// The score of a cell is a weighted sum of its edges, its likeness to skin, and the difference of its colour from
  /// the picture's mean colour (R. Achanta et al., "Frequency-tuned salient region detection", 2009). The median score
  /// is subtracted, and the rest is squared, which lets clear subjects outweigh textures. The centre counts up to twice
  /// as much as a corner (B. Tatler, "The central fixation bias in scene viewing", 2007). A twentieth of the total
  /// weight is distributed evenly; all of it if no cell stands out.
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

/// Returns a score for each cell: the weighted sum of its properties that attract attention.
private func scores(of cells: [AttentionCell]) -> [Double] {
  let count = Double(cells.count)
  let mean = cells.reduce(SIMD3<Double>.zero) { $0 + SIMD3($1.colour.lightness, $1.colour.a, $1.colour.b) } / count
  return cells.map { cell in
    let edge = (min(cell.edge, 400) / 400).squareRoot()
    let difference = SIMD3(cell.colour.lightness, cell.colour.a, cell.colour.b) - mean
    let unlike = min(1, (difference * difference).sum().squareRoot() / 80)
    // Cells that are nearly black or nearly white have no reliable hue.
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

/// Returns the weight of a cell's position: 1 slightly above the centre, where heads usually are, and 0.5 far from
/// there.
private func middleWeight(_ x: Int, _ y: Int) -> Double {
  let side = Double(AttentionCell.side)
  let (across, down) = ((Double(x) + 0.5) / side - 0.5, (Double(y) + 0.5) / side - 0.45)
  return 0.5 + 0.5 * exp(-(across * across + down * down) / (2 * 0.3 * 0.3))
}
