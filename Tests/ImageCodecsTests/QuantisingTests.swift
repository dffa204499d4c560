import ImageCore
import TestSupport
import Testing

@testable import ImageCodecs

/// `palette = N` of PNG.
@Suite struct QuantisingTests {
  private static func quantised(_ pixels: Pixels, _ colours: Int, _ options: [(String, ParameterValue)] = []) throws
    -> [UInt8]
  {
    try encode(pixels, PNGCodec(), [("palette", .integer(colours))] + options)
  }

  private static func picture(_ width: Int, _ height: Int, _ format: PixelFormat, _ pixel: (Int) -> [UInt8]) -> Pixels {
    Pixels(
      layout: PictureLayout(width: width, height: height, format: format),
      bytes: (0..<width * height).flatMap { pixel($0) })
  }

  private static func colours(_ pixels: Pixels) -> Set<[UInt8]> {
    let bands = pixels.layout.bands
    return Set((0..<pixels.bytes.count / bands).map { Array(pixels.bytes[$0 * bands..<($0 + 1) * bands]) })
  }

  /// Pictures that have no more colours come out exactly, in the fewest bits.
  @Test(arguments: [(2, 2, 1), (4, 4, 2), (3, 200, 2), (5, 16, 4), (16, 256, 4), (17, 17, 8), (256, 256, 8)])
  func keepsFewColours(_ colours: Int, _ limit: Int, _ bits: Int) throws {
    for format in [PixelFormat.rgb8, .rgba8] {
      let pixels = Self.picture(37, 29, format) { pixel in
        let value = pixel * 7 % colours
        let colour = [UInt8(value), UInt8(255 - value), UInt8(value / 2)]
        return format.hasAlpha ? colour + [UInt8(255 - (value + 1) * 3 / 4)] : colour
      }
      for interlaced in [false, true] {
        let file = try Self.quantised(pixels, limit, [("interlaced", .boolean(interlaced))])
        #expect(file[24] == bits && file[25] == 3)
        #expect(try decode(file) == pixels)
        #expect(reference(file) == pixels)
      }
      let lossless = try encode(pixels, PNGCodec(), [("palette", .boolean(true))])
      #expect(try Self.quantised(pixels, limit) == lossless)
    }
  }

  static let limits: [(colours: Int, bits: UInt8, psnr: Double)] = [
    (2, 1, 10), (3, 2, 12), (4, 2, 13), (5, 4, 14), (16, 4, 20), (17, 8, 20), (64, 8, 26), (256, 8, 32),
  ]

  @Test(
    arguments: sampled(Array(limits.indices)),
    [PixelFormat.gray8, .rgb8, .rgba8, PixelFormat(.u8, .gray, alpha: true)])
  func reducesColours(_ row: Int, _ format: PixelFormat) throws {
    let (limit, bits, psnr) = Self.limits[row]
    let pixels = Pixels.waves(120, 90, format)
    let file = try Self.quantised(pixels, limit)
    #expect(file[24] == bits && file[25] == 3)
    let decoded = try decode(file)
    #expect(reference(file) == decoded)
    #expect(Self.colours(decoded).count <= limit)
    #expect(try Self.quantised(pixels, limit) == file)
    // Gray becomes RGB in a palette.
    guard decoded.layout == pixels.layout else { return }
    #expect(decoded.psnr(pixels) > psnr - (format.hasAlpha ? 3 : 0))
  }

  /// Dithering keeps the mean of a ramp that two colours cannot show.
  @Test func dithers() throws {
    let ramp = Self.picture(256, 64, .rgb8) { [UInt8](repeating: UInt8($0 % 256), count: 3) }
    let decoded = try decode(Self.quantised(ramp, 2))
    #expect(Self.colours(decoded).count == 2)
    let means = [ramp, decoded].map { $0.bytes.reduce(0) { $0 + Double($1) } / Double($0.bytes.count) }
    #expect(abs(means[0] - means[1]) < 4, "\(means)")
  }

  /// Transparent and opaque areas stay so, whatever lies between, and transparent colours are not told apart.
  @Test func keepsAlpha() throws {
    let pixels = Self.picture(90, 60, .rgba8) { pixel in
      let x = pixel % 90
      let alpha = x < 30 ? 0 : x < 60 ? UInt8(x * 4) : 255
      return [UInt8(pixel / 90 * 4), UInt8(x * 2), UInt8(pixel % 251), alpha]
    }
    let decoded = try decode(Self.quantised(pixels, 64))
    #expect(decoded.layout == pixels.layout)
    for pixel in 0..<90 * 60 {
      let (before, after) = (pixels.bytes[4 * pixel + 3], decoded.bytes[4 * pixel + 3])
      if before == 0 { #expect(after == 0) }
      if before == 255 { #expect(after > 240) }
    }
  }

  @Test(arguments: [(1, 1), (1, 50), (50, 1), (2, 2)])
  func smallPictures(_ width: Int, _ height: Int) throws {
    for format in [PixelFormat.gray8, .rgb8, .rgba8] {
      let pixels = Self.picture(width, height, format) { pixel in
        (0..<format.bands).map { UInt8((pixel * 31 + $0 * 57) % 256) }
      }
      for limit in [2, 256] {
        let file = try Self.quantised(pixels, limit)
        #expect(reference(file) == (try decode(file)))
      }
    }
  }

  @Test func sixteenBitsBecomeEight() throws {
    let deep = Pixels.waves(50, 40, PixelFormat(.u16, .rgb))
    let file = try Self.quantised(deep, 256)
    #expect(try decode(file).layout.format == .rgb8)
  }

  /// The grid finds what a search of all colours finds.
  @Test(arguments: isWhole ? [1, 2, 9, 256] : [9], [false, true])
  func nearestColour(_ count: Int, _ hasAlpha: Bool) {
    var random = Xorshift(state: 11)
    func component(_ most: Int32) -> Int32 { Int32(random.next() % UInt64(most + 1)) }
    func colour(_ most: Int32) -> SIMD4<Int32> {
      SIMD4(component(most), component(most), component(most), hasAlpha ? component(most) : most)
    }
    let palette = (0..<count).map { _ in colour(255) }
    var nearest = NearestColour(palette, hasAlpha: hasAlpha)
    for _ in 0..<4000 {
      let wanted = colour(255 * NearestColour.unit)
      func distance(_ index: Int) -> Int32 {
        let difference = wanted &- palette[index] &* NearestColour.unit
        return (difference &* difference &* Quantiser.weights).wrappedSum()
      }
      let least = palette.indices.map(distance).min()
      #expect(distance(nearest.index(of: wanted)) == least)
    }
  }

  @Test func memory() throws {
    let layout = PictureLayout(width: 4000, height: 3000, format: .rgb8)
    func count(_ value: ParameterValue) throws -> Int {
      let codec = PNGCodec()
      return try codec.encoderByteCount(
        for: layout, arguments: arguments(codec, [("palette", value)]), parallelism: 1)
    }
    let plain = try count(.boolean(false))
    #expect(try count(.boolean(true)) == plain + 12_000_000)
    #expect(try count(.integer(256)) > plain + 12_000_000 + layout.byteCount)
  }
}
