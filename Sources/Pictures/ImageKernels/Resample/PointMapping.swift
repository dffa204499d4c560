/// A projective mapping from points of a target picture to points of its source, in pixels from the upper left corner;
/// the centre of the first pixel is (0.5, 0.5).
///
/// The mapping uses homogeneous coordinates: each row of the matrix is multiplied by `(x, y, 1)`, and the first two
/// results are divided by the third.
package struct PointMapping: Sendable {
  let across: SIMD3<Double>
  let down: SIMD3<Double>
  let divisor: SIMD3<Double>

  package init(across: SIMD3<Double>, down: SIMD3<Double>, divisor: SIMD3<Double> = [0, 0, 1]) {
    self.across = across
    self.down = down
    self.divisor = divisor
  }

  /// Makes the mapping from a rectangle to a convex quadrilateral.
  ///
  /// P. Heckbert, Fundamentals of Texture Mapping and Image Warping, 1989, section 2.2.3.
  ///
  /// - Parameter corners: top left, top right, bottom right, bottom left.
  package init(width: Double, height: Double, to corners: [SIMD2<Double>]) {
    precondition(corners.count == 4)
    let (first, second, third) = (corners[1] - corners[2], corners[3] - corners[2], corners[0] - corners[1])
    let sum = third + corners[2] - corners[3]
    let determinant = first.x * second.y - first.y * second.x
    let g = (sum.x * second.y - sum.y * second.x) / determinant
    let h = (first.x * sum.y - first.y * sum.x) / determinant
    let unitX = corners[1] - corners[0] + g * corners[1]
    let unitY = corners[3] - corners[0] + h * corners[3]
    across = [unitX.x / width, unitY.x / height, corners[0].x]
    down = [unitX.y / width, unitY.y / height, corners[0].y]
    divisor = [g / width, h / height, 1]
  }
}

extension RotationFrame {
  /// Computes the positions of target pixels in the source. Calls `found` with each pixel's index in `columns`, and its
  /// position in phases, rounded to nearest.
  static func locate(
    _ mapping: PointMapping, row: Int, _ columns: Range<Int>, lastX: Int, lastY: Int,
    _ found: (_ index: Int, _ x: Int, _ y: Int) -> Void
  ) {
    let y = Double(row) + 0.5
    let phases = Double(RotationPlan.phases)
    // Positions are clamped to an area beyond which there is only background. NaN becomes the lower limit.
    @inline(__always) func steps(_ position: Double, _ last: Int) -> Int {
      let upper = Double(last)
      let held = position > -4 ? (position < upper ? position : upper) : -4
      // Adding eight makes the number positive, so truncation after adding a half rounds to nearest.
      return Int((held + 8) * phases + 0.5) - 8 * RotationPlan.phases
    }
    let (startX, startY) = (mapping.across.y * y + mapping.across.z, mapping.down.y * y + mapping.down.z)
    let startDivisor = mapping.divisor.y * y + mapping.divisor.z
    for index in 0..<columns.count {
      let x = Double(columns.lowerBound + index) + 0.5
      let divisor = mapping.divisor.x * x + startDivisor
      // Half a pixel is subtracted to convert points to sample indices.
      let across = (mapping.across.x * x + startX) / divisor - 0.5
      let down = (mapping.down.x * x + startY) / divisor - 0.5
      found(index, steps(across, lastX), steps(down, lastY))
    }
  }
}
