import BookExpectations

/// The approximate area of a path on its page: boxes around its lines and around the control points of its curves.
struct PathOutline {
  private var lines: [PageBox] = []
  private static let maximumLines = 10_000
  private var start: (x: Double, y: Double)?
  private var last: (x: Double, y: Double)?

  /// Adds the operands of `m`, `l`, `c`, `v` or `y` (PDF 32000-1:2008, 8.5.2.1).
  mutating func add(_ operands: [PDFValue], _ matrix: AffineMatrix, isMove: Bool) {
    var (box, x) = (Bounds(), Double?.none)
    var end: (x: Double, y: Double)?
    for operand in operands {
      guard let number = operand.number else { continue }
      guard let first = x else {
        x = number
        continue
      }
      let point = matrix.point(first, number)
      box.add(point)
      (end, x) = (point, nil)
    }
    guard let end else { return }
    if isMove {
      start = end
    } else {
      box.add(last ?? end)
      append(box)
    }
    last = end
  }

  mutating func close() {
    if let start, let last { append(Bounds(last, start)) }
    last = start
  }

  mutating func rectangle(_ r: [Double], _ matrix: AffineMatrix) {
    let corners = [(r[0], r[1]), (r[0] + r[2], r[1]), (r[0] + r[2], r[1] + r[3]), (r[0], r[1] + r[3])]
      .map { matrix.point($0.0, $0.1) }
    for index in 0..<4 { append(Bounds(corners[index], corners[(index + 1) % 4])) }
    start = corners[0]
    last = corners[0]
  }

  /// Returns the area that painting the path covers: for a stroke, boxes around its lines; for a fill, the box of the
  /// whole path.
  ///
  /// - Parameter width: the line width in the page's units.
  func boxes(of painter: String, width: Double) -> [PageBox] {
    guard let first = lines.first else { return [] }
    // Mitred corners extend farther than half the line width.
    let reach = width * 1.5
    if ["S", "s"].contains(painter) { return lines.map { $0.expanded(by: reach) } }
    let all = lines.dropFirst().reduce(first) { $0.union($1) }
    return [all.expanded(by: painter.lowercased().hasPrefix("b") ? reach : 0)]
  }

  /// The bounding box of points.
  private struct Bounds {
    var low = (x: Double.infinity, y: Double.infinity)
    var high = (x: -Double.infinity, y: -Double.infinity)
    var isFinite = true

    init() {}

    init(_ first: (x: Double, y: Double), _ second: (x: Double, y: Double)) {
      add(first)
      add(second)
    }

    mutating func add(_ point: (x: Double, y: Double)) {
      isFinite = isFinite && point.x.isFinite && point.y.isFinite
      low = (min(low.x, point.x), min(low.y, point.y))
      high = (max(high.x, point.x), max(high.y, point.y))
    }
  }

  private mutating func append(_ bounds: Bounds) {
    guard bounds.isFinite else { return }
    let box = PageBox(left: bounds.low.x, bottom: bounds.low.y, right: bounds.high.x, top: bounds.high.y)
    // A hostile path may have millions of lines. Beyond the limit, one bounding box for all further lines is enough.
    if lines.count < Self.maximumLines {
      lines.append(box)
    } else {
      lines[lines.count - 1] = lines[lines.count - 1].union(box)
    }
  }
}

/// Recognises rectangles with rounded corners, which imghost uses to clip pictures.
///
/// The lines of such a path lie on the edges of its bounding box, and the four points of each curve lie near one
/// corner. A curve stays within the bounding box of its points (PDF 32000-1:2008, 8.5.2.2), so everything outside the
/// corner boxes is inside the path.
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
