import ImageCore
import ImageKernels

/// Paints a colour over the pixels of a row, in proportion to their coverage by a shape.
struct CoverageRow {
  private let pixel: [Int]
  private let format: PixelFormat
  private let opacity: Float
  private var source: [UInt16] = []

  /// - Parameters:
  ///   - format: the format of the row to paint on.
  ///   - opacity: a factor for the colour's alpha.
  init(_ colour: Colour, on format: PixelFormat, opacity: Double) {
    self.format = format
    self.opacity = Float(colour.alpha * opacity)
    pixel = Colour(red: colour.red, green: colour.green, blue: colour.blue)
      .samples(in: format.with(alpha: true))
  }

  /// Paints the pixels of a row, starting at column `left`.
  ///
  /// - Parameter coverage: the coverage of each pixel, 0 to 1.
  mutating func apply(_ coverage: UnsafeBufferPointer<Float>, to row: UnsafeMutableRawPointer, left: Int) {
    guard let first = coverage.firstIndex(where: { $0 > 0 }), let last = coverage.lastIndex(where: { $0 > 0 })
    else { return }
    let count = last - first + 1
    let bands = pixel.count
    if source.count < count * bands { source = [UInt16](repeating: 0, count: count * bands) }
    let top = Float(format.sample.maximum)
    source.withUnsafeMutableBytes { bytes in
      if format.sample == .u8 {
        let samples = bytes.bindMemory(to: UInt8.self)
        for x in 0..<count {
          for band in 0..<bands - 1 { samples[x * bands + band] = UInt8(pixel[band]) }
          samples[x * bands + bands - 1] = UInt8((coverage[first + x] * top).rounded())
        }
      } else {
        let samples = bytes.bindMemory(to: UInt16.self)
        for x in 0..<count {
          for band in 0..<bands - 1 { samples[x * bands + band] = UInt16(pixel[band]) }
          samples[x * bands + bands - 1] = UInt16((coverage[first + x] * top).rounded())
        }
      }
      let run = CompositingRun(
        bytes.baseAddress!, on: row + (left + first) * format.bytesPerPixel, count: count,
        colourBands: format.model.bandCount, hasAlpha: format.hasAlpha, opacity: opacity)
      run.composite(.over, sampleBytes: format.sample.byteCount)
    }
  }
}
