import ImageCore
import RowCompression

/// Writes an interlaced PNG. Its passes need rows repeatedly, so the whole picture is kept in memory.
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
