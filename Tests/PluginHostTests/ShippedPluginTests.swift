import ImageCore
import PluginHost
import TestSupport
import Testing

extension PluginHostTests {
  /// The plugins that ship with the host, through the built worker.
  @Suite struct ShippedPluginTests {
    let plugins = host()

    @Test func allAreFoundBesideTheProgram() {
      #expect(plugins.discover().compactMap(\.refusal) == [])
      #expect(
        plugins.names().sorted() == [
          "film_grain", "halftone", "luma_sharpen", "mask_blend", "test_card", "vignette",
        ])
    }

    @Test func vignetteDarkensTheEdgesAlone() throws {
      let vignette = try #require(plugins.definition(named: "vignette"))
      let result = try vignette.run(
        Picture(65, 33, .rgb8, all: 200), [("strength", .number(1)), ("radius", .number(0.3))])
      #expect(result[32, 16, 0] == 200)
      #expect(result[0, 0, 0] == 0)
      #expect(result[0, 0, 0] == result[64, 32, 2])
      #expect((1..<32).allSatisfy { result[$0, 16, 1] >= result[$0 - 1, 16, 1] })
    }

    @Test(arguments: [
      PixelFormat.gray8, .gray8.with(alpha: true), .rgb8, .rgba8,
      PixelFormat(.u16, .gray), PixelFormat(.u16, .gray, alpha: true), PixelFormat(.u16, .rgb),
      PixelFormat(.u16, .rgb, alpha: true),
    ])
    func vignetteTakesEveryFormat(_ format: PixelFormat) throws {
      let vignette = try #require(plugins.definition(named: "vignette"))
      let top = format.sample.maximum
      let picture = Picture(31, 17, format) { x, y, band in (x * 7 + y * 13 + band) * 97 % (top + 1)
      }
      let same = try vignette.run(picture, [("strength", .integer(0))])
      #expect(same == picture)
      let dark = try vignette.run(picture, [("strength", .integer(1)), ("radius", .integer(0))])
      #expect(dark[0, 0, 0] == 0)
      if format.hasAlpha {
        let last = format.bands - 1
        for x in 0..<31 { #expect(dark[x, 5, last] == picture[x, 5, last]) }
      }
    }

    @Test func vignetteFollowsItsFormula() throws {
      let vignette = try #require(plugins.definition(named: "vignette"))
      let picture = Picture(40, 30, .rgb8) { x, y, band in (x * 5 + y * 3 + band * 50) % 256 }
      let result = try vignette.run(
        picture,
        [
          ("colour", .text("#ff8000")), ("radius", .number(0.25)), ("roundness", .number(1)),
          ("softness", .number(0.5)), ("strength", .number(0.75)),
        ])
      let colour = [255.0, 128, 0]
      for y in 0..<30 {
        for x in 0..<40 {
          let (dx, dy) = (Double(x) + 0.5 - 20, Double(y) + 0.5 - 15)
          let t = max(0, min(1, ((dx * dx + dy * dy).squareRoot() / 25 - 0.25) / 0.5))
          let kept = 1 - 0.75 * t * t * (3 - 2 * t)
          for band in 0..<3 {
            let expected = Double(picture[x, y, band]) * kept + colour[band] * (1 - kept)
            #expect(abs(Double(result[x, y, band]) - expected) <= 0.51)
          }
        }
      }
    }

    @Test(.thorough, arguments: ["round", "square", "diamond", "line"])
    func halftoneInksAsMuchAsThePictureIsDark(_ shape: String) throws {
      let halftone = try #require(plugins.definition(named: "halftone"))
      for (value, softness) in [(0, 0), (25, 0.3), (64, 0), (128, 0.2), (192, 1), (240, 0.5), (255, 1)] {
        let result = try halftone.run(
          Picture(200, 200, .rgb8, all: value),
          [("angle", .integer(31)), ("cell", .number(11.3)), ("shape", .text(shape)), ("softness", .number(softness))])
        let mean = Double(result.samples.reduce(0, +)) / Double(result.samples.count)
        #expect(abs(mean - Double(value)) < 3, "\(shape) at \(value): \(mean)")
      }
    }

    @Test func halftoneOfOtherFormatsIsConvertedThereAndBack() throws {
      let halftone = try #require(plugins.definition(named: "halftone"))
      let format = PixelFormat(.u16, .gray, alpha: true)
      let picture = Picture(50, 40, format) { x, _, band in band == 0 ? 30_000 : x * 1000 }
      let result = try halftone.run(picture, [("ink", .text("red"))])
      #expect(result.layout.format == PixelFormat(.u16, .rgb, alpha: true))
      #expect(
        Set(result.samples.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)) == [65_535])
      // Alpha went through 8 bits with the rest of the pixel.
      for x in 0..<50 { #expect(abs(result[x, 3, 3] - x * 1000) <= 129) }
      let repeated = try halftone.run(picture, [("ink", .text("red"))])
      #expect(repeated == result)
    }

    @Test func colourHalftoneOfPrimariesIsSolid() throws {
      let halftone = try #require(plugins.definition(named: "halftone"))
      for colour in [[255, 0, 0], [0, 255, 255], [0, 0, 0], [255, 255, 255]] {
        let picture = Picture(40, 40, .rgb8) { _, _, band in colour[band] }
        #expect(try halftone.run(picture, [("mode", .text("cmyk"))]) == picture)
      }
    }

    @Test(
      .thorough, arguments: ["vignette", "halftone", "film_grain", "luma_sharpen"],
      [(1, 1), (1, 9), (9, 1), (65, 3), (5000, 2), (2, 5000)])
    func everySizeWorks(_ name: String, _ size: (Int, Int)) throws {
      let plugin = try #require(plugins.definition(named: name))
      for format in [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.u16, .rgb, alpha: true)] {
        let picture = Picture(size.0, size.1, format, all: 200)
        let result = try plugin.run(picture)
        #expect(result.layout.width == size.0 && result.layout.height == size.1)
        #expect(try plugin.run(picture) == result)
      }
    }

    @Test func pointsOutsideTheirRangeAreRefused() throws {
      let vignette = try #require(plugins.definition(named: "vignette"))
      let centre = ParameterValue.list([.number(0.5), .number(7)])
      #expect(throws: OperationError.unsuitable("'centre' takes two numbers from -1 to 2")) {
        try vignette.run(Picture(4, 4, .rgb8, all: 1), [("centre", centre)])
      }
    }
  }
}
