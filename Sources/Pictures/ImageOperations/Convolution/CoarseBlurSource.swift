import ImageCore
import ImageKernels

/// A Gaussian blur with a large sigma, whose cost does not grow with sigma.
///
/// The result has no fine detail, so it is computed for cells of averaged pixels, and interpolated between them. For
/// any sigma, about 100 rows of cells are kept.
final class CoarseBlurSource: RowSource {
  let layout: PictureLayout
  private let context: OperationContext
  private let grid: CellGrid
  private let cells: CellRows
  private let light: LightMixing
  /// Rows of blurred cells, and the same rows interpolated to the picture's width.
  private let sums: FloatBlock
  private let wide: FloatBlock
  /// The rows of cells that are available in `wide`.
  private var cellRows = -1 ..< -1
  private var next = 0

  /// The least sigma for which blurring cells is faster than direct convolution.
  static let smallestSigma = 16.0
  /// The number of rows of cells that are computed at once.
  private static let cellRowsAtATime = 8
  /// The number of pixels of a row that are computed at once. Their floats stay in the first-level cache.
  private static let pixelsAtATime = 512

  init(_ upstream: any RowSource, sigma: Double, _ light: LightMixing, _ context: OperationContext) {
    layout = upstream.layout
    grid = CellGrid(layout, sigma: sigma)
    self.context = context
    self.light = light
    cells = CellRows(upstream, grid, light, context)
    sums = FloatBlock(grid.count(layout), rows: Self.cellRowsAtATime)
    wide = FloatBlock(layout.width * layout.bands, rows: Self.cellRowsAtATime + 1)
  }

  /// Returns the number of bytes of the rows of blurred and of interpolated cells; the estimate is generous.
  static func workingByteCount(_ layout: PictureLayout) -> Int {
    2 * FloatBlock.byteCount(layout.width * layout.bands, rows: cellRowsAtATime + 1)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    var done = 0
    while done < count {
      try prepare(CellPlace(pixel: next + done, side: grid.side).cell)
      // All pixel rows between available rows of cells are computed together.
      var end = done + 1
      while end < count, isReady(CellPlace(pixel: next + end, side: grid.side).cell) { end += 1 }
      produce(end - done, from: next + done, SharedRows(base: destination + done * stride, stride: stride))
      done = end
    }
    next += count
  }

  /// Returns whether a row of cells and the next one are available.
  private func isReady(_ cell: Int) -> Bool { cellRows.contains(cell) && cellRows.contains(cell + 1) }

  private func prepare(_ cell: Int) throws(PictureError) {
    guard !isReady(cell) else { return }
    let hasFirst = cellRows.contains(cell)
    if hasFirst { wide.row(0).update(from: wide.row(cell - cellRows.lowerBound), count: wide.count) }
    let start = hasFirst ? cell + 1 : cell
    // The last pixel rows are interpolated between the last row of cells and the row below the picture.
    let end = min(start + Self.cellRowsAtATime, grid.rows + 1)
    try cells.sum(around: start..<end, into: sums)
    context.forRows(end - start, rowByteCount: wide.count * MemoryLayout<Float>.size) {
      [layout, grid, sums, wide] place in
      CellKernels.interpolate(
        sums.row(place), side: grid.side, bands: layout.bands, width: layout.width,
        into: wide.row(place + (hasFirst ? 1 : 0)))
    }
    cellRows = cell..<end
  }

  private func produce(_ count: Int, from first: Int, _ target: SharedRows) {
    context.forRows(count, rowByteCount: layout.rowByteCount) { [layout, grid, wide, cellRows, light] y in
      let place = CellPlace(pixel: first + y, side: grid.side)
      let upper = wide.row(place.cell - cellRows.lowerBound)
      let lower = wide.row(place.cell + 1 - cellRows.lowerBound)
      let (bands, format) = (layout.bands, layout.format)
      withFloatRow(Self.pixelsAtATime * bands) { mixed in
        for x in stride(from: 0, to: layout.width, by: Self.pixelsAtATime) {
          let width = min(Self.pixelsAtATime, layout.width - x)
          CellKernels.mix(
            upper + x * bands, lower + x * bands, fraction: place.fraction, count: width * bands,
            into: mixed)
          light.narrow(mixed, width: width, format: format, into: target.row(y) + x * format.bytesPerPixel)
        }
      }
    }
  }
}
