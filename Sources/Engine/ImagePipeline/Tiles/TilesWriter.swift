import ImageCore
import Scheduling
import Synchronization

/// Cuts a picture's rows into tiles, level by level, as they arrive.
///
/// Each level keeps the rows of one row of tiles. When they are complete, all workers encode the tiles, each into
/// memory, and the tiles are written. Every two rows of a level make one row of the next.
final class TilesWriter: DocumentOutput {
  private let file: TilesFile
  private let page: DocumentEntry
  private let run: RunProgress
  private var context = OperationContext.serial
  private var tree: OutputTree?
  private var bands: [PyramidBand] = []
  private var conversion: FormatConversion?
  private var halving: RowHalving?
  private var layout: PictureLayout?

  var job: Job { file.job }
  var traceName: String { "encode tiles" }

  init(_ file: TilesFile, _ page: DocumentEntry, _ run: RunProgress) {
    self.file = file
    self.page = page
    self.run = run
  }

  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError) {
    self.context = context
    let target = file.format.codec.encodedLayout(for: node.layout, file.format.arguments)
    layout = target
    let profile = try page.picture.readMetadata().iccProfile
    conversion = try FormatConversion(
      from: node.layout.format, to: target.format, showing: file.format.background,
      on: profile, context)
    halving = RowHalving(target.format)
    tree = try OutputTree(path: file.paths.folder, place: file.places.folder, scheduler: run.scheduler) {
      [kind = file.pyramid.layout] in TilesFile.isTile($0, kind)
    }
    bands = file.pyramid.levels.map { PyramidBand($0, target.format) }
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    guard let conversion, let halving else { preconditionFailure("rows come after the start") }
    let band = bands[0]
    for index in 0..<count {
      let row = band.next
      conversion.convert(rows + index * stride, to: row, width: band.level.width)
      band.advance()
      if bands.count > 1, let (upper, lower) = band.pair(row, byteCount: band.pixels.layout.rowByteCount) {
        halving.halve(upper, lower, width: band.level.width, to: band.meansOfNext)
        try add(band.meansOfNext, to: 1, halving)
      }
      try encodeIfComplete(0)
    }
  }

  /// Adds a row of means to a level. If the row completes a pair, passes the means of the pair on to the next level.
  private func add(_ means: UnsafeRawPointer, to index: Int, _ halving: RowHalving) throws(PictureError) {
    let band = bands[index]
    halving.round(means, to: band.next, width: band.level.width)
    band.advance()
    if index + 1 < bands.count,
      let (upper, lower) = band.pair(means, byteCount: 2 * band.level.width * halving.format.bands)
    {
      halving.halveMeans(upper, lower, width: band.level.width, to: band.meansOfNext)
      try add(band.meansOfNext, to: index + 1, halving)
    }
    try encodeIfComplete(index)
  }

  private func encodeIfComplete(_ index: Int) throws(PictureError) {
    let band = bands[index]
    while band.isComplete {
      try encode(index, band)
      band.endRow()
    }
  }

  /// Encodes and writes a row of tiles.
  private func encode(_ index: Int, _ band: PyramidBand) throws(PictureError) {
    guard let tree else { preconditionFailure("tiles are written after the start") }
    let failure = Mutex<PictureError?>(nil)
    let (file, context, pixels) = (file, context.onOneWorker, band.pixels)
    let (level, span, row) = (band.level, band.span, band.row)
    self.context.parallelFor(level.columns) { column in
      guard failure.withLock({ $0 == nil }) else { return }
      do throws(PictureError) {
        try context.checkCancellation()
        let columns = level.span(ofColumn: column)
        let tile = pixels.layout.with(width: columns.count, height: span.count)
        let sink = try ImageCore.encode { () throws(PictureError) in
          let sink = PooledSink(reserving: 16 << 10)
          let encoder = try file.format.codec.makeEncoder(
            to: sink, layout: tile, metadata: PictureMetadata(), arguments: file.format.arguments, context: context)
          return (encoder, sink)
        } _: { (encoder) throws(PictureError) in
          try encoder.write(
            span.count, from: pixels.row(span.lowerBound) + columns.lowerBound * tile.format.bytesPerPixel,
            stride: pixels.stride)
          try encoder.finish()
        }
        let bytes = sink.bytes
        for path in file.pyramid.paths(level: index, column: column, row: row) {
          try bytes.withUnsafeBytes { (bytes) throws(PictureError) in try tree.write(bytes, to: path) }
        }
      } catch {
        failure.withLock { if $0 == nil { $0 = error } }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  func finish() throws(PictureError) {
    guard let tree else { preconditionFailure("tiles end after their start") }
    let text = Array(file.pyramid.description.utf8)
    let byteCount = tree.byteCount + text.count
    if let path = file.paths.description, let place = file.places.description {
      let description = try OutputFile(path: path, place: place, scheduler: run.scheduler)
      try description.write(text)
      // The description is written last, so that a viewer that finds it also finds the tiles.
      try tree.commit(run.files)
      try description.commit(run.files)
    } else {
      try text.withUnsafeBytes { bytes in
        Result { () throws(PictureError) in try tree.write(bytes, to: "info.json") }
      }.get()
      try tree.commit(run.files)
    }
    run.outputEnded(job, file.outputIndex, byteCount: byteCount, failure: nil, path: file.path, layout: layout)
  }

  func fail(_ error: PictureError, at node: PlanNode?) {
    tree?.discard()
    run.outputFailed(job, file.outputIndex, error, at: node, of: page.picture, path: file.path)
  }

  func deliverSource(keepsBytes: Bool, _ context: OperationContext?) -> Bool {
    preconditionFailure("tiles are no copy of their file")
  }
}
