import ImageCore
import ImageOperations
import Testing

@Suite struct BlurTests {
  /// Direct sums and, from 16 on, cells of 2 pixels and more; wider than the picture at last.
  static let sigmas = [0.3, 0.5, 1, 2.7, 8, 15.99, 16, 17, 23.9, 24, 30, 40, 100, 1000]

  @Test(arguments: sigmas)
  func matchesTheDefinition(_ sigma: Double) throws {
    for format in [PixelFormat.gray8, PixelFormat(.u16, .gray)] {
      for input in [Self.edges(format), Picture.noise(61, 37, format)] {
        let result = try Call("blur", .number(sigma)).run(input)
        let expected = ReferenceBlur.blur(input.plane { Double(input[$0, $1, 0]) }, sigma: sigma)
        let distance = try #require(result.distance(to: expected.flatMap { $0 }))
        #expect(distance <= (format.sample == .u8 ? 0.75 : 60), "\(format): \(distance)")
      }
    }
  }

  /// Full contrast at hard edges, where approximations are worst.
  private static func edges(_ format: PixelFormat) -> Picture {
    Picture(97, 41, format) { x, y, _ in (x > 40) != (y > 15) ? format.sample.maximum : 0 }
  }

  @Test(arguments: [0.8, 3, 17])
  func bandsStayApart(_ sigma: Double) throws {
    let input = Picture.noise(45, 23, .rgb8)
    let result = try Call("blur", .number(sigma)).run(input)
    for band in 0..<3 {
      let single = Picture(45, 23, .gray8) { x, y, _ in input[x, y, band] }
      let expected = try Call("blur", .number(sigma)).run(single)
      #expect(Picture(45, 23, .gray8) { x, y, _ in result[x, y, band] } == expected)
    }
  }

  @Test(arguments: [1.5, 17])
  func coloursAreWeightedByAlpha(_ sigma: Double) throws {
    for format in [PixelFormat.graya8, .rgba8] {
      let input = Picture.noise(41, 29, format)
      let result = try Call("blur", .number(sigma)).run(input)
      let last = format.bands - 1
      let alpha = ReferenceBlur.blur(input.plane { Double(input[$0, $1, last]) }, sigma: sigma)
      for band in 0..<last {
        let colour = ReferenceBlur.blur(input.plane { Double(input[$0, $1, band] * input[$0, $1, last]) }, sigma: sigma)
        for y in 0..<29 {
          for x in 0..<41 where alpha[y][x] >= 1 {
            #expect(abs(Double(result[x, y, band]) - colour[y][x] / alpha[y][x]) <= 0.8)
            #expect(abs(Double(result[x, y, last]) - alpha[y][x]) <= 0.8)
          }
        }
      }
    }
  }

  @Test(arguments: sigmas)
  func flatPicturesStayFlat(_ sigma: Double) throws {
    let flat = Picture(50, 30, .rgba16) { _, _, band in 1000 + 20_000 * band }
    let result = try Call("blur", .number(sigma)).run(flat)
    #expect(zip(result.samples, flat.samples).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test func memoryGrowsWithWidthNotHeight() throws {
    let operation = try Call("blur", 500).make()
    let small = PictureLayout(width: 1000, height: 10_000, format: .rgb8)
    let tall = small.with(width: 1000, height: 100_000)
    #expect(operation.workingByteCount(for: [small]) == operation.workingByteCount(for: [tall]))
    #expect(operation.workingByteCount(for: [tall]) < 4_000_000)
  }
}
