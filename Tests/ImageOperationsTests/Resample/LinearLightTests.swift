import ImageCore
import ImageKernels
import Testing

/// `light = "linear"` against sums of light in double precision.
@Suite struct LinearLightTests {
  /// Width and height of the source and of the result: smaller, larger, and so small that rows are filtered first.
  static let sizes = [(120, 90, 40, 31), (23, 17, 61, 40), (16, 900, 8, 30), (600, 40, 10, 40)]

  @Test(arguments: PixelFormat.all, sizes)
  func resizeIsWithinALevel(_ format: PixelFormat, _ size: (Int, Int, Int, Int)) throws {
    let picture = Picture.noise(size.0, size.1, format)
    let result = try resized(picture, size.2, size.3)
    // Of 16 bits, colours that are nearly transparent have fewer bits.
    let expected = ReferenceLight.filter(picture, leastAlpha: format.sample == .u16 ? 0.05 : 0.01) {
      ReferenceLight.resize($0, width: size.2, height: size.3)
    }
    try expect(result, within: 1, of: expected, "\(format) \(size)")
  }

  /// Direct sums. In 16 bits the ends of the Gaussian that are left out show as a level or two.
  @Test(arguments: PixelFormat.all, [0.6, 2.5, 9])
  func blurIsWithinALevel(_ format: PixelFormat, _ sigma: Double) throws {
    let picture = Picture.noise(61, 37, format)
    let result = try Call("blur", .number(sigma), named: ["light": "linear"]).run(picture)
    let expected = ReferenceLight.filter(picture, leastAlpha: format.sample == .u16 ? 0.05 : 0.01) {
      ReferenceBlur.blur($0, sigma: sigma)
    }
    try expect(result, within: format.sample == .u8 ? 1 : 2, of: expected, "\(format) \(sigma)")
  }

  /// Cells, which differ from a Gaussian by a thousandth of the contrast: see `CellGrid`.
  @Test(arguments: PixelFormat.all) func wideBlurIsNear(_ format: PixelFormat) throws {
    let picture = Picture.noise(97, 61, format)
    let result = try Call("blur", 17, named: ["light": "linear"]).run(picture)
    let expected = ReferenceLight.filter(picture) { ReferenceBlur.blur($0, sigma: 17) }
    try expect(result, within: format.sample == .u8 ? 1 : 257, of: expected, "\(format)")
  }

  @Test(arguments: BlendMode.allCases) func compositeIsWithinALevel(_ mode: BlendMode) throws {
    let call = Call(
      "composite", .picture(1), named: ["blend": .text(mode.rawValue), "opacity": 0.8, "light": "linear"])
    for format in [PixelFormat.rgb8, .graya8, .rgba8, .rgb16, .rgba16] {
      let base = Picture.noise(31, 17, format)
      let overlay = Picture.noise(31, 17, format.with(alpha: true), seed: 5)
      let result = try call.run(base, overlay)
      try expect(result, within: 1, of: composited(mode, base, overlay, result.layout.format), "\(mode) \(format)")
    }
  }

  private func composited(_ mode: BlendMode, _ base: Picture, _ overlay: Picture, _ format: PixelFormat) -> [Double?] {
    let (colours, top) = (format.model.bandCount, Double(base.top))
    var samples: [Double?] = []
    for y in 0..<base.height {
      for x in 0..<base.width {
        let (backdrop, source) = (base.fractions(x, y), overlay.fractions(x, y))
        let backdropAlpha = base.layout.format.hasAlpha ? backdrop[colours] : 1
        var lastAlpha = 0.0
        for band in 0..<colours {
          let (light, alpha) = ReferenceBlend.composite(
            mode.rawValue, source: ReferenceLight.decode(source[band]), source[colours] * 0.8,
            backdrop: ReferenceLight.decode(backdrop[band]), backdropAlpha)
          // Colours of transparent pixels are not seen.
          samples.append(format.hasAlpha && alpha < 0.01 ? nil : ReferenceLight.encode(light) * top)
          lastAlpha = alpha
        }
        if format.hasAlpha { samples.append(lastAlpha * top) }
      }
    }
    return samples
  }

  private func expect(_ result: Picture, within tolerance: Double, of expected: [Double?], _ name: String) throws {
    try #require(result.samples.count == expected.count)
    let distances = zip(result.samples, expected).compactMap { sample, light in light.map { abs(Double(sample) - $0) } }
    let most = try #require(distances.max())
    #expect(most <= tolerance, "\(name): \(most)")
  }

  @Test func mixesLightNotSamples() throws {
    let stripes = Picture(64, 64, .rgb8) { x, _, _ in x % 2 * 255 }
    let middle = try resized(stripes, 4, 4)[2, 2, 0]
    // Half of the light is 188 of 255.
    #expect(abs(middle - 188) <= 1)
    let encoded = try Call("resize", 4, 4, named: ["fit": "fill"]).run(stripes)
    #expect(abs(encoded[2, 2, 0] - 128) <= 1)
  }

  @Test(arguments: PixelFormat.all) func stripsAndWorkersDoNotChangeAByte(_ format: PixelFormat) throws {
    let picture = Picture.noise(1100, 90, format)
    let call = Call("resize", 350, 33, named: ["fit": "fill", "light": "linear"])
    let whole = try call.run(picture)
    #expect(try call.run(picture, stripRows: 3) == whole)
    #expect(try call.run(picture, stripRows: 16, in: .threaded) == whole)
  }

  @Test func decodersDoNotShrink() throws {
    let layout = PictureLayout(width: 4000, height: 3000, format: .rgb8)
    #expect(try Call("resize", 100, named: ["light": "linear"]).make().shrinkTolerance(of: layout) == 1)
    #expect(try Call("resize", 100).make().shrinkTolerance(of: layout) > 8)
  }

  private func resized(_ picture: Picture, _ width: Int, _ height: Int) throws -> Picture {
    let arguments: [String: ParameterValue] = ["fit": "fill", "light": "linear"]
    return try Call("resize", .integer(width), .integer(height), named: arguments).run(picture)
  }
}
