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
  ///   - longestSide: the maximum length of the result's longer side, in pixels; a smaller picture stays unchanged.
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

private struct LumaLevels {
  private static let steps = 1024
  private let luma: [Double]
  /// The number of pixels in each of `steps` equal ranges of luma.
  private let counts: [Int]

  /// - Parameter luma: the luma from 0 to 1; not empty.
  init(_ luma: [Double]) {
    self.luma = luma
    var counts = [Int](repeating: 0, count: Self.steps)
    for value in luma { counts[min(Self.steps - 1, Int(value * Double(Self.steps)))] += 1 }
    self.counts = counts
  }

  /// Returns the luma, as one of `steps` levels, that a share of the pixels, from 0 to 1, does not exceed.
  private func level(_ share: Double) -> Double {
    var left = Int(share * Double(luma.count - 1))
    let step = counts.firstIndex { count in
      left -= count
      return left < 0
    }
    return Double(step!) / Double(Self.steps - 1)
  }

  /// The exposure score from 0 to 1: the score of the mean luma, reduced if more than a quarter of the pixels is black
  /// or white.
  ///
  /// The score of the mean is 1 from 0.28 to 0.72, and 0 below 0.04 and above 0.97. If all pixels are black or white,
  /// the score is only halved, because the picture may be a night scene or a screenshot.
  var exposure: Double {
    let mean = luma.reduce(0, +) / Double(luma.count)
    let light = min(min(max((mean - 0.04) / 0.24, 0), 1), min(max((0.97 - mean) / 0.25, 0), 1))
    let clipped = Double(luma.count { $0 < 0.03 || $0 > 0.98 }) / Double(luma.count)
    return light * (1 - 0.5 * max(0, clipped - 0.25) / 0.75)
  }

  /// The contrast score from 0 to 1: the difference between the 95th and the 5th percentile of luma, divided by 0.6,
  /// and at most 1.
  var contrast: Double { min(1, (level(0.95) - level(0.05)) / 0.6) }
}

/// The luma of every pixel of a picture, from 0 to 255, with the weights of ITU-R BT.709 rounded to 256ths.
private struct LumaPlane {
  let width: Int
  let height: Int
  let values: [UInt8]

  /// - Parameter frame: an RGB picture with 8 bits per sample.
  init(_ frame: PixelBuffer) {
    let (width, height) = (frame.layout.width, frame.layout.height)
    (self.width, self.height) = (width, height)
    values = [UInt8](unsafeUninitializedCapacity: width * height) { values, count in
      for y in 0..<height {
        let line = frame.row(y).assumingMemoryBound(to: UInt8.self)
        for x in 0..<width {
          let sum = 54 &* UInt32(line[3 * x]) &+ 183 &* UInt32(line[3 * x + 1]) &+ 19 &* UInt32(line[3 * x + 2])
          values[y * width + x] = UInt8(truncatingIfNeeded: (sum &+ 128) >> 8)
        }
      }
      count = width * height
    }
  }
}

/// Measures the sharpness of a picture: how steep its edges are relative to their height.
///
/// In each block of 16 x 16 pixels, the largest step between neighbours is divided by the range of the block's values.
/// At any contrast, a sharp edge rises within one or two pixels and a blurred edge within many, so the width of edges
/// indicates blur (P. Marziliano et al., "A no-reference perceptual blur metric", 2002). Blocks with a small range,
/// which contain noise and blurred backgrounds, are ignored. The sharpest tenth of the other blocks determines the
/// result, so a portrait in front of a blurred background is sharp.
private enum Sharpness {
  private static let block = 16
  /// The minimum range of a block that is used: on a scale of 0 to 255, and as a share of the range of the picture's
  /// strongest blocks.
  private static let (leastRange, leastShare) = (12, 0.3)
  /// The ratios that score 0 and 1. In the small version, a Gaussian blur with a sigma of 1 pixel results in a ratio of
  /// about 0.4, and a sigma of 2 pixels in 0.2.
  private static let (blurred, sharp) = (0.15, 0.75)

  /// Returns the sharpness from 0 to 1; 0 for a picture without edges.
  static func measure(_ plane: LumaPlane) -> Double {
    let blocks = blocks(of: plane)
    guard !blocks.isEmpty else { return 0 }
    let ranges = blocks.map(\.range).sorted()
    let strongest = Double(ranges[ranges.count * 19 / 20])
    let least = max(leastRange, Int(leastShare * strongest))
    let ratios = blocks.filter { $0.range >= least }.map { Double($0.step) / Double($0.range) }.sorted()
    guard !ratios.isEmpty else { return 0 }
    return min(max((ratios[ratios.count * 9 / 10] - blurred) / (sharp - blurred), 0), 1)
  }

  /// Returns the range and the largest step of each whole block. In a picture that is smaller than a block, a block is
  /// as wide or as high as the picture.
  private static func blocks(of plane: LumaPlane) -> [(range: Int, step: Int)] {
    let (across, down) = (min(block, plane.width), min(block, plane.height))
    return plane.values.withUnsafeBufferPointer { values in
      var blocks: [(range: Int, step: Int)] = []
      for top in stride(from: 0, through: plane.height - down, by: down) {
        for left in stride(from: 0, through: plane.width - across, by: across) {
          var (low, high, step) = (Int16(255), Int16(0), Int16(0))
          for y in top..<top + down {
            let line = values.baseAddress! + y * plane.width
            let next = y + 1 < plane.height ? plane.width : 0
            for x in left..<left + across {
              let value = Int16(line[x])
              low = min(low, value)
              high = max(high, value)
              let right = Int16(line[x + 1 < plane.width ? x + 1 : x])
              step = max(step, max(abs(right &- value), abs(Int16(line[x + next]) &- value)))
            }
          }
          blocks.append((Int(high - low), Int(min(step, high - low))))
        }
      }
      return blocks
    }
  }
}
