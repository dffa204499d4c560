import CPNG
import ImageCore
import RowCompression

/// Writes a PNG of palette indices.
final class PNGIndexWriter {
  private let sink: any ByteSink
  private let layout: PictureLayout
  private let settings: PNGSettings
  private let metadata: PNGMetadata
  private let context: OperationContext

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) {
    self.sink = sink
    self.layout = layout
    self.settings = settings
    self.context = context
    // A palette is RGB, so the profile of a gray picture would not fit.
    self.metadata = PNGMetadata(metadata, layout.with(format: layout.format.with(model: .rgb)))
  }

  func write(_ picture: PNGIndexedPicture) throws(PictureError) {
    let bits = picture.palette.bitDepth
    var ihdr = layout.ihdr(interlaced: settings.interlaced)
    ihdr.color_type = UInt8(SPNG_COLOR_TYPE_INDEXED.rawValue)
    ihdr.bit_depth = UInt8(bits)
    try PNGWriter(to: sink).writeHeader(ihdr, palette: picture.palette, metadata: metadata)
    let compressor = RowCompressor(
      filter(columns: layout.width, bits), height: layout.height, effort: settings.frameEffort,
      context: context.onOneWorker)
    let chunks = PNGChunkWriter(to: sink)
    let passes =
      settings.interlaced
      ? Adam7Pass.passes(width: layout.width, height: layout.height)
      : [Adam7Pass(columns: Array(0..<layout.width), rows: Array(0..<layout.height))]
    var packed: [UInt8] = []
    for pass in passes {
      compressor.begin(filter(columns: pass.columns.count, bits))
      for row in pass.rows {
        try context.checkCancellation()
        pack(picture.pixels, row, pass.columns, bits: bits, into: &packed)
        try compressor.add(1, from: packed, stride: packed.count, write: chunks.writeData)
      }
    }
    try compressor.finish(write: chunks.writeData)
    try chunks.writeEnd()
  }

  /// Returns the filter for rows of `columns` pixels. A byte with several pixels counts as one sample (PNG, 9.2).
  private func filter(columns: Int, _ bits: Int) -> RowFilter {
    RowFilter(
      RowFilter.Bands(width: (columns * bits + 7) / 8, sampleBytes: 1, bands: 0..<1, of: 1),
      kind: settings.paletteFilter)
  }

  /// Packs a row's indices into bytes, the first in the highest bits (PNG, 7.2).
  private func pack(
    _ pixels: [UInt8], _ row: Int, _ columns: [Int], bits: Int, into packed: inout [UInt8]
  ) {
    if bits == 8, columns.count == layout.width {
      packed = Array(pixels[row * layout.width..<(row + 1) * layout.width])
      return
    }
    packed = [UInt8](repeating: 0, count: (columns.count * bits + 7) / 8)
    for (index, x) in columns.enumerated() {
      let bit = index * bits
      packed[bit / 8] |= pixels[row * layout.width + x] << UInt8(8 - bits - bit % 8)
    }
  }
}
