import CPNG
import ImageCore
import RowCompression

/// Writes a PNG with a palette, without loss. The palette comes before the pixels, so one byte for each pixel is held
/// until the last row.
final class PNGPaletteEncoder: PictureEncoder {
  private let sink: any ByteSink
  private let layout: PictureLayout
  private let settings: PNGSettings
  private let metadata: PNGMetadata
  private let context: OperationContext
  private var palette = PNGPalette()
  /// The palette index of each pixel.
  private var pixels: [UInt8] = []

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) throws(PictureError) {
    guard layout.format.sample == .u8 else {
      throw .codec(
        .cannotEncode("a palette holds 8-bit colours, but the picture has 16 bits; leave out palette = true"))
    }
    self.sink = sink
    self.layout = layout
    self.settings = settings
    self.context = context
    // A palette is RGB, so a gray picture's profile would not fit it.
    self.metadata = PNGMetadata(
      metadata, layout.with(format: layout.format.with(model: .rgb)))
    pixels.reserveCapacity(layout.width * layout.height)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      try add(
        UnsafeRawBufferPointer(start: rows + index * stride, count: layout.rowByteCount))
    }
  }

  private func add(_ row: UnsafeRawBufferPointer) throws(PictureError) {
    let bands = layout.bands
    var last: (colour: UInt32, index: UInt8)?
    for start in Swift.stride(from: 0, to: row.count, by: bands) {
      let colour = Self.colour(row, start, layout.format)
      if last?.colour != colour {
        guard let index = palette.index(colour) else {
          throw .codec(.cannotEncode("the picture has more than 256 colours; leave out palette = true"))
        }
        last = (colour, index)
      }
      pixels.append(last?.index ?? 0)
    }
  }

  /// Returns a pixel's colour as 0xRRGGBBAA.
  private static func colour(_ row: UnsafeRawBufferPointer, _ start: Int, _ format: PixelFormat) -> UInt32 {
    let red = UInt32(row[start])
    let green = format.model == .gray ? red : UInt32(row[start + 1])
    let blue = format.model == .gray ? red : UInt32(row[start + 2])
    let alpha = format.hasAlpha ? UInt32(row[start + format.bands - 1]) : 255
    return red << 24 | green << 16 | blue << 8 | alpha
  }

  func finish() throws(PictureError) {
    let bits = palette.bitDepth
    var ihdr = layout.ihdr(interlaced: settings.interlaced)
    ihdr.color_type = UInt8(SPNG_COLOR_TYPE_INDEXED.rawValue)
    ihdr.bit_depth = UInt8(bits)
    try PNGWriter(to: sink).writeHeader(ihdr, palette: palette, metadata: metadata)
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
        pack(row, pass.columns, bits: bits, into: &packed)
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
  private func pack(_ row: Int, _ columns: [Int], bits: Int, into packed: inout [UInt8]) {
    packed = [UInt8](repeating: 0, count: (columns.count * bits + 7) / 8)
    for (index, x) in columns.enumerated() {
      let bit = index * bits
      packed[bit / 8] |= pixels[row * layout.width + x] << UInt8(8 - bits - bit % 8)
    }
  }
}
