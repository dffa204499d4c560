import ImageCore
import ImageOperations
import Testing

/// Colours on gray pictures: libvips makes such pictures RGB.
@Suite struct GrayPromotionTests {
  static let formats = PixelFormat.all.filter { $0.model == .gray }
  private static let red: ParameterValue = [250, 10, 20]
  private static let gray: ParameterValue = [77, 77, 77]

  private func background(_ format: PixelFormat) -> [Int] {
    Colour(red: 250 / 255.0, green: 10 / 255.0, blue: 20 / 255.0).samples(in: format)
  }

  private func pixel(_ picture: Picture, _ x: Int, _ y: Int) -> [Int] {
    (0..<picture.bands).map { picture[x, y, $0] }
  }

  /// The gray pixel at a place as one of colours.
  private func colours(_ picture: Picture, _ x: Int, _ y: Int) -> [Int] {
    let pixel = pixel(picture, x, y)
    return [pixel[0], pixel[0], pixel[0]] + pixel.dropFirst()
  }

  @Test(arguments: formats) func contain(_ format: PixelFormat) throws {
    let input = Picture.noise(8, 6, format)
    let rgb = format.with(model: .rgb)
    for (width, left) in [(8, 0), (12, 2)] {
      let call = Call("resize", .integer(width), 6, named: ["fit": "contain", "background": Self.red])
      let result = try call.run(input)
      #expect(result.layout.format == rgb)
      if left > 0 { #expect(pixel(result, 0, 3) == background(rgb)) }
      // Resampling may clear what lies below a transparent pixel; nothing is resampled here.
      #expect(pixel(result, left + 3, 2) == colours(input, 3, 2))
    }
    let neutral = Call(
      "resize", 12, 6, named: ["fit": "contain", "background": Self.gray])
    #expect(try neutral.run(input).layout.format == format)
    // Only contain shows a background.
    let cover = Call("resize", 12, 6, named: ["background": Self.red])
    #expect(try cover.run(input).layout.format == format)
  }

  @Test(arguments: formats) func containAddsAlphaAndColour(_ format: PixelFormat) throws {
    let call = Call(
      "resize", 12, 6, named: ["fit": "contain", "background": "#ff000080"])
    let input = Picture.noise(8, 6, format)
    let result = try call.run(input)
    let rgba = format.with(model: .rgb).with(alpha: true)
    #expect(result.layout.format == rgba)
    #expect(
      pixel(result, 0, 0) == Colour(red: 1, green: 0, blue: 0, alpha: 128 / 255.0).samples(in: rgba)
    )
    let inside = colours(input, 0, 0) + (format.hasAlpha ? [] : [input.top])
    #expect(pixel(result, 2, 0) == inside)
  }

  @Test(arguments: formats) func extend(_ format: PixelFormat) throws {
    let input = Picture.noise(8, 6, format)
    let rgb = format.with(model: .rgb)
    let result = try Call("extend", named: ["left": 2, "top": 1, "background": Self.red]).run(input)
    #expect(result.layout.format == rgb)
    for y in 0..<7 {
      for x in 0..<10 {
        let isInside = x >= 2 && y >= 1
        let expected = isInside ? colours(input, x - 2, y - 1) : background(rgb)
        #expect(pixel(result, x, y) == expected)
      }
    }
    for named: [String: ParameterValue] in [
      ["left": 2, "background": Self.gray],
      ["left": 2, "background": Self.red, "extend_with": "mirror"],
    ] {
      #expect(try Call("extend", named: named).run(input).layout.format == format)
    }
  }

  @Test(arguments: formats) func rotate(_ format: PixelFormat) throws {
    let input = Picture.noise(30, 20, format)
    let rgb = format.with(model: .rgb)
    let result = try Call("rotate", 30, named: ["background": Self.red]).run(input)
    #expect(result.layout.format == rgb)
    #expect(pixel(result, 0, 0) == background(rgb))
    let plain = try Call("rotate", 30, named: ["background": Self.gray]).run(input)
    #expect(plain.layout.format == format)
    let (x, y) = (result.width / 2, result.height / 2)
    #expect(pixel(result, x, y) == colours(plain, x, y))
    // A right angle shows no background.
    let turned = try Call("rotate", 90, named: ["background": Self.red]).run(input)
    #expect(turned.layout.format == format)
  }

  @Test(arguments: formats) func flatten(_ format: PixelFormat) throws {
    let input = Picture(3, 1, format) { x, _, band in
      format.hasAlpha && band == 1 ? [0, format.sample.maximum, 0][x] : 40
    }
    let result = try Call("flatten", Self.red).run(input)
    guard format.hasAlpha else {
      #expect(result == input)
      return
    }
    let rgb = PixelFormat(format.sample, .rgb)
    #expect(result.layout.format == rgb)
    #expect(pixel(result, 0, 0) == background(rgb))
    #expect(pixel(result, 1, 0) == [40, 40, 40])
    #expect(
      try Call("flatten", Self.gray).run(input).layout.format == format.with(alpha: false))
  }

  @Test(arguments: formats) func composite(_ format: PixelFormat) throws {
    let base = Picture.noise(9, 7, format)
    let overlay = Picture(2, 2, .rgb8) { _, _, band in [250, 10, 20][band] }
    let rgb = format.with(model: .rgb)
    let result = try Call("composite", .picture(1), named: ["left": 3, "top": 4])
      .run(base, overlay)
    #expect(result.layout.format == rgb)
    for y in 0..<7 {
      for x in 0..<9 {
        let isCovered = (3..<5).contains(x) && (4..<6).contains(y)
        let expected = isCovered ? background(rgb) : colours(base, x, y)
        #expect(pixel(result, x, y) == expected)
      }
    }
    let gray = try Call("composite", .picture(1)).run(base, .noise(2, 2, .graya8))
    #expect(gray.layout.format == format)
  }
}
