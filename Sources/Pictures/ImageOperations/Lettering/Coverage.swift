import ImageCore
import ImageKernels
import VectorShapes

/// The coverage of each pixel of a region by shapes, 0 to 255.
struct CoverageMask {
  let region: Region
  private let buffer: PixelBuffer
  private var scratch = ShapeRaster.Scratch()

  init(_ region: Region) {
    self.region = region
    buffer = PixelBuffer(PictureLayout(width: region.width, height: region.height, format: .gray8))
    for y in 0..<region.height {
      buffer.row(y).initializeMemory(as: UInt8.self, repeating: 0, count: region.width)
    }
  }

  private init(_ region: Region, _ buffer: PixelBuffer) { (self.region, self.buffer) = (region, buffer) }

  /// Adds a shape. Where it overlaps earlier shapes, it covers its share of what they have left uncovered.
  mutating func add(_ contours: [Contour]) {
    let raster = ShapeRaster(contours, rows: region.top..<region.bottom)
    let columns = raster.columns.clamped(to: region.left..<region.right)
    guard !columns.isEmpty, !raster.rows.isEmpty else { return }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: columns.count) { coverage in
      coverage.initialize(repeating: 0)
      for y in raster.rows where raster.read(y, columns: columns, into: coverage.baseAddress!, &scratch) {
        let row = buffer.row(y - region.top).assumingMemoryBound(to: UInt8.self) + (columns.lowerBound - region.left)
        for x in 0..<columns.count where coverage[x] > 0 {
          let before = Float(row[x])
          row[x] = UInt8((before + (255 - before) * coverage[x]).rounded())
        }
      }
    }
  }

  /// Returns the mask after a Gaussian blur; a sigma below 0.3 changes nothing.
  func blurred(sigma: Double, _ context: OperationContext) throws(PictureError) -> CoverageMask {
    guard sigma >= 0.3 else { return self }
    let source = try Blur(sigma: sigma).open([BufferSource(buffer)], nominal: [buffer.layout], context: context)
    return CoverageMask(region, try source.readAll(context))
  }

  /// Calls `body` for each row of `part`, which must be inside the region, with the coverage of its pixels from 0 to 1
  /// and the index of the row in `part`.
  func forRows(of part: Region, _ body: (UnsafeBufferPointer<Float>, Int) -> Void) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: part.width) { coverage in
      coverage.initialize(repeating: 0)
      for y in 0..<part.height {
        let row = buffer.row(part.top + y - region.top).assumingMemoryBound(to: UInt8.self)
        for x in 0..<part.width { coverage[x] = Float(row[part.left + x - region.left]) / 255 }
        body(UnsafeBufferPointer(coverage), y)
      }
    }
  }
}

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
