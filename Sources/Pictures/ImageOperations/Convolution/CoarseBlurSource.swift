import ImageCore
import ImageKernels

/// A Gaussian blur with a large sigma, whose cost does not grow with sigma.
///
/// The result has no fine detail, so it is computed for cells of averaged pixels, and interpolated between them. For
/// any sigma, at most about 100 rows of cells are kept.
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

  /// Returns a generous estimate of the bytes that the rows of blurred and interpolated cells take.
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

/// The square cells into which `CoarseBlurSource` divides a picture, and the Gaussian applied to them.
private struct CellGrid: Sendable {
  /// The side of a cell in pixels, at least 2.
  let side: Int
  /// The numbers of cells across and down; the last cells may extend beyond the picture.
  let columns: Int
  let rows: Int
  let kernel: GaussianKernel

  /// Creates a grid of cells whose sides are an eighth of sigma, rounded down.
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

  /// The number of cells that extend a row at each end: one blurred cell beyond the end, and the averaged cells within
  /// the radius of the Gaussian around it.
  var margin: Int { kernel.radius + 1 }

  /// Returns the number of floats in a row of blurred cells, from cell -1 to the cell after the last.
  func count(_ layout: PictureLayout) -> Int { (columns + 2) * layout.bands }

  /// Returns the number of floats in a row of averaged cells, including its margins.
  func paddedCount(_ layout: PictureLayout) -> Int { (columns + 2 * margin) * layout.bands }
}

/// The rows of a picture's cells, averaged and convolved horizontally. They are kept until the vertical pass no longer
/// needs them.
private final class CellRows {
  private let layout: PictureLayout
  private let grid: CellGrid
  private let upstream: any RowSource
  private let light: LightMixing
  private let context: OperationContext
  private let strip: PixelBuffer
  private let averages: FloatBlock
  /// The rows of cells: the first is above the picture, and the last below it. Nil for rows that are not loaded yet or
  /// have been released.
  private var rows: [FloatBlock?]
  private var loaded = 0
  /// The number of rows that have been released, from the top.
  private var passed = 0
  private var pixelRows = 0

  /// The number of cells that a worker averages at once, and the number of floats that it convolves at once. Both fit
  /// into the first-level cache.
  private static let cellsAtATime = 256
  private static let floatsAtATime = 1024
  /// The number of pixel rows that are read at once, unless a row of cells has more.
  private static let rowsAtATime = 32

  init(_ upstream: any RowSource, _ grid: CellGrid, _ light: LightMixing, _ context: OperationContext) {
    layout = upstream.layout
    self.grid = grid
    self.upstream = upstream
    self.light = light
    self.context = context
    // This is the number of rows of cells that are computed at once.
    let batch = max(1, Self.rowsAtATime / grid.side)
    strip = PixelBuffer(layout.with(width: layout.width, height: min(batch * grid.side, layout.height)))
    // The two additional rows are those above and below the picture.
    averages = FloatBlock(grid.paddedCount(layout), rows: batch + 2)
    rows = Array(repeating: nil, count: grid.rows + 2)
  }

  /// Computes the vertical pass for the rows of cells in `range`. Row -1 is above the picture, and the row after the
  /// last is below it. Each range must be below that of the previous call.
  ///
  /// Several rows are computed at once, because most of their neighbours are the same, and stay in the cache.
  func sum(around range: Range<Int>, into destination: FloatBlock) throws(PictureError) {
    let radius = grid.kernel.radius
    func index(_ row: Int) -> Int { max(0, min(grid.rows + 1, row + 1)) }
    while loaded <= min(grid.rows, index(range.upperBound - 1 + radius)) { try loadCells() }
    let first = index(range.lowerBound - radius)
    for index in passed..<max(passed, first) { rows[index] = nil }
    passed = max(passed, first)
    let sources = range.map { row in (row - radius...row + radius).map { rows[index($0)]! } }
    let count = grid.count(layout)
    let parts = (count + Self.floatsAtATime - 1) / Self.floatsAtATime
    let taps = grid.kernel.weights.count
    context.forRows(parts, rowByteCount: Self.floatsAtATime * range.count * taps / 2) {
      [grid] part in
      let start = part * Self.floatsAtATime
      for (place, blocks) in sources.enumerated() {
        ConvolutionKernels.weightedSum(
          of: blocks.map { UnsafePointer($0.row(0)) + start }, weights: grid.kernel.weights,
          count: min(Self.floatsAtATime, count - start), into: destination.row(place) + start)
      }
    }
  }

  /// Reads rows of cells. Adds a row above the picture before the first row, and a row below it after the last row.
  private func loadCells() throws(PictureError) {
    try context.checkCancellation()
    let count = min(strip.layout.height, layout.height - pixelRows)
    try upstream.read(count, into: strip.base, stride: strip.stride)
    pixelRows += count
    var taken: [[Int]] = loaded == 0 ? [[0]] : []
    for start in stride(from: 0, to: count, by: grid.side) {
      // Below the picture, its last row is repeated.
      taken.append((start..<start + grid.side).map { min($0, count - 1) })
    }
    if pixelRows == layout.height { taken.append([count - 1]) }
    average(taken)
    for block in blurred(taken.count) {
      rows[loaded] = block
      loaded += 1
    }
  }

  /// Averages rows of the strip into rows of cells. The first and last pixel of each row are repeated beyond its ends.
  ///
  /// - Parameter rows: for each row of cells, the rows of the strip to average.
  private func average(_ rows: [[Int]]) {
    let parts = (grid.columns + Self.cellsAtATime - 1) / Self.cellsAtATime
    let bytes = Self.cellsAtATime * grid.side * grid.side * layout.format.bytesPerPixel
    context.forRows(parts * rows.count, rowByteCount: bytes) {
      [layout, grid, strip, averages, light] task in
      let first = task % parts * Self.cellsAtATime
      Self.average(
        rows[task / parts].map { UnsafeRawPointer(strip.row($0)) }, layout, grid, light,
        cells: first..<min(first + Self.cellsAtATime, grid.columns),
        into: averages.row(task / parts))
    }
  }

  private static func average(
    _ rows: [UnsafeRawPointer], _ layout: PictureLayout, _ grid: CellGrid, _ light: LightMixing, cells: Range<Int>,
    into averages: UnsafeMutablePointer<Float>
  ) {
    let (bands, format) = (layout.bands, layout.format)
    let pixels = cells.lowerBound * grid.side..<min(cells.upperBound * grid.side, layout.width)
    let count = pixels.count * bands
    withFloatRow(cells.count * grid.side * bands) { sums in
      for row in rows { add(row + pixels.lowerBound * format.bytesPerPixel, pixels.count, format, light, to: sums) }
      for index in count..<cells.count * grid.side * bands { sums[index] = sums[index - bands] }
      let target = averages + (grid.margin + cells.lowerBound) * bands
      let scale = 1 / Float(rows.count)
      CellKernels.sum(
        sums, side: grid.side, bands: bands, cells: cells.count, scale: scale / Float(grid.side), into: target)
      let end = target + cells.count * bands
      for index in 0..<grid.margin * bands {
        if cells.lowerBound == 0 { averages[index] = sums[index % bands] * scale }
        if cells.upperBound == grid.columns { end[index] = sums[count - bands + index % bands] * scale }
      }
    }
  }

  /// Adds pixels to sums, with colours premultiplied by alpha.
  private static func add(
    _ row: UnsafeRawPointer, _ width: Int, _ format: PixelFormat, _ light: LightMixing,
    to sums: UnsafeMutablePointer<Float>
  ) {
    let count = width * format.bands
    guard format.hasAlpha || light == .linear else {
      return CellKernels.add(row, sampleBytes: format.sample.byteCount, count: count, to: sums)
    }
    withFloatRow(count) { weighted in
      light.widen(row, width: width, format: format, margin: 0, into: weighted)
      CellKernels.add(weighted, count: count, to: sums)
    }
  }

  /// Computes the horizontal pass for the first `count` rows of averages.
  private func blurred(_ count: Int) -> [FloatBlock] {
    let results = (0..<count).map { _ in FloatBlock(grid.count(layout)) }
    let taps = grid.kernel.weights.count
    context.forRows(count, rowByteCount: grid.count(layout) * taps / 2) {
      [layout, grid, averages] row in
      ConvolutionKernels.weightedSum(
        of: UnsafePointer(averages.row(row)).neighbours(taps, step: layout.bands), weights: grid.kernel.weights,
        count: results[row].count, into: results[row].row(0))
    }
    return results
  }

}

/// Rows of floats, each followed by space for a block of `ConvolutionKernels`. Their initial contents are undefined.
///
/// `@unchecked Sendable`: concurrent workers write different rows or parts of rows, and read only rows that no worker
/// is writing.
private final class FloatBlock: @unchecked Sendable {
  private let memory: PooledBytes
  /// The number of floats in a row, without padding.
  let count: Int
  private let stride: Int

  init(_ count: Int, rows: Int = 1) {
    self.count = count
    stride = Self.stride(count)
    memory = PooledBytes(capacity: Self.byteCount(count, rows: rows))
  }

  static func byteCount(_ count: Int, rows: Int) -> Int { stride(count) * rows * MemoryLayout<Float>.size }

  private static func stride(_ count: Int) -> Int {
    ConvolutionKernels.paddedCount(count) + ConvolutionKernels.block
  }

  func row(_ y: Int) -> UnsafeMutablePointer<Float> {
    memory.base.assumingMemoryBound(to: Float.self) + y * stride
  }
}
