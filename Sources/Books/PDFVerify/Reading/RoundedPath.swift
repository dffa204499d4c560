import BookExpectations

/// Recognizes a path as a rectangle with rounded corners, which imghost uses to clip pictures.
///
/// Its lines lie on the edges of its bounding box, and the four points of each curve lie near one corner. A curve stays
/// within the bounding box of its points (PDF 32000-1:2008, 8.5.2.2), so the rest of the rectangle is inside.
struct RoundedPath {
  private var pieces: [(isCurve: Bool, box: PageBox)] = []
  private var start: (x: Double, y: Double)?
  private var last: (x: Double, y: Double)?
  private var isOther = false
  private var isClosed = false
  private static let mostPieces = 9
  /// The tolerance for coordinates, which are rounded to four decimals.
  private static let tolerance = 0.001

  /// Adds a path construction operator with its operands.
  mutating func add(_ name: String, _ numbers: [Double], _ matrix: AffineMatrix) {
    guard !isOther, !isClosed, pieces.count < Self.mostPieces else { return isOther = true }
    let points = stride(from: 0, to: numbers.count - 1, by: 2).map { matrix.point(numbers[$0], numbers[$0 + 1]) }
    switch (name, points.count) {
    case ("m", 1) where start == nil: (start, last) = (points[0], points[0])
    case ("l", 1): append(points, isCurve: false)
    case ("c", 3): append(points, isCurve: true)
    case ("h", 0):
      if let start { append([start], isCurve: false) }
      isClosed = true
    default: isOther = true
    }
  }

  private mutating func append(_ points: [(x: Double, y: Double)], isCurve: Bool) {
    guard let last, let end = points.last else { return isOther = true }
    let all = [last] + points
    guard all.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return isOther = true }
    let (across, down) = (all.map(\.x), all.map(\.y))
    pieces.append((isCurve, PageBox(left: across.min()!, bottom: down.min()!, right: across.max()!, top: down.max()!)))
    self.last = end
  }

  /// The rectangle, and the boxes of its rounded corners; nil for any other path.
  var shape: (box: PageBox, corners: [PageBox])? {
    guard !isOther, isClosed, let first = pieces.first?.box else { return nil }
    let box = pieces.dropFirst().reduce(first) { $0.union($1.box) }
    let corners = pieces.filter(\.isCurve).map(\.box)
    guard (1...4).contains(corners.count) else { return nil }
    func near(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= Self.tolerance }
    for piece in pieces {
      let (own, sides) = (piece.box, (near(piece.box.left, box.left), near(piece.box.right, box.right)))
      let ends = (near(own.bottom, box.bottom), near(own.top, box.top))
      let isAcross = near(own.bottom, own.top) && (ends.0 || ends.1)
      let isUp = near(own.left, own.right) && (sides.0 || sides.1)
      guard piece.isCurve ? (sides.0 || sides.1) && (ends.0 || ends.1) : isAcross || isUp else { return nil }
    }
    return (box, corners)
  }
}
