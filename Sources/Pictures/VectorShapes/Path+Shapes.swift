extension Path {
  /// The length of a control arm of an arc of 45 degrees, for a radius of 1: 4/3 tan(π/16). The error is 4 millionths of
  /// the radius.
  private static let arm = 0.265216489839544

  /// Adds an eighth of an ellipse after the current point.
  private mutating func eighth(_ centre: Point, _ radius: Point, from: Point, to: Point) {
    func place(_ unit: Point) -> Point { Point(centre.x + unit.x * radius.x, centre.y + unit.y * radius.y) }
    cubic(place(from + from.turned * Self.arm), place(to - to.turned * Self.arm), to: place(to))
  }

  /// Adds a clockwise quarter of an ellipse after the current point, from one axis to the next.
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

  /// Returns a box whose corners are quarters of circles.
  ///
  /// - Parameter radius: is limited to half the shorter side.
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
