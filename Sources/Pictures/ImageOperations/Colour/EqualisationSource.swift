import ImageCore
import ImageKernels

/// Rows whose lightness is mapped by the curves of the surrounding tiles. A row can be returned once all tiles have
/// been read whose centres are directly above or below it.
final class EqualisationSource: RowSource {
  let layout: PictureLayout
  private let upstream: any RowSource
  private let context: OperationContext
  private let grid: EqualisationGrid
  private let clip: Double
  /// The source rows that have been read and not yet returned: row `y` is stored at `y` modulo the window's height.
  private let window: PixelBuffer
  private var readCount = 0
  private var givenCount = 0
  /// The curves of the last two complete rows of tiles; nil before the first row of tiles is complete.
  private var curves: (upper: TileCurves, lower: TileCurves)?
  /// The number of complete rows of tiles.
  private var tileRows = 0
  private var counts: RowCounts

  init(_ upstream: any RowSource, _ grid: EqualisationGrid, clip: Double, _ context: OperationContext) {
    layout = upstream.layout
    self.upstream = upstream
    self.grid = grid
    self.clip = clip
    self.context = context
    window = PixelBuffer(layout.with(width: layout.width, height: grid.windowHeight))
    counts = Self.counts(grid, layout, context)
  }

  private static func counts(_ grid: EqualisationGrid, _ layout: PictureLayout, _ context: OperationContext)
    -> RowCounts
  {
    RowCounts(
      bins: grid.columns * AdaptiveKernels.bins, rows: min(64, (layout.height + grid.rows - 1) / grid.rows),
      rowByteCount: layout.rowByteCount, context)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    var done = 0
    while done < count {
      try context.checkCancellation()
      let first = grid.around(givenCount)
      while tileRows <= first.second { try readTiles() }
      // Rows between the same two rows of tiles are mapped together.
      var rows = 1
      while done + rows < count, grid.around(givenCount + rows).first == first.first { rows += 1 }
      map(rows, into: SharedRows(base: destination + done * stride, stride: stride))
      givenCount += rows
      done += rows
    }
  }

  /// Reads the next row of tiles, counts the pixels of each tile by lightness, and computes the tiles' curves.
  private func readTiles() throws(PictureError) {
    let end = grid.top(tileRows + 1)
    while readCount < end {
      try context.checkCancellation()
      let place = readCount % window.layout.height
      let rows = min(64, end - readCount, window.layout.height - place)
      try upstream.read(rows, into: window.row(place), stride: window.stride)
      counts.count(rows, context) { [window, grid, layout] row, counts in
        for column in 0..<grid.columns {
          let across = grid.across(column)
          AdaptiveKernels.count(
            window.row(place + row) + across.lowerBound * layout.format.bytesPerPixel, width: across.count,
            bands: layout.bands, sampleBytes: layout.format.sample.byteCount,
            into: counts + column * AdaptiveKernels.bins)
        }
      }
      readCount += rows
    }
    let next = TileCurves(counts.total, columns: grid.columns, clip: clip)
    curves = (curves?.lower ?? next, next)
    counts = Self.counts(grid, layout, context)
    tileRows += 1
  }

  private func map(_ rows: Int, into target: SharedRows) {
    guard let curves else { preconditionFailure("tiles are counted before their rows are mapped") }
    let (first, layout, window, grid) = (givenCount, layout, window, grid)
    context.forRows(rows, rowByteCount: 4 * layout.rowByteCount) { index in
      let y = first + index
      let row = target.row(index)
      row.copyMemory(from: window.row(y % window.layout.height), byteCount: layout.rowByteCount)
      let around = grid.around(y)
      // Below the centres of the last row of tiles, only the curves of that row apply.
      let upper = around.first == around.second ? curves.lower : curves.upper
      upper.withMixture(curves.lower, around.share) { mixture in
        AdaptiveKernels.map(
          row, width: layout.width, bands: layout.bands, sampleBytes: layout.format.sample.byteCount,
          by: AdaptiveKernels.Curves(mixture, columns: grid.columns))
      }
    }
  }
}

/// The curves of a row of tiles, from left to right.
private struct TileCurves: Sendable {
  private let values: [Float]

  /// - Parameter counts: the histograms of lightness of the tiles, one after another.
  init(_ counts: [Int], columns: Int, clip: Double) {
    let bins = AdaptiveKernels.bins
    var values: [Float] = []
    values.reserveCapacity(columns * AdaptiveKernels.curveCount)
    for column in 0..<columns {
      let tile = counts[column * bins..<(column + 1) * bins]
      let total = Double(tile.reduce(0, +))
      let limit = clip * total / Double(bins)
      let excess = tile.reduce(0) { $0 + max(0, Double($1) - limit) } / Double(bins)
      var sum = 0.0
      values.append(0)
      for count in tile {
        sum += min(Double(count), limit) + excess
        values.append(Float(sum / total))
      }
      values.append(values[values.count - 1])
    }
    self.values = values
  }

  /// Calls `body` with curves interpolated between this row of tiles and another one, whose weight is `share`.
  func withMixture(_ other: TileCurves, _ share: Float, _ body: (UnsafePointer<Float>) -> Void) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: values.count) { mixture in
      for index in 0..<values.count {
        mixture.initializeElement(at: index, to: values[index] + (other.values[index] - values[index]) * share)
      }
      body(UnsafePointer(mixture.baseAddress!))
    }
  }
}
