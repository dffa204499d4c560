/// A rectangle whose corners may be rounded. Lengths are in points.
package struct RoundedRectangle: Sendable, Hashable {
  package var box: PageRectangle
  /// The radii of the corners: lower left, lower right, upper right, upper left. The sum of the two radii on a side
  /// never exceeds its length.
  var radii: SIMD4<Double>

  /// - Parameter radius: the radius of all corners, limited to half of the shorter side.
  package init(_ box: PageRectangle, radius: Double = 0) {
    self.box = box
    radii = SIMD4(repeating: max(0, min(radius, box.width / 2, box.height / 2)))
  }

  /// Creates a rectangle that is rounded only at the corners inside an area. A picture that extends beyond the edge of
  /// a page has no rounded corners there.
  init(_ box: PageRectangle, radius: Double, inside area: PageRectangle) {
    self.init(box, radius: radius)
    let near = 0.01
    let isInside = (
      left: box.left > area.left + near, right: box.right < area.right - near,
      bottom: box.bottom > area.bottom + near, top: box.top < area.top - near
    )
    if !(isInside.left && isInside.bottom) { radii[0] = 0 }
    if !(isInside.right && isInside.bottom) { radii[1] = 0 }
    if !(isInside.right && isInside.top) { radii[2] = 0 }
    if !(isInside.left && isInside.top) { radii[3] = 0 }
  }

  var isRound: Bool { radii.max() > 0 }

  /// Returns the rectangle extended on all sides by a distance. The centres of its rounded corners stay the same.
  func grown(_ by: Double) -> RoundedRectangle {
    var other = self
    other.box = box.grown(by)
    for index in radii.indices { other.radii[index] = radii[index] > 0 ? max(0, radii[index] + by) : 0 }
    return other
  }

  /// The distance of the control points of a Bézier curve from its ends, for a quarter of a circle with radius 1.
  private static let control = 0.5522847498

  /// Returns the operators that construct the path (PDF 32000-1:2008, 8.5.2): a single `re` if no corner is rounded.
  func path(unit: Double) -> String {
    guard isRound else {
      return PDFNumber.text([box.left, box.bottom, box.width, box.height].map { $0 / unit }) + " re "
    }
    // For each corner, the directions of the path before and after it.
    let corners: [(x: Double, y: Double, arrives: (Double, Double), leaves: (Double, Double))] = [
      (box.right, box.bottom, (1, 0), (0, 1)), (box.right, box.top, (0, 1), (-1, 0)),
      (box.left, box.top, (-1, 0), (0, -1)), (box.left, box.bottom, (0, -1), (1, 0)),
    ]
    func numbers(_ points: [(Double, Double)]) -> String {
      PDFNumber.text(points.flatMap { [$0.0 / unit, $0.1 / unit] })
    }
    var text = "\(numbers([(box.left + radii[0], box.bottom)])) m "
    for (corner, radius) in zip(corners, [radii[1], radii[2], radii[3], radii[0]]) {
      func point(_ direction: (Double, Double), _ distance: Double) -> (Double, Double) {
        (corner.x + direction.0 * distance, corner.y + direction.1 * distance)
      }
      text += "\(numbers([point(corner.arrives, -radius)])) l "
      guard radius > 0 else { continue }
      let near = radius * (1 - Self.control)
      text += numbers([point(corner.arrives, -near), point(corner.leaves, near), point(corner.leaves, radius)]) + " c "
    }
    return text + "h "
  }
}
