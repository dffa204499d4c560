import ImageCore

/// A small picture as numbers: sRGB from 0 to 1 with straight alpha, row by row.
package struct SmallPicture {
  package let width: Int
  package let height: Int
  /// Red, green, blue and alpha of each pixel.
  package private(set) var pixels: [SIMD4<Double>] = []

  /// - Parameter pixels: as many as width times height.
  package init(width: Int, height: Int, pixels: [SIMD4<Double>]) {
    precondition(pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Reads a source to its end. Gray becomes RGB.
  init(_ source: any RowSource, _ context: OperationContext) throws(PictureError) {
    let frame = try source.readAll(context)
    let layout = frame.layout
    (width, height) = (layout.width, layout.height)
    pixels.reserveCapacity(width * height)
    let scale = 1 / Double(layout.format.sample.maximum)
    let bands = layout.bands
    let (hasColour, hasAlpha) = (layout.format.model == .rgb, layout.format.hasAlpha)
    for y in 0..<height {
      let row = UnsafeRawPointer(frame.row(y))
      for x in 0..<width {
        func sample(_ band: Int) -> Double {
          let index = x * bands + band
          return scale
            * (layout.format.sample == .u8
              ? Double(row.load(fromByteOffset: index, as: UInt8.self))
              : Double(row.load(fromByteOffset: index * 2, as: UInt16.self)))
        }
        let (red, alpha) = (sample(0), hasAlpha ? sample(bands - 1) : 1)
        pixels.append(hasColour ? SIMD4(red, sample(1), sample(2), alpha) : SIMD4(red, red, red, alpha))
      }
    }
  }
}
