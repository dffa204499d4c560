import ImageCore
import ImageKernels

/// The square cells into which `CoarseBlurSource` divides a picture, and the Gaussian over them.
struct CellGrid: Sendable {
  /// Pixels along a cell's side, at least 2.
  let side: Int
  /// Cells across and down; the last ones may reach beyond the picture.
  let columns: Int
  let rows: Int
  let kernel: GaussianKernel

  /// Makes cells of an eighth of sigma.
  ///
  /// Averaging and interpolating then differ from a Gaussian by less than a thousandth of the contrast at edges, two
  /// thousandths in noise, and some hundredths at worst, in stripes about as wide as half a cell. Their variances are
  /// subtracted from the Gaussian's.
  init(_ layout: PictureLayout, sigma: Double) {
    let side = Int(sigma / 8)
    precondition(side >= 2)
    self.side = side
    columns = (layout.width + side - 1) / side
    rows = (layout.height + side - 1) / side
    let area = Double(side * side)
    let averaging = (area - 1) / 12
    // A point at fraction f between two cells: variance f (1 - f) of a cell's side squared.
    let interpolating =
      (0..<side).map { x in
        let fraction = Double(CellPlace(pixel: x, side: side).fraction)
        return fraction * (1 - fraction)
      }.reduce(0, +) / Double(side) * area
    kernel = GaussianKernel(sigma: ((sigma * sigma - averaging - interpolating) / area).squareRoot())
  }

  /// The number of cells to repeat at each end of a row: the reach of the Gaussian from cell -1 and from the one after
  /// the last.
  var margin: Int { kernel.radius + 1 }

  /// Returns the number of floats in a row of blurred cells, from cell -1 to the one after the last.
  func count(_ layout: PictureLayout) -> Int { (columns + 2) * layout.bands }

  /// Returns the number of floats in a row of averaged cells with its margins.
  func paddedCount(_ layout: PictureLayout) -> Int { (columns + 2 * margin) * layout.bands }
}
