import ImageCore
import RowCompression

/// Writes an interlaced PNG. The passes need the same rows repeatedly, so the whole picture is kept in memory.
final class PNGInterlacedEncoder: PictureEncoder {
  private let sink: any ByteSink
  private let settings: PNGSettings
  private let metadata: PNGMetadata
  private let context: OperationContext
  private let frame: PixelBuffer
  private var row = 0

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) {
    self.sink = sink
    self.settings = settings
    self.context = context
    self.metadata = PNGMetadata(metadata, layout)
    frame = PixelBuffer(layout)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      frame.row(row + index).copyMemory(from: rows + index * stride, byteCount: frame.layout.rowByteCount)
    }
    row += count
  }

  func finish() throws(PictureError) {
    let layout = frame.layout
    try PNGWriter(to: sink).writeHeader(layout.ihdr(interlaced: true), metadata: metadata)
    let whole = RowFilter(RowFilter.Bands(layout), kind: settings.rowFilter)
    let compressor = RowCompressor(
      whole, height: layout.height, effort: settings.frameEffort, context: context.onOneWorker)
    let chunks = PNGChunkWriter(to: sink)
    let (pixel, line) = (layout.format.bytesPerPixel, PooledBytes(capacity: layout.rowByteCount))
    for pass in Adam7Pass.passes(width: layout.width, height: layout.height) {
      let part = layout.with(width: pass.columns.count, height: pass.rows.count)
      compressor.begin(RowFilter(RowFilter.Bands(part), kind: settings.rowFilter))
      for y in pass.rows {
        try context.checkCancellation()
        let row = UnsafeRawPointer(frame.row(y))
        var target = line.base
        for x in pass.columns {
          target.copyMemory(from: row + x * pixel, byteCount: pixel)
          target += pixel
        }
        try compressor.add(
          1, from: line.base, stride: part.rowByteCount, write: chunks.writeData)
      }
    }
    try compressor.finish(write: chunks.writeData)
    try chunks.writeEnd()
  }
}

/// A pass of an interlaced PNG (PNG, 8.2): columns and rows of the picture at regular intervals.
struct Adam7Pass {
  let columns: [Int]
  let rows: [Int]

  /// Returns the passes that have pixels, in the order of the file.
  static func passes(width: Int, height: Int) -> [Adam7Pass] {
    places.map { place in
      Adam7Pass(
        columns: Array(stride(from: place.left, to: width, by: place.across)),
        rows: Array(stride(from: place.top, to: height, by: place.down)))
    }.filter { !$0.columns.isEmpty && !$0.rows.isEmpty }
  }

  private static let places: [(left: Int, top: Int, across: Int, down: Int)] = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
    (1, 0, 2, 2), (0, 1, 1, 2),
  ]
}
