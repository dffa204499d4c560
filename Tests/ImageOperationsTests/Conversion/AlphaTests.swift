import ImageCore
import ImageOperations
import Testing

/// Operations on the alpha band, and picking bands.
@Suite struct AlphaTests {
  @Test func flatten() throws {
    for format in PixelFormat.all where format.hasAlpha {
      let input = Picture.noise(31, 9, format)
      let result = try Call("flatten", [10, 200, 100]).run(input)
      let behind = Colour(red: 10 / 255.0, green: 200 / 255.0, blue: 100 / 255.0)
        .samples(in: PixelFormat(format.sample, .rgb)).map(Double.init)
      var expected: [Double] = []
      for index in 0..<31 * 9 {
        let pixel = input.samples[index * format.bands..<(index + 1) * format.bands].map(Double.init)
        let alpha = pixel.last! / Double(input.top)
        // The background has colours, so gray becomes RGB.
        let colours = format.model == .gray ? [pixel[0], pixel[0], pixel[0]] : pixel.dropLast()
        expected += zip(colours, behind).map { $0 * alpha + $1 * (1 - alpha) }
      }
      #expect(try #require(result.distance(to: expected)) <= 0.5001, "\(format)")
    }
  }

  @Test func ensureAndRemove() throws {
    for format in PixelFormat.all {
      let input = Picture.noise(5, 4, format)
      let ensured = try Call("ensure_alpha").run(input)
      #expect(ensured.layout.format.hasAlpha)
      let removed = try Call("remove_alpha").run(ensured)
      #expect(try Call("remove_alpha").run(input) == removed)
      #expect(
        removed
          == Picture(5, 4, format.with(alpha: false)) { x, y, band in input[x, y, band] })
      if !format.hasAlpha { #expect(ensured[2, 3, ensured.bands - 1] == input.top) }
    }
  }

  @Test(arguments: [("red", 0), ("green", 1), ("blue", 2), ("alpha", 3)])
  func extractBand(_ name: String, _ band: Int) throws {
    let input = Picture.noise(5, 4, .rgba16)
    let result = try Call("extract_band", .text(name)).run(input)
    #expect(result == Picture(5, 4, PixelFormat(.u16, .gray)) { x, y, _ in input[x, y, band] })
  }

  @Test func extractMissingAlpha() {
    #expect(throws: OperationError.self) {
      _ = try Call("extract_band", "alpha").run(.noise(2, 2, .rgb8))
    }
  }
}
