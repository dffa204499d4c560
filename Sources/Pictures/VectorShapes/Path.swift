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

  /// The greatest distance in pixels between a curve and the lines that replace it.
  private static let tolerance = 0.004
  /// The most lines of one curve.
  private static let maximumLines = 500.0

  /// Returns the contours as lines, after a map.
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

  /// The area inside, positive if the contour runs clockwise as seen with y down.
  var signedArea: Double {
    guard let last = points.last else { return 0 }
    var (sum, previous) = (0.0, last)
    for point in points {
      sum += previous.cross(point)
      previous = point
    }
    return sum / 2
  }

  /// The contour run the other way.
  var reversed: Contour { Contour(points.reversed(), isClosed: isClosed) }
}

extension [Contour] {
  /// Returns the contours of one shape with its outer ones clockwise, so that strokes add to it.
  package var withPositiveArea: [Contour] {
    reduce(0) { $0 + $1.signedArea } < 0 ? map(\.reversed) : self
  }
}
