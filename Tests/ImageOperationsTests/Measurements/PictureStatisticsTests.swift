import ImageCore
import ImageOperations
import Platform
import Testing

@Suite struct PictureStatisticsTests {
  @Test(arguments: PixelFormat.all)
  func matchesTheDefinition(_ format: PixelFormat) throws {
    let picture = Picture.noise(57, 83, format)
    let result = try PictureStatistics.compute(picture.source, .serial)
    #expect(result.bands.count == format.bands)
    for (band, found) in result.bands.enumerated() {
      let values = (0..<57 * 83).map { picture.samples[$0 * format.bands + band] }
      let count = Double(values.count)
      let mean = values.reduce(0.0) { $0 + Double($1) } / count
      let squares = values.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
      var histogram = [Int](repeating: 0, count: 256)
      for value in values { histogram[value * 256 / (picture.top + 1)] += 1 }
      let entropy = histogram.filter { $0 > 0 }.reduce(0.0) {
        $0 - Double($1) / count * log2(Double($1) / count)
      }
      #expect(found.minimum == values.min() && found.maximum == values.max())
      #expect(abs(found.mean - mean) < 1e-9 * mean)
      #expect(abs(found.standardDeviation - (squares / (count - 1)).squareRoot()) < 1e-6)
      #expect(found.histogram == histogram)
      #expect(abs(found.entropy - entropy) < 1e-9)
    }
    #expect(result.isOpaque == !format.hasAlpha)
    #expect(try PictureStatistics.compute(picture.source, .threaded) == result)
  }

  @Test func onePixel() throws {
    let pixel = Picture(1, 1, .rgba8, [1, 2, 3, 255])
    let result = try PictureStatistics.compute(pixel.source, .serial)
    #expect(result.isOpaque)
    #expect(result.bands[1].mean == 2)
    #expect(result.bands[1].standardDeviation == 0)
    #expect(result.bands[1].entropy == 0)
  }

  @Test func cancellation() {
    #expect(throws: PictureError.cancelled) {
      _ = try PictureStatistics.compute(Picture.noise(2, 2, .gray8).source, .cancelled)
    }
  }
}
