/// The sums of an attention map along columns and rows, for finding crops of many aspect ratios quickly.
package struct AttentionProfile: Sendable, Hashable {
  /// The cumulative weights to the left of each border between columns, and above each border between rows: from 0 to
  /// 1.
  private let columns: [Double]
  private let rows: [Double]

  package init(_ map: AttentionMap) {
    let side = AttentionMap.side
    var columns = [Double](repeating: 0, count: side)
    var rows = columns
    for row in 0..<side {
      for column in 0..<side {
        let weight = Double(map.weights[row * side + column])
        columns[column] += weight
        rows[row] += weight
      }
    }
    self.columns = Self.running(columns)
    self.rows = Self.running(rows)
  }

  /// Finds the part with a given aspect ratio and the largest possible size that keeps the most attention.
  ///
  /// The part is as large as the picture allows, so it can only move in one direction. The kept share is linear between
  /// the positions at which one of its edges meets a border of cells, so the best position is found exactly. The
  /// allowed position nearest to the centre is chosen unless another one keeps more.
  ///
  /// - Parameters:
  ///   - ratio: the part's width divided by its height, both as shares of the picture: the aspect ratio of the part in
  ///     pixels divided by that of the picture. Below 1 the sides are cropped, above 1 the top and bottom.
  ///   - keep: the area that must stay inside.
  /// - Returns: the part, and the share of attention that it keeps; nil if no such part contains all of `keep`, or if
  ///   `ratio` is not positive and finite.
  /// - Complexity: linear in the number of cells along one side of the map.
  package func crop(ratio: Double, keeping keep: UnitRectangle? = nil) -> (part: UnitRectangle, kept: Double)? {
    guard ratio > 0, ratio.isFinite else { return nil }
    if ratio < 1 {
      guard let found = Self.slide(ratio, in: columns, over: keep.map { ($0.left, $0.right) }) else { return nil }
      return (UnitRectangle(left: found.start, top: 0, width: ratio, height: 1), found.kept)
    }
    let length = 1 / ratio
    guard let found = Self.slide(length, in: rows, over: keep.map { ($0.top, $0.bottom) }) else { return nil }
    return (UnitRectangle(left: 0, top: found.start, width: 1, height: length), found.kept)
  }

  /// Returns the attention of a vertical strip relative to that of an average strip with the same width; 1 if the strip
  /// is outside the picture.
  ///
  /// - Parameters:
  ///   - column: the centre of the strip, as a share of the width from the left.
  ///   - width: the width of the strip, as a share above 0.
  package func weight(ofStripAt column: Double, width: Double) -> Double {
    let (start, end) = (max(0, column - width / 2), min(1, column + width / 2))
    return end > start ? Self.sum(in: columns, from: start, to: end) / (end - start) : 1
  }

  /// Finds the position at which a window of `length` has the largest sum; nil if `keep` fits into no window.
  private static func slide(
    _ length: Double, in sums: [Double], over keep: (start: Double, end: Double)?
  ) -> (start: Double, kept: Double)? {
    // A rectangle that a user typed may exceed the picture or the window because of rounding.
    let slack = 1e-6
    guard length < 1 - slack else { return (0, 1) }
    var lower = 0.0
    var upper = 1 - length
    if let keep {
      lower = max(lower, min(1, keep.end) - length)
      upper = min(upper, max(0, keep.start))
      guard lower <= upper + slack else { return nil }
      lower = min(lower, upper)
    }
    let middle = min(max((1 - length) / 2, lower), upper)
    var best = (start: middle, kept: sum(in: sums, from: middle, to: middle + length))
    func consider(_ start: Double) {
      guard start >= lower, start <= upper else { return }
      let kept = sum(in: sums, from: start, to: start + length)
      if kept > best.kept + 1e-9 { best = (start, kept) }
    }
    consider(lower)
    consider(upper)
    let side = Double(sums.count - 1)
    for border in 0..<sums.count {
      let place = Double(border) / side
      consider(place)
      consider(place - length)
    }
    return (best.start, min(1, best.kept))
  }

  private static func sum(in sums: [Double], from start: Double, to end: Double) -> Double {
    value(of: sums, at: end) - value(of: sums, at: start)
  }

  /// Returns the cumulative sum at any position from 0 to 1, interpolated linearly between borders.
  private static func value(of sums: [Double], at place: Double) -> Double {
    let position = max(0, min(1, place)) * Double(sums.count - 1)
    let cell = min(sums.count - 2, Int(position))
    return sums[cell] + (sums[cell + 1] - sums[cell]) * (position - Double(cell))
  }

  private static func running(_ values: [Double]) -> [Double] {
    var sum = 0.0
    return [0]
      + values.map {
        sum += $0; return sum
      }
  }
}
