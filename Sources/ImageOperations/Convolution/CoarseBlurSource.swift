import ImageCore
import ImageKernels

/// A wide Gaussian blur at a cost that does not grow with its width.
///
/// What a wide Gaussian leaves has no fine detail, so it is computed for cells of averaged pixels and
/// interpolated in between. The cells a result row needs are few: the ring holds about 70 rows of them,
/// whatever sigma is.
final class CoarseBlurSource: RowSource {
  let layout: PictureLayout
  private let context: OperationContext
  private let grid: CellGrid
  private let cells: CellRows
  private let upper: FloatBlock
  private let lower: FloatBlock
  /// The cell row that `upper` holds; `lower` holds the next.
  private var upperRow = Int.min
  private var next = 0

  /// Below this the direct sums are as fast.
  static let smallestSigma = 16.0

  init(_ upstream: any RowSource, sigma: Double, _ context: OperationContext) {
    layout = upstream.layout
    grid = CellGrid(layout, sigma: sigma)
    self.context = context
    cells = CellRows(upstream, grid, context)
    upper = FloatBlock(grid.count(layout))
    lower = FloatBlock(grid.count(layout))
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    var done = 0
    while done < count {
      let place = CellPlace(pixel: next + done, side: grid.side)
      try prepare(place.cell)
      // All rows between the same two rows of cells.
      var end = done + 1
      while end < count, CellPlace(pixel: next + end, side: grid.side).cell == place.cell {
        end += 1
      }
      produce(
        end - done, from: next + done, SharedRows(base: destination + done * stride, stride: stride)
      )
      done = end
    }
    next += count
  }

  private func prepare(_ row: Int) throws(PictureError) {
    guard row != upperRow else { return }
    if row == upperRow + 1 {
      upper.copy(lower)
    } else {
      try cells.sum(around: row, into: upper)
    }
    try cells.sum(around: row + 1, into: lower)
    upperRow = row
  }

  private func produce(_ count: Int, from first: Int, _ target: SharedRows) {
    context.forRows(count, rowByteCount: layout.rowByteCount) { [layout, grid, upper, lower] y in
      let cellCount = grid.count(layout)
      let fraction = CellPlace(pixel: first + y, side: grid.side).fraction
      withFloatRow(cellCount) { mixed in
        CellKernels.mix(
          upper.base, lower.base, fraction: fraction, count: cellCount, into: mixed)
        withFloatRow(layout.width * layout.bands) { row in
          CellKernels.interpolate(
            mixed, side: grid.side, bands: layout.bands, width: layout.width, into: row)
          ConvolutionKernels.narrow(
            row, width: layout.width, bands: layout.bands,
            sampleBytes: layout.format.sample.byteCount, isPremultiplied: layout.format.hasAlpha,
            into: target.row(y))
        }
      }
    }
  }
}

/// Rows of cells: averaged, blurred across, and kept as long as sums need them.
private final class CellRows {
  private let layout: PictureLayout
  private let grid: CellGrid
  private let upstream: any RowSource
  private let context: OperationContext
  private let strip: PixelBuffer
  private let averages: FloatBlock
  /// Index 0 is what lies above the picture, the picture's cells follow, the last is what lies below.
  private var rows: [FloatBlock?]
  private var loaded = 0
  private var pixelRows = 0

  init(_ upstream: any RowSource, _ grid: CellGrid, _ context: OperationContext) {
    layout = upstream.layout
    self.grid = grid
    self.upstream = upstream
    self.context = context
    strip = PixelBuffer(
      layout.with(width: layout.width, height: min(grid.side, layout.height)))
    averages = FloatBlock(grid.paddedCount(layout), rows: strip.layout.height)
    rows = Array(repeating: nil, count: grid.rows + 2)
  }

  /// The Gaussian's sum down the columns around a row of cells, -1 to one after the last.
  func sum(around row: Int, into destination: FloatBlock) throws(PictureError) {
    let radius = grid.kernel.radius
    let indices = (row - radius...row + radius).map { max(0, min(grid.rows + 1, $0 + 1)) }
    while loaded <= min(grid.rows, indices[indices.count - 1]) { try loadCells() }
    for index in 0..<indices[0] { rows[index] = nil }
    ConvolutionKernels.weightedSum(
      of: indices.map { UnsafePointer(rows[$0]!.base) }, weights: grid.kernel.weights,
      count: grid.count(layout), into: destination.base)
  }

  /// Reads one row of cells, and with the first one and the last what lies beyond.
  private func loadCells() throws(PictureError) {
    try context.checkCancellation()
    let count = min(strip.layout.height, layout.height - pixelRows)
    try upstream.read(count, into: strip.base, stride: strip.stride)
    pixelRows += count
    average(count)
    let isFirst = loaded == 0
    if isFirst {
      rows[0] = blurred(averages.row(0))
      loaded = 1
    }
    let sum = FloatBlock(grid.paddedCount(layout))
    for y in 0..<grid.side {
      CellKernels.add(
        averages.row(min(y, count - 1)), times: 1 / Float(grid.side), count: sum.count,
        to: sum.base)
    }
    rows[loaded] = blurred(sum.base)
    loaded += 1
    if loaded == grid.rows + 1 {
      rows[loaded] = blurred(averages.row(count - 1))
      loaded += 1
    }
  }

  /// Averages the strip's rows across, each with its edge pixels repeated over the margins.
  private func average(_ count: Int) {
    context.forRows(count, rowByteCount: layout.rowByteCount) {
      [layout, grid, strip, averages] y in
      let bands = layout.bands
      let reach = grid.columns * grid.side - layout.width
      withFloatRow((layout.width + 2 * reach) * bands) { pixels in
        ConvolutionKernels.widen(
          strip.row(y), width: layout.width, bands: bands,
          sampleBytes: layout.format.sample.byteCount, premultiplies: layout.format.hasAlpha,
          margin: reach, into: pixels)
        let inner = UnsafePointer(pixels) + reach * bands
        let row = averages.row(y)
        CellKernels.average(
          inner, side: grid.side, bands: bands, cells: grid.columns,
          into: row + grid.margin * bands)
        let last = inner + (layout.width - 1) * bands
        let end = row + (grid.margin + grid.columns) * bands
        for index in 0..<grid.margin * bands {
          row[index] = inner[index % bands]
          end[index] = last[index % bands]
        }
      }
    }
  }

  private func blurred(_ row: UnsafePointer<Float>) -> FloatBlock {
    let result = FloatBlock(grid.count(layout))
    ConvolutionKernels.weightedSum(
      of: row.neighbours(grid.kernel.weights.count, step: layout.bands),
      weights: grid.kernel.weights, count: result.count, into: result.base)
    return result
  }
}

/// Rows of floats, cleared at first.
///
/// `@unchecked Sendable`: workers write different rows, and read only what none of them writes.
private final class FloatBlock: @unchecked Sendable {
  let base: UnsafeMutablePointer<Float>
  /// Floats of a row, without padding.
  let count: Int
  private let stride: Int

  init(_ count: Int, rows: Int = 1) {
    self.count = count
    stride = ConvolutionKernels.paddedCount(count)
    // Sums read up to a block beyond a row.
    let total = stride * rows + ConvolutionKernels.block
    base = .allocate(capacity: total)
    base.initialize(repeating: 0, count: total)
  }

  deinit { base.deallocate() }

  func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y * stride }

  func copy(_ other: FloatBlock) { base.update(from: other.base, count: count) }
}
