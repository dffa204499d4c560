import ImageCore
import ImageKernels

/// The square cells into which `CoarseBlurSource` divides a picture, and the Gaussian applied to them.
struct CellGrid: Sendable {
  /// The side of a cell in pixels, at least 2.
  let side: Int
  /// The number of cells across and down; the last ones may extend beyond the picture.
  let columns: Int
  let rows: Int
  let kernel: GaussianKernel

  /// Creates cells with a side of an eighth of sigma.
  ///
  /// With this size, averaging and interpolating differ from a Gaussian by less than a thousandth of the contrast at
  /// edges, two thousandths in noise, and a few hundredths in the worst case, which is stripes about half as wide as a
  /// cell. The variances of averaging and interpolating are subtracted from that of the Gaussian.
  init(_ layout: PictureLayout, sigma: Double) {
    let side = Int(sigma / 8)
    precondition(side >= 2)
    self.side = side
    columns = (layout.width + side - 1) / side
    rows = (layout.height + side - 1) / side
    let area = Double(side * side)
    let averaging = (area - 1) / 12
    // A point at fraction f between two cells has the variance f (1 - f), times the square of a cell's side.
    let interpolating =
      (0..<side).map { x in
        let fraction = Double(CellPlace(pixel: x, side: side).fraction)
        return fraction * (1 - fraction)
      }.reduce(0, +) / Double(side) * area
    kernel = GaussianKernel(sigma: ((sigma * sigma - averaging - interpolating) / area).squareRoot())
  }

  /// The number of cells by which a row is extended at each end: the Gaussian is computed from cell -1 to the cell
  /// after the last, and reads as many cells as its radius beyond these.
  var margin: Int { kernel.radius + 1 }

  /// Returns the number of floats in a row of blurred cells, from cell -1 to the cell after the last.
  func count(_ layout: PictureLayout) -> Int { (columns + 2) * layout.bands }

  /// Returns the number of floats in a row of averaged cells, including its margins.
  func paddedCount(_ layout: PictureLayout) -> Int { (columns + 2 * margin) * layout.bands }
}
