/// The distribution of what draws the eye in an upright picture, over a grid of cells.
package struct AttentionMap: Sendable, Hashable {
  /// The cells in a row, and in a column.
  package static let side = 16

  /// The weight of each cell, row by row from the top left; their sum is 1.
  package let weights: [Float]

  /// - Parameter weights: `side` times `side` numbers of at least 0. If all are 0, every cell counts alike.
  package init(_ weights: [Float]) {
    precondition(weights.count == Self.side * Self.side, "an attention map has \(Self.side) x \(Self.side) cells")
    let sum = weights.reduce(0, +)
    self.weights = sum > 0 ? weights.map { $0 / sum } : weights.map { _ in 1 / Float(weights.count) }
  }

  /// Takes weights that another map had, unchanged to the last bit; nil if they are no distribution.
  package init?(stored weights: [Float]) {
    guard weights.count == Self.side * Self.side, weights.allSatisfy({ $0 >= 0 && $0 <= 1 }),
      abs(weights.reduce(0, +) - 1) < 0.01
    else { return nil }
    self.weights = weights
  }

  /// The same weight everywhere.
  package static let even = AttentionMap([Float](repeating: 1, count: side * side))
}
