/// About where a path lies on its page: boxes of its lines, and of what its curves stay within.
struct PathOutline {
  private var lines: [PageBox] = []
  private static let maximumLines = 10_000
  private var start: (x: Double, y: Double)?
  private var last: (x: Double, y: Double)?

  /// After `m`, `l`, `c`, `v` or `y` (PDF 32000-1:2008, 8.5.2.1), with the operator's numbers.
  mutating func add(_ numbers: [Double], _ matrix: Matrix, isMove: Bool) {
    var points: [(x: Double, y: Double)] = []
    for index in stride(from: 0, to: numbers.count - 1, by: 2) {
      points.append(matrix.point(numbers[index], numbers[index + 1]))
    }
    guard let end = points.last else { return }
    if isMove {
      start = end
    } else {
      append([last ?? end] + points)
    }
    last = end
  }

  mutating func close() {
    if let start, let last { append([last, start]) }
    last = start
  }

  mutating func rectangle(_ r: [Double], _ matrix: Matrix) {
    let corners = [
      (r[0], r[1]), (r[0] + r[2], r[1]), (r[0] + r[2], r[1] + r[3]), (r[0], r[1] + r[3]),
    ]
    .map { matrix.point($0.0, $0.1) }
    for index in 0..<4 { append([corners[index], corners[(index + 1) % 4]]) }
    start = corners[0]
    last = corners[0]
  }

  /// What painting the path covers: around its lines, all of it where it is filled.
  ///
  /// - Parameter width: of lines, in the page's units.
  func boxes(of painter: String, width: Double) -> [PageBox] {
    guard let first = lines.first else { return [] }
    // Mitred corners reach further than half a line's width.
    let reach = width * 1.5
    if ["S", "s"].contains(painter) { return lines.map { $0.expanded(by: reach) } }
    let all = lines.dropFirst().reduce(first) { $0.union($1) }
    return [all.expanded(by: painter.lowercased().hasPrefix("b") ? reach : 0)]
  }

  private mutating func append(_ points: [(x: Double, y: Double)]) {
    let (x, y) = (points.map(\.x), points.map(\.y))
    guard (x + y).allSatisfy(\.isFinite) else { return }
    let box = PageBox(left: x.min()!, bottom: y.min()!, right: x.max()!, top: y.max()!)
    // A hostile path has millions of lines; about where they lie is enough.
    if lines.count < Self.maximumLines {
      lines.append(box)
    } else {
      lines[lines.count - 1] = lines[lines.count - 1].union(box)
    }
  }
}
