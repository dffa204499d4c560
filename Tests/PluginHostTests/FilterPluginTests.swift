import ImageCore
import PluginHost
import Testing

extension PluginHostTests {
  /// Film grain and sharpening by luminance do what their formulas say.
  @Suite struct FilterPluginTests {
    let plugins = host()

    private func deviation(_ values: [Int]) -> (mean: Double, deviation: Double) {
      let mean = Double(values.reduce(0, +)) / Double(values.count)
      let squares = values.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
      return (mean, (squares / Double(values.count)).squareRoot())
    }

    private func grain(_ picture: Picture, _ options: [(name: String, value: ParameterValue)]) throws -> Picture {
      try #require(plugins.definition(named: "film_grain")).run(picture, options)
    }

    @Test(arguments: [(128, 1.0), (128, 3.5), (32, 1), (224, 2), (128, 20)])
    func grainIsAsStrongAsTheToneAllows(_ value: Int, _ size: Double) throws {
      let result = try grain(
        Picture(300, 300, .gray8, all: value), [("amount", .number(0.2)), ("size", .number(size))])
      let (mean, found) = deviation(result.samples)
      let tone = Double(value) / 255
      let expected = 255 * 0.2 * tone * (1 - tone)
      // Large grains are few: 225 independent ones at 20 px.
      let tolerance = size > 10 ? 0.2 : 0.05
      #expect(abs(found / expected - 1) < tolerance, "\(found), not \(expected)")
      #expect(abs(mean - Double(value)) < expected * (size > 10 ? 0.25 : 0.06))
    }

    @Test func blackAndWhiteHaveNoGrain() throws {
      for value in [0, 255] {
        let picture = Picture(40, 30, .rgb8, all: value)
        #expect(try grain(picture, [("amount", .number(1))]) == picture)
      }
    }

    @Test func theSeedDecides() throws {
      let picture = Picture(40, 30, .rgb8, all: 100)
      let first = try grain(picture, [("seed", .integer(7))])
      #expect(try grain(picture, [("seed", .integer(7))]) == first)
      #expect(try grain(picture, [("seed", .integer(8))]) != first)
      #expect(first != picture)
    }

    @Test func grainWithoutColourIsGray() throws {
      let picture = Picture(40, 30, .rgba8) { _, _, band in band == 3 ? 77 : 100 }
      let gray = try grain(picture, [("colour", .integer(0))])
      let coloured = try grain(picture, [("colour", .integer(1))])
      var differ = 0
      for x in 0..<40 {
        #expect(gray[x, 5, 0] == gray[x, 5, 1] && gray[x, 5, 1] == gray[x, 5, 2])
        #expect(gray[x, 5, 3] == 77 && coloured[x, 5, 3] == 77)
        if coloured[x, 5, 0] != coloured[x, 5, 1] { differ += 1 }
      }
      #expect(differ > 20)
    }

    @Test(arguments: [
      PixelFormat.gray8, .gray8.with(alpha: true), .rgb8, .rgba8, PixelFormat(.u16, .rgb),
      PixelFormat(.u16, .gray, alpha: true),
    ])
    func sharpeningFollowsItsFormula(_ format: PixelFormat) throws {
      let sharpen = try #require(plugins.definition(named: "luma_sharpen"))
      let top = format.sample.maximum
      let (width, height) = (29, 23)
      let picture = Picture(width, height, format) { x, y, band in
        (x * x * 31 + y * 57 + band * 40) * (top / 255) % (top + 1)
      }
      let (amount, radius, threshold, limit) = (1.3, 1.7, 0.02, 0.2)
      let result = try sharpen.run(
        picture,
        [
          ("amount", .number(amount)), ("limit", .number(limit)), ("radius", .number(radius)),
          ("threshold", .number(threshold)),
        ])
      let luma = Self.luma(picture)
      let blurred = Self.blur(luma, width, height, radius)
      for y in 0..<height {
        for x in 0..<width {
          let detail = luma[y * width + x] - blurred[y * width + x]
          let size = min(limit, amount * max(0, abs(detail) - threshold))
          for band in 0..<format.bands {
            let isAlpha = format.hasAlpha && band == format.bands - 1
            let change = isAlpha ? 0 : detail < 0 ? -size : size
            let value = Double(picture[x, y, band]) / Double(top) + change
            let expected = max(0, min(1, value)) * Double(top)
            let difference = abs(Double(result[x, y, band]) - expected)
            #expect(difference <= (top == 255 ? 0.51 : 0.6), "(\(x), \(y)) band \(band)")
          }
        }
      }
    }

    @Test func flatAreasStayAndEdgesAreBounded() throws {
      let sharpen = try #require(plugins.definition(named: "luma_sharpen"))
      let flat = Picture(20, 20, .rgb8) { _, _, band in 40 + band * 60 }
      #expect(try sharpen.run(flat) == flat)
      let edge = Picture(40, 8, .gray8) { x, _, _ in x < 20 ? 100 : 150 }
      let result = try sharpen.run(
        edge, [("amount", .integer(5)), ("limit", .number(0.1)), ("threshold", .integer(0))])
      #expect(result.samples.min() == 75 && result.samples.max() == 176)
    }

    private static func luma(_ picture: Picture) -> [Double] {
      let top = Double(picture.layout.format.sample.maximum)
      return (0..<picture.layout.height).flatMap { y in
        (0..<picture.layout.width).map { x in
          let first = Double(picture[x, y, 0])
          guard picture.layout.bands >= 3 else { return first / top }
          let (green, blue) = (Double(picture[x, y, 1]), Double(picture[x, y, 2]))
          return (0.2126 * first + 0.7152 * green + 0.0722 * blue) / top
        }
      }
    }

    /// The sum over both directions at once, in doubles, edge pixels repeated.
    private static func blur(_ plane: [Double], _ width: Int, _ height: Int, _ radius: Double) -> [Double] {
      let reach = Int((radius * 3).rounded(.up))
      let taps = (-reach...reach).map {
        Self.exponential(-0.5 * Double($0 * $0) / (radius * radius))
      }
      let sum = taps.reduce(0, +)
      return (0..<height).flatMap { y in
        (0..<width).map { x in
          var value = 0.0
          for (i, down) in taps.enumerated() {
            let row = max(0, min(height - 1, y + i - reach))
            for (j, across) in taps.enumerated() {
              value += down * across * plane[row * width + max(0, min(width - 1, x + j - reach))]
            }
          }
          return value / (sum * sum)
        }
      }
    }

    /// e^x by its series, of a number squared down ten times.
    private static func exponential(_ x: Double) -> Double {
      let small = x / 1024
      var (term, sum) = (1.0, 1.0)
      for n in 1...12 {
        term *= small / Double(n)
        sum += term
      }
      for _ in 0..<10 { sum *= sum }
      return sum
    }
  }
}
