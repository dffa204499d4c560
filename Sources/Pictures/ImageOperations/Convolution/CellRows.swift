import ImageCore
import ImageKernels

/// The rows of a picture's cells, averaged and convolved horizontally. They are kept until the vertical pass no longer
/// needs them.
final class CellRows {
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
