import CPNG
import ImageCore

/// Writes a PNG with a palette, without loss. The palette comes before the pixels, so one byte a pixel is
/// held until the last row.
final class PNGPaletteEncoder: PictureEncoder {
  private let writer: PNGWriter
  private let layout: PictureLayout
  private let settings: PNGSettings
  private let metadata: PNGMetadata
  private let context: OperationContext
  private var palette = PNGPalette()
  /// The number of each pixel's colour.
  private var pixels: [UInt8] = []

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) throws(PictureError) {
    guard layout.format.sample == .u8 else {
      throw .codec(
        .cannotEncode("a palette holds 8-bit colours and the picture has 16; drop palette = true"))
    }
    writer = try PNGWriter(to: sink)
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
          throw .codec(
            .cannotEncode("the picture has more than 256 colours; drop palette = true"))
        }
        last = (colour, index)
      }
      pixels.append(last?.index ?? 0)
    }
  }

  /// 0xRRGGBBAA.
  private static func colour(_ row: UnsafeRawBufferPointer, _ start: Int, _ format: PixelFormat)
    -> UInt32
  {
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
    try writer.start(ihdr, settings: settings, palette: palette, metadata: metadata)
    var packed = [UInt8](repeating: 0, count: (layout.width * bits + 7) / 8)
    while let row = try writer.nextRow() {
      try context.checkCancellation()
      pack(row, bits: bits, into: &packed)
      try packed.withUnsafeBufferPointer { bytes throws(PictureError) in
        guard let base = bytes.baseAddress else { return }
        try writer.writeRow(base, byteCount: bytes.count)
      }
    }
  }

  /// Puts a row's numbers into as few bits as there are, the first in the highest: PNG, 7.2.
  private func pack(_ row: Int, bits: Int, into packed: inout [UInt8]) {
    for index in packed.indices { packed[index] = 0 }
    for x in 0..<layout.width {
      let bit = x * bits
      packed[bit / 8] |= pixels[row * layout.width + x] << UInt8(8 - bits - bit % 8)
    }
  }
}
