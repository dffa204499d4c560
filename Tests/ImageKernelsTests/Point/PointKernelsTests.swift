import ImageKernels
import Testing

@Suite struct PointKernelsTests {
  @Test func tablesGoToTheirBands() {
    let negative: [UInt8] = (0...255).reversed()
    let tables = negative + (0...255).map { (level: UInt8) in level / 2 }
    let row: [UInt8] = [10, 20, 30, 40, 50, 60]
    let rows: [([Int], [UInt8])] = [
      ([0, 0, 0], [245, 235, 225, 215, 205, 195]),
      ([0, 256, -1], [245, 10, 30, 215, 25, 60]),
      ([-1, -1, -1], row),
      ([256], [5, 10, 15, 20, 25, 30]),
    ]
    for (offsets, expected) in rows {
      var result = row
      result.withUnsafeMutableBytes {
        PointKernels.lookUp($0.baseAddress!, width: 6 / offsets.count, sampleBytes: 1, tables: tables, offsets: offsets)
      }
      #expect(result == expected, "\(offsets)")
    }
  }

  @Test func bandsAreSelected() {
    let from: [UInt16] = [1, 2, 3, 4, 5, 6]
    let rows: [([Int], [UInt16])] = [
      ([2], [3, 6]), ([2, 1, 0], [3, 2, 1, 6, 5, 4]),
      ([0, 1, 2, -1], [1, 2, 3, 65_535, 4, 5, 6, 65_535]),
    ]
    for (bands, expected) in rows {
      var result = [UInt16](repeating: 0, count: expected.count)
      result.withUnsafeMutableBytes {
        PointKernels.selectBands(
          from: from, sourceBands: 3, to: $0.baseAddress!, width: 2, sampleBytes: 2, bands: bands)
      }
      #expect(result == expected)
    }
  }

  @Test func samplesConvertToTheNearestLevel() {
    let wide = (0...65_535).map { UInt16($0) }
    var narrow = [UInt8](repeating: 0, count: wide.count)
    narrow.withUnsafeMutableBytes {
      PointKernels.convertSamples(from: wide, sourceBytes: 2, to: $0.baseAddress!, count: wide.count)
    }
    for (level, found) in narrow.enumerated() {
      let nearest = (Double(level) * 255 / 65_535).rounded()
      #expect(Double(found) == nearest)
    }

    let bytes = (0...255).map { UInt8($0) }
    var back = [UInt16](repeating: 0, count: 256)
    back.withUnsafeMutableBytes {
      PointKernels.convertSamples(from: bytes, sourceBytes: 1, to: $0.baseAddress!, count: 256)
    }
    #expect(back == (0...255).map { $0 * 257 })
  }

  @Test func flattenIsExactAtEveryAlphaAndAtTheLimitsOf16Bits() {
    for alpha in 0...255 {
      for colour in [0, 1, 100, 254, 255] {
        for background in [0, 77, 255] {
          let found = flatten([UInt8(colour), UInt8(alpha)], sampleBytes: 1, background)
          let exact = Double(colour * alpha + background * (255 - alpha)) / 255
          #expect(abs(Double(found) - exact) <= 0.5)
        }
      }
    }
    for (colour, alpha, background, expected) in [
      (65_535, 65_535, 0, 65_535), (65_535, 0, 65_535, 65_535), (65_535, 32_768, 65_535, 65_535),
      (65_535, 32_768, 0, 32_768), (0, 1, 65_535, 65_534),
    ] {
      let pixel = [UInt16(colour), UInt16(alpha)]
      #expect(flatten(pixel, sampleBytes: 2, background) == expected)
    }
  }

  private func flatten<Sample: FixedWidthInteger>(_ pixel: [Sample], sampleBytes: Int, _ background: Int) -> Int {
    var result: [Sample] = [0]
    result.withUnsafeMutableBytes { to in
      pixel.withUnsafeBytes { from in
        PointKernels.flatten(
          from: from.baseAddress!, to: to.baseAddress!, width: 1, bands: 1,
          sampleBytes: sampleBytes, background: [background])
      }
    }
    return Int(result[0])
  }
}
