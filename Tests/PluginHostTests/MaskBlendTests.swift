import Foundation
import ImageCore
import PluginHost
import Testing

extension PluginHostTests {
  /// Blending by a mask, through the built worker.
  @Suite struct MaskBlendTests {
    let plugins = host()

    private func blend(
      _ below: Picture, _ above: Picture, _ mask: Picture, _ options: [(name: String, value: ParameterValue)] = []
    ) throws -> Picture {
      try #require(plugins.definition(named: "mask_blend")).mix([below, above, mask], options)
    }

    private let below = Picture(40, 30, .rgb8) { x, y, band in (x * 5 + y * 3 + band * 50) % 256 }
    private let above = Picture(40, 30, .rgb8) { x, y, band in (x * 2 + y * 7 + band * 90) % 256 }

    @Test func whereTheMaskIsFullSamplesAreKept() throws {
      let mask = Picture(40, 30, .gray8) { x, _, _ in x < 20 ? 0 : 255 }
      let result = try blend(below, above, mask)
      let inverted = try blend(below, above, mask, [("invert", .boolean(true))])
      for x in 0..<40 {
        for y in 0..<30 {
          for band in 0..<3 {
            #expect(result[x, y, band] == (x < 20 ? below : above)[x, y, band])
            #expect(inverted[x, y, band] == (x < 20 ? above : below)[x, y, band])
          }
        }
      }
      #expect(try blend(below, above, mask, [("opacity", .integer(0))]) == below)
    }

    @Test(arguments: ["encoded", "linear"], [SampleType.u8, .u16])
    func itFollowsItsFormula(_ space: String, _ sample: SampleType) throws {
      let top = sample.maximum
      let format = PixelFormat(sample, .rgb)
      let low = Picture(30, 20, format) { x, y, band in (x * 971 + y * 313 + band * 50) % (top + 1)
      }
      let high = Picture(30, 20, format) { x, y, band in (x * 77 + y * 1313 + band) % (top + 1) }
      let mask = Picture(30, 20, format) { x, y, band in (x * 99 + y * 55 + band * 31) % (top + 1) }
      let result = try blend(
        low, high, mask, [("opacity", .number(0.8)), ("space", .text(space))])
      func linear(_ v: Double) -> Double { v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4) }
      func encoded(_ v: Double) -> Double { v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055 }
      for y in 0..<20 {
        for x in 0..<30 {
          let luma = 0.2126 * Double(mask[x, y, 0]) + 0.7152 * Double(mask[x, y, 1]) + 0.0722 * Double(mask[x, y, 2])
          let share = luma / Double(top) * 0.8
          for band in 0..<3 {
            let (from, to) = (Double(low[x, y, band]) / Double(top), Double(high[x, y, band]) / Double(top))
            let meant =
              space == "linear"
              ? encoded(linear(from) * (1 - share) + linear(to) * share)
              : from * (1 - share) + to * share
            let tolerance = sample == .u8 ? 0.51 : 2.5
            #expect(abs(Double(result[x, y, band]) - meant * Double(top)) <= tolerance)
          }
        }
      }
    }

    @Test func whatCannotBeSeenLendsNoColour() throws {
      let low = Picture(9, 9, .rgba8) { _, _, band in [200, 100, 50, 255][band] }
      let high = Picture(9, 9, .rgba8) { _, _, band in [0, 255, 255, 0][band] }
      let half = Picture(9, 9, .gray8, all: 128)
      let result = try blend(low, high, half)
      #expect((0..<4).map { result[4, 4, $0] } == [200, 100, 50, 127])
      // A mask that cannot be seen lets nothing through.
      let hidden = Picture(9, 9, .rgba8) { _, _, band in band == 3 ? 0 : 255 }
      #expect(try blend(low, high, hidden) == low)
    }

    /// An edge blurred like a gaussian's step: half in its place, the error function beside it.
    @Test(arguments: [1.0, 2.5, 10, 50])
    func softnessIsAGaussian(_ softness: Double) throws {
      let (width, height) = (401, 9)
      let mask = Picture(width, height, .gray8) { x, _, _ in x < 200 ? 0 : 255 }
      let (black, white) = (Picture(width, height, .gray8, all: 0), Picture(width, height, .gray8, all: 255))
      let result = try blend(black, white, mask, [("softness", .number(softness))])
      for x in 0..<width {
        let distance = (Double(x) + 0.5 - 200) / (softness * 2.0.squareRoot())
        let meant = 127.5 * (1 + erf(distance))
        #expect(abs(Double(result[x, 4, 0]) - meant) <= (softness < 2 ? 12 : 4), "\(x)")
        #expect(result[x, 0, 0] == result[x, 8, 0])
      }
    }

    @Test(arguments: [(1, 1), (1, 9), (9, 1), (65, 3), (2, 500)])
    func everySizeWorks(_ size: (Int, Int)) throws {
      for format in [PixelFormat.gray8, .rgba8, PixelFormat(.u16, .gray, alpha: true)] {
        let picture = Picture(size.0, size.1, format, all: 200)
        let options: [(name: String, value: ParameterValue)] = [("softness", .number(50))]
        let result = try blend(picture, picture, picture, options)
        #expect(result.samples.allSatisfy { abs($0 - 200) <= 1 })
      }
    }
  }
}
