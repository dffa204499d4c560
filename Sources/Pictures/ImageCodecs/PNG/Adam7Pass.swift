/// A pass of an interlaced PNG (PNG, 8.2): columns and rows of the picture at regular intervals.
struct Adam7Pass {
  let columns: [Int]
  let rows: [Int]

  /// Returns the passes that have pixels, in the order of the file.
  static func passes(width: Int, height: Int) -> [Adam7Pass] {
    places.map { place in
      Adam7Pass(
        columns: Array(stride(from: place.left, to: width, by: place.across)),
        rows: Array(stride(from: place.top, to: height, by: place.down)))
    }.filter { !$0.columns.isEmpty && !$0.rows.isEmpty }
  }

  private static let places: [(left: Int, top: Int, across: Int, down: Int)] = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
    (1, 0, 2, 2), (0, 1, 1, 2),
  ]
}
