import ImageCore
import PictureTraits

extension PictureTraits {
  /// Measures a small version of a picture. The version must be upright and in sRGB, with gray or RGB samples of any
  /// depth, and its longest side must have at most `side` pixels. Transparent parts are measured over white, the colour
  /// of paper.
  ///
  /// - Throws: errors of the source, and `PictureError.cancelled`.
  package static func measure(_ source: any RowSource, _ context: OperationContext) throws(PictureError)
    -> PictureTraits
  {
    let frame = try opaque(try source.readAll(context))
    let small = ReducedPicture(frame, longestSide: 96)
    let levels = LumaLevels(small.luma)
    return PictureTraits(
      sharpness: Sharpness.measure(LumaPlane(frame)), exposure: levels.exposure, contrast: levels.contrast,
      attention: AttentionMap(try AttentionCell.cells(of: frame, context)),
      colours: DominantColours.colours(in: small.picture, count: 5).map(\.colour),
      horizon: Horizon(small.luma, width: small.picture.width)?.height,
      fingerprint: PerceptualHash.hash(small.picture))
  }

  /// Converts a picture to 8-bit RGB over white.
  private static func opaque(_ frame: PixelBuffer) throws(PictureError) -> PixelBuffer {
    let layout = frame.layout
    let conversion = FormatConversion(from: layout.format, to: .rgb8, background: .white)
    guard !conversion.isIdentity else { return frame }
    let result = PixelBuffer(layout.with(format: .rgb8))
    for y in 0..<layout.height { conversion.convert(frame.row(y), to: result.row(y), width: layout.width) }
    return result
  }
}

/// A picture reduced by averaging whole blocks of pixels, which removes noise and fine detail.
struct ReducedPicture {
  let picture: SmallPicture

  /// - Parameters:
  ///   - frame: an RGB picture with 8 bits per sample.
  ///   - longestSide: the longest side of the result, in pixels; a smaller picture stays unchanged.
  init(_ frame: PixelBuffer, longestSide: Int) {
    let (width, height) = (frame.layout.width, frame.layout.height)
    let block = (max(width, height) + longestSide - 1) / longestSide
    let (columns, rows) = ((width + block - 1) / block, (height + block - 1) / block)
    var sums = [SIMD4<UInt32>](repeating: .zero, count: columns * rows)
    for y in 0..<height {
      let line = frame.row(y).assumingMemoryBound(to: UInt8.self)
      let start = y / block * columns
      for column in 0..<columns {
        var sum = SIMD4<UInt32>.zero
        for x in column * block..<min(width, column * block + block) {
          sum &+= SIMD4(UInt32(line[3 * x]), UInt32(line[3 * x + 1]), UInt32(line[3 * x + 2]), 1)
        }
        sums[start + column] &+= sum
      }
    }
    let pixels = sums.map { sum in
      let mean = SIMD4<Double>(sum) / (255 * Double(sum.w))
      return SIMD4(mean.x, mean.y, mean.z, 1)
    }
    picture = SmallPicture(width: columns, height: rows, pixels: pixels)
  }

  /// The luma of each pixel from 0 to 1, with the weights of ITU-R BT.709.
  var luma: [Double] { picture.pixels.map { 0.2126 * $0.x + 0.7152 * $0.y + 0.0722 * $0.z } }
}
