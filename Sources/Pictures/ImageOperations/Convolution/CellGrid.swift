import ImageCore
import ImageKernels

/// The square cells into which `CoarseBlurSource` divides a picture, and the Gaussian applied to them.
struct CellGrid: Sendable {
  /// The side of a cell in pixels, at least 2.
  let side: Int
  /// The numbers of cells across and down; the last cells may extend beyond the picture.
  let columns: Int
  let rows: Int
  let kernel: GaussianKernel

  /// Creates a grid of cells whose sides are an eighth of sigma.
  ///
  /// With this size, the result differs from a Gaussian by less than a thousandth of the contrast at edges, two
  /// thousandths in noise, and a few hundredths in the worst case, stripes about half as wide as a cell. Averaging and
  /// interpolating blur, too, so their variances are subtracted from that of the Gaussian.
  init(_ layout: PictureLayout, sigma: Double) {
    let side = Int(sigma / 8)
    precondition(side >= 2)
    self.side = side
    columns = (layout.width + side - 1) / side
    rows = (layout.height + side - 1) / side
    let area = Double(side * side)
    let averaging = (area - 1) / 12
    // Interpolating at fraction f between two cells adds the variance f (1 - f), times the square of a cell's side.
    let interpolating =
      (0..<side).map { x in
        let fraction = Double(CellPlace(pixel: x, side: side).fraction)
        return fraction * (1 - fraction)
      }.reduce(0, +) / Double(side) * area
    kernel = GaussianKernel(sigma: ((sigma * sigma - averaging - interpolating) / area).squareRoot())
  }

  /// The number of cells by which a row is extended at each end: one for the blurred cell beyond the end, and as many
  /// as the Gaussian's radius for the cells from which that one is computed.
  var margin: Int { kernel.radius + 1 }

  /// Returns the number of floats in a row of blurred cells, from cell -1 to the cell after the last.
  func count(_ layout: PictureLayout) -> Int { (columns + 2) * layout.bands }

  /// Returns the number of floats in a row of averaged cells, including its margins.
  func paddedCount(_ layout: PictureLayout) -> Int { (columns + 2 * margin) * layout.bands }
}
