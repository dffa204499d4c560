import ImageCore

/// A picture as a palette and one byte per pixel.
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
  /// - Returns: whether the palette has space for all its colours.
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
