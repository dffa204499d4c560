extension AttentionMap {
  /// The part that draws the eye most: a tenth of the weight lies on the left of it, on its right, above it and below it.
  package var focus: UnitRectangle {
    let columns = (0..<Self.side).map { x in (0..<Self.side).reduce(0.0) { $0 + Double(weights[$1 * Self.side + x]) } }
    let rows = (0..<Self.side).map { y in (0..<Self.side).reduce(0.0) { $0 + Double(weights[y * Self.side + $1]) } }
    let (left, right) = (Self.place(0.1, columns), Self.place(0.9, columns))
    let (top, bottom) = (Self.place(0.1, rows), Self.place(0.9, rows))
    return UnitRectangle(left: left, top: top, width: right - left, height: bottom - top)
  }

  /// Returns the place, from 0 to 1, before which a share of the sums lies.
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
