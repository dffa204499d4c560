import BookExpectations

/// The approximate place of a path on its page: boxes around its lines and around the control points of its curves.
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

  /// Returns the area that painting the path covers: around its lines for a stroke, the whole path for a fill.
  ///
  /// - Parameter width: the line width in the page's units.
  func boxes(of painter: String, width: Double) -> [PageBox] {
    guard let first = lines.first else { return [] }
    // Mitred corners extend beyond half a line's width.
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
    // A hostile path has millions of lines; their approximate place is enough.
    if lines.count < Self.maximumLines {
      lines.append(box)
    } else {
      lines[lines.count - 1] = lines[lines.count - 1].union(box)
    }
  }
}
