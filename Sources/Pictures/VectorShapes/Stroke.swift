/// The area that a pen covers along contours.
package struct Stroke: Hashable, Sendable {
  package enum Join: Hashable, Sendable {
    /// Sharp corners as in SVG, which are bevelled if the miter would be longer than four times the width.
    case miter
    case round
  }

  /// The width in pixels.
  package let width: Double
  package let join: Join

  package init(width: Double, join: Join = .miter) {
    self.width = width
    self.join = join
  }

  /// Returns clockwise polygons whose union is the stroke. Open contours have flat ends.
  package func outline(of contours: [Contour]) -> [Contour] {
    guard width > 0 else { return [] }
    return contours.flatMap { outline(of: $0) }
  }

  private func outline(of contour: Contour) -> [Contour] {
    var points: [Point] = []
    for point in contour.points where points.last != point { points.append(point) }
    if contour.isClosed, points.count > 1, points.first == points.last { points.removeLast() }
    guard points.count > 1 else { return [] }
    let isClosed = contour.isClosed && points.count > 2
    let ends = isClosed ? Array(points.dropFirst()) + [points[0]] : Array(points.dropFirst())
    var result: [Contour] = []
    var directions: [Point] = []
    for (start, end) in zip(points, ends) {
      let direction = (end - start) * (1 / (end - start).length)
      let side = direction.turned * (width / 2)
      directions.append(direction)
      add([start + side, start - side, end - side, end + side], to: &result)
    }
    for index in (isClosed ? 0 : 1)..<directions.count {
      let before = directions[index == 0 ? directions.count - 1 : index - 1]
      addJoin(at: points[index], before, directions[index], to: &result)
    }
    return result
  }

  private func addJoin(at point: Point, _ before: Point, _ after: Point, to result: inout [Contour]) {
    let turn = before.cross(after)
    let isStraight = abs(turn) < 1e-9 && before.dot(after) > 0
    guard !isStraight else { return }
    // At a right turn, the outer side is on the left.
    let outside = (turn > 0 ? -1.0 : 1.0) * width / 2
    let (first, last) = (before.turned * outside, after.turned * outside)
    switch join {
    case .round:
      var arc = [first]
      addArc(from: before.turned, to: after.turned, direction: before, outside, &arc)
      arc.append(last)
      add([point] + arc.map { point + $0 }, to: &result)
    case .miter:
      // The miter's length in widths is 1 / cos(half the turn), and cos² of that half is (1 + cos of the turn) / 2.
      let square = (1 + before.dot(after)) / 2
      var corner = [point, point + first, point + last]
      if square > 1.0 / 16 {
        corner.insert(point + (first + last) * (0.5 / square), at: 2)
      }
      add(corner, to: &result)
    }
  }

  /// Adds the points of an arc between two unit normals, by halving the arc until lines are close enough to it.
  private func addArc(from: Point, to: Point, direction: Point, _ radius: Double, _ arc: inout [Point], depth: Int = 0)
  {
    let halfCosine = max(0, (1 + from.dot(to)) / 2).squareRoot()
    guard depth < 10, abs(radius) * (1 - halfCosine) > 0.02 else { return }
    var middle = from + to
    // If a line turns back, the normals are opposite.
    if middle.length < 1e-6 { middle = direction * (radius < 0 ? -1 : 1) }
    middle = middle * (1 / middle.length)
    addArc(from: from, to: middle, direction: direction, radius, &arc, depth: depth + 1)
    arc.append(middle * radius)
    addArc(from: middle, to: to, direction: direction, radius, &arc, depth: depth + 1)
  }

  private func add(_ points: [Point], to result: inout [Contour]) {
    let contour = Contour(points, isClosed: true)
    result.append(contour.signedArea < 0 ? contour.reversed : contour)
  }
}
