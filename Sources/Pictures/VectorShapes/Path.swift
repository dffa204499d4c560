/// Contours of lines and Bézier curves.
package struct Path: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case start(Point)
    case line(Point)
    case quadratic(Point, Point)
    case cubic(Point, Point, Point)
    case close
  }

  private(set) var steps: [Step] = []

  package init() {}

  package var isEmpty: Bool { steps.isEmpty }

  package mutating func start(_ point: Point) { steps.append(.start(point)) }
  package mutating func line(to point: Point) { steps.append(.line(point)) }
  package mutating func quadratic(_ control: Point, to end: Point) { steps.append(.quadratic(control, end)) }
  package mutating func cubic(_ first: Point, _ second: Point, to end: Point) {
    steps.append(.cubic(first, second, end))
  }
  package mutating func close() { steps.append(.close) }

  /// The maximum distance in pixels between a curve and the lines that replace it.
  private static let tolerance = 0.004
  /// The maximum number of lines for one curve.
  private static let maximumLines = 500.0

  /// Returns the contours as lines, transformed by a map.
  package func contours(_ map: AffineMap = .identity) -> [Contour] {
    var result: [Contour] = []
    var points: [Point] = []
    func end(isClosed: Bool) {
      if !points.isEmpty { result.append(Contour(points, isClosed: isClosed)) }
      points = []
    }
    var pen = Point(0, 0)
    for step in steps {
      switch step {
      case .start(let point):
        end(isClosed: false)
        pen = map(point)
        points = [pen]
      case .line(let point):
        pen = map(point)
        points.append(pen)
      case .quadratic(let control, let point):
        let (control, point) = (map(control), map(point))
        Self.add(&points, bend: 0.25 * (pen - control * 2 + point).length) { t in
          let u = 1 - t
          return pen * (u * u) + control * (2 * u * t) + point * (t * t)
        }
        pen = point
      case .cubic(let first, let second, let point):
        let (first, second, point) = (map(first), map(second), map(point))
        let bend = max((pen - first * 2 + second).length, (first - second * 2 + point).length)
        Self.add(&points, bend: 0.75 * bend) { t in
          let u = 1 - t
          return pen * (u * u * u) + first * (3 * u * u * t) + second * (3 * u * t * t) + point * (t * t * t)
        }
        pen = point
      case .close: end(isClosed: true)
      }
    }
    end(isClosed: false)
    return result
  }

  /// Adds lines along a curve. Their number follows Wang's formula (Goldman, Pyramid Algorithms, section 5.6.3).
  private static func add(_ points: inout [Point], bend: Double, _ curve: (Double) -> Point) {
    let wanted = (bend / tolerance).squareRoot().rounded(.up)
    let count = Int(wanted.isFinite ? max(1, min(maximumLines, wanted)) : 1)
    for index in 1...count { points.append(curve(Double(index) / Double(count))) }
  }
}

/// A contour made of lines.
package struct Contour: Hashable, Sendable {
  package var points: [Point]
  package let isClosed: Bool

  package init(_ points: [Point], isClosed: Bool) {
    self.points = points
    self.isClosed = isClosed
  }

  /// The area inside, which is positive if the contour runs clockwise with y down.
  var signedArea: Double {
    guard let last = points.last else { return 0 }
    var (sum, previous) = (0.0, last)
    for point in points {
      sum += previous.cross(point)
      previous = point
    }
    return sum / 2
  }

  var reversed: Contour { Contour(points.reversed(), isClosed: isClosed) }
}

extension [Contour] {
  /// The contours of one shape, all reversed if the outer ones run anticlockwise. The polygons of a `Stroke` run
  /// clockwise, too, so a stroke adds to the shape instead of cutting into it.
  package var withPositiveArea: [Contour] {
    reduce(0) { $0 + $1.signedArea } < 0 ? map(\.reversed) : self
  }
}

// MARK: - Shapes

extension Path {
  /// The distance of a Bézier curve's control points from its ends, for an arc of 45 degrees with radius 1: 4/3
  /// tan(π/16). The error is 4 millionths of the radius.
  private static let arm = 0.265216489839544

  /// Adds an eighth of an ellipse from the current point.
  private mutating func eighth(_ centre: Point, _ radius: Point, from: Point, to: Point) {
    func place(_ unit: Point) -> Point { Point(centre.x + unit.x * radius.x, centre.y + unit.y * radius.y) }
    cubic(place(from + from.turned * Self.arm), place(to - to.turned * Self.arm), to: place(to))
  }

  /// Adds a clockwise quarter of an ellipse from the current point, between two axes.
  private mutating func quarter(_ centre: Point, _ radius: Point, from: Point) {
    let middle = (from + from.turned) * 0.5.squareRoot()
    eighth(centre, radius, from: from, to: middle)
    eighth(centre, radius, from: middle, to: from.turned)
  }

  /// Returns an ellipse.
  package static func ellipse(centre: Point, radius: Point) -> Path {
    var path = Path()
    path.start(Point(centre.x + radius.x, centre.y))
    for start in [Point(1, 0), Point(0, 1), Point(-1, 0), Point(0, -1)] {
      path.quarter(centre, radius, from: start)
    }
    path.close()
    return path
  }

  /// Returns a box whose corners are quarter circles.
  ///
  /// - Parameter radius: the radius of the corners, limited to half the shorter side.
  package static func box(left: Double, top: Double, width: Double, height: Double, radius: Double = 0) -> Path {
    let (right, bottom) = (left + width, top + height)
    let r = max(0, min(radius, min(width, height) / 2))
    guard r > 0 else {
      return polygon([Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom)])
    }
    let round = Point(r, r)
    var path = Path()
    path.start(Point(left + r, top))
    path.line(to: Point(right - r, top))
    path.quarter(Point(right - r, top + r), round, from: Point(0, -1))
    path.line(to: Point(right, bottom - r))
    path.quarter(Point(right - r, bottom - r), round, from: Point(1, 0))
    path.line(to: Point(left + r, bottom))
    path.quarter(Point(left + r, bottom - r), round, from: Point(0, 1))
    path.line(to: Point(left, top + r))
    path.quarter(Point(left + r, top + r), round, from: Point(-1, 0))
    path.close()
    return path
  }

  /// Returns lines from point to point.
  package static func lines(_ points: [Point]) -> Path {
    var path = Path()
    for (index, point) in points.enumerated() {
      if index == 0 { path.start(point) } else { path.line(to: point) }
    }
    return path
  }

  package static func polygon(_ points: [Point]) -> Path {
    var path = lines(points)
    path.close()
    return path
  }
}
