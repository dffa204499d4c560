import CPNG
import ImageCore
import RowCompression

/// The palette of a PNG. `index` adds colours in the order of their first appearance.
struct PNGPalette {
  /// The colours as 0xRRGGBBAA.
  private(set) var colours: [UInt32] = []
  private var indices: [UInt32: UInt8] = [:]

  /// The maximum number of colours.
  let limit: Int

  init(limit: Int) { self.limit = limit }

  /// - Parameter colours: up to 256 colours as 0xRRGGBBAA.
  init(_ colours: [UInt32]) {
    limit = colours.count
    self.colours = colours
  }

  /// Returns the index of a colour, which is added if it is new; nil if there are too many colours.
  mutating func index(_ colour: UInt32) -> UInt8? {
    if let index = indices[colour] { return index }
    guard colours.count < limit else { return nil }
    let index = UInt8(colours.count)
    colours.append(colour)
    indices[colour] = index
    return index
  }

  /// The smallest bit depth of a PNG that can represent all indices: 1, 2, 4 or 8.
  var bitDepth: Int {
    switch colours.count {
    case ...2: 1
    case ...4: 2
    case ...16: 4
    default: 8
    }
  }

  var plte: spng_plte {
    var chunk = spng_plte()
    chunk.n_entries = UInt32(colours.count)
    withUnsafeMutableBytes(of: &chunk.entries) { bytes in
      let entries = bytes.bindMemory(to: spng_plte_entry.self)
      for (index, colour) in colours.enumerated() {
        entries[index].red = UInt8(colour >> 24)
        entries[index].green = UInt8(colour >> 16 & 0xff)
        entries[index].blue = UInt8(colour >> 8 & 0xff)
      }
    }
    return chunk
  }

  /// The alpha of the colours up to the last one that is not opaque; nil if all are opaque.
  var trns: spng_trns? {
    guard let last = colours.lastIndex(where: { $0 & 0xff != 0xff }) else { return nil }
    var chunk = spng_trns()
    chunk.n_type3_entries = UInt32(last + 1)
    withUnsafeMutableBytes(of: &chunk.type3_alpha) { alpha in
      for index in 0...last { alpha[index] = UInt8(colours[index] & 0xff) }
    }
    return chunk
  }
}

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

/// A picture as a palette and one index per pixel, stored as a byte.
struct PNGIndexedPicture {
  private let format: PixelFormat
  private(set) var palette: PNGPalette
  /// The palette index of each pixel.
  private(set) var pixels: [UInt8] = []

  /// - Parameter limit: the maximum number of colours.
  init(_ layout: PictureLayout, limit: Int) {
    format = layout.format
    palette = PNGPalette(limit: limit)
    pixels.reserveCapacity(layout.width * layout.height)
  }

  init(_ layout: PictureLayout, _ palette: PNGPalette, _ pixels: [UInt8]) {
    format = layout.format
    self.palette = palette
    self.pixels = pixels
  }

  /// Adds a row of 8-bit samples.
  ///
  /// - Returns: whether the palette has space for all colours of the row.
  mutating func add(_ row: UnsafeRawBufferPointer) -> Bool {
    var last: (colour: UInt32, index: UInt8)?
    for start in Swift.stride(from: 0, to: row.count, by: format.bands) {
      let colour = Self.colour(row, start, format)
      if last?.colour != colour {
        guard let index = palette.index(colour) else { return false }
        last = (colour, index)
      }
      pixels.append(last?.index ?? 0)
    }
    return true
  }

  /// Returns a pixel's colour as 0xRRGGBBAA.
  private static func colour(_ row: UnsafeRawBufferPointer, _ start: Int, _ format: PixelFormat) -> UInt32 {
    let red = UInt32(row[start])
    let green = format.model == .gray ? red : UInt32(row[start + 1])
    let blue = format.model == .gray ? red : UInt32(row[start + 2])
    let alpha = format.hasAlpha ? UInt32(row[start + format.bands - 1]) : 255
    return red << 24 | green << 16 | blue << 8 | alpha
  }
}
