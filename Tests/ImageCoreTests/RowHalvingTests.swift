import ImageCore
import TestSupport
import Testing

/// Halved rows against means in double precision.
@Suite struct RowHalvingTests {
  @Test(arguments: SampleType.allCases, ColourModel.allCases)
  func meansOfTwoByTwo(_ sample: SampleType, _ model: ColourModel) {
    for hasAlpha in model == .cmyk ? [false] : [false, true] {
      for width in [1, 2, 3, 16, 37] {
        let format = PixelFormat(sample, model, alpha: hasAlpha)
        var random = SplitMix(width * 8 + format.bands)
        let rows = (0..<2).map { _ in
          (0..<width * format.bands).map { index in
            let isAlpha = hasAlpha && index % format.bands == format.bands - 1
            return isAlpha ? [0, 1, sample.maximum][random.below(3)] : random.below(sample.maximum + 1)
          }
        }
        let means = means(rows, width, format)
        // In units of a level: two roundings of means, and for 8 bits that of the result.
        let unit = sample == .u8 ? 256.0 : 1
        for x in 0..<(width + 1) / 2 {
          for band in 0..<format.bands {
            let expected = expected(rows, x, band, width, format)
            let found = Double(means[x * format.bands + band]) / unit
            #expect(abs(found - expected) <= 0.5 / unit + 1e-9, "\(format) \(width): \(x), \(band)")
          }
        }
      }
    }
  }

  private func means(_ rows: [[Int]], _ width: Int, _ format: PixelFormat) -> [UInt16] {
    let halving = RowHalving(format)
    var result = [UInt16](repeating: 0xabcd, count: (width + 1) / 2 * format.bands)
    result.withUnsafeMutableBytes { result in
      func call<Sample: FixedWidthInteger>(_ type: Sample.Type) {
        let (upper, lower) = (rows[0].map { Sample($0) }, rows[1].map { Sample($0) })
        upper.withUnsafeBytes { upper in
          lower.withUnsafeBytes { lower in
            halving.halve(upper.baseAddress!, lower.baseAddress!, width: width, to: result.baseAddress!)
          }
        }
      }
      if format.sample == .u8 { call(UInt8.self) } else { call(UInt16.self) }
    }
    return result
  }

  private func expected(_ rows: [[Int]], _ x: Int, _ band: Int, _ width: Int, _ format: PixelFormat) -> Double {
    let columns = [2 * x, min(2 * x + 1, width - 1)]
    let pixels = rows.flatMap { row in
      columns.map { column in (0..<format.bands).map { Double(row[column * format.bands + $0]) } }
    }
    guard format.hasAlpha, band < format.bands - 1 else { return pixels.reduce(0) { $0 + $1[band] } / 4 }
    let alpha = pixels.reduce(0) { $0 + $1[format.bands - 1] }
    return alpha == 0 ? 0 : pixels.reduce(0) { $0 + $1[band] * $1[format.bands - 1] } / alpha
  }

  @Test func roundsToTheNearestLevel() {
    let means: [UInt16] = [0, 127, 128, 255, 256, 65_151, 65_152, 65_280]
    var row = [UInt8](repeating: 0, count: 8)
    row.withUnsafeMutableBytes { row in
      means.withUnsafeBytes { RowHalving(.gray8).round($0.baseAddress!, to: row.baseAddress!, width: 8) }
    }
    #expect(row == [0, 0, 1, 1, 1, 254, 255, 255])
  }
}
