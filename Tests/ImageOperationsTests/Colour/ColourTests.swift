import ImageCore
import ImageOperations
import Platform
import Testing

/// Operations in linear light and CIE L\*a\*b\* against double precision.
@Suite struct ColourTests {
  /// 16-bit results come through single precision and interpolated tables.
  static func tolerance(_ format: PixelFormat) -> Double { format.sample == .u8 ? 0.51 : 3 }

  @Test(arguments: PixelFormat.all)
  func grayscale(_ format: PixelFormat) throws {
    let input = Picture.noise(33, 21, format)
    let result = try Call("grayscale").run(input)
    #expect(result.layout.format == format.with(model: .gray))
    let expected = input.mapColours {
      [format.model == .gray ? $0[0] : ReferenceColour.luminance($0)]
    }
    #expect(try #require(result.distance(to: expected)) <= Self.tolerance(format))
  }

  @Test func grayscaleKeepsNeutralColours() throws {
    for format in [PixelFormat.rgb8, .rgb16] {
      let input = Picture(256, 1, format) { x, _, _ in x * (format.sample.maximum / 255) }
      let result = try Call("grayscale").run(input)
      #expect(result.samples == (0..<256).map { $0 * (format.sample.maximum / 255) })
    }
  }

  static let modulations: [[String: Double]] = [
    [:], ["brightness": 1.3], ["brightness": 0.4], ["saturation": 0], ["saturation": 1.8],
    ["hue": 90], ["hue": -33], ["lightness": 20], ["lightness": -30],
    ["brightness": 0.8, "saturation": 1.2, "hue": 200, "lightness": 5],
  ]

  @Test(arguments: modulations)
  func modulate(_ options: [String: Double]) throws {
    let call = Call("modulate", named: options.mapValues { .number($0) })
    for format in [PixelFormat.rgb8, .rgba16, .graya8] {
      let input = Picture.noise(33, 21, format)
      let expected = input.mapColours { colour in
        let lab = ReferenceColour.lab(colour)
        let chroma = hypot(lab[1], lab[2]) * (options["saturation"] ?? 1)
        let hue = atan2(lab[2], lab[1]) + (options["hue"] ?? 0) * .pi / 180
        let lightness = lab[0] * (options["brightness"] ?? 1) + (options["lightness"] ?? 0)
        let result = ReferenceColour.rgb([lightness, chroma * cos(hue), chroma * sin(hue)])
        return format.model == .gray ? [result[0]] : result
      }
      #expect(
        try #require(call.run(input).distance(to: expected)) <= Self.tolerance(format), "\(format)")
    }
  }

  @Test func modulateByNothingKeepsEverySample() throws {
    let input = Picture.noise(64, 64, .rgb8)
    #expect(try Call("modulate").run(input) == input)
  }

  @Test(arguments: PixelFormat.all)
  func tint(_ format: PixelFormat) throws {
    let input = Picture.noise(33, 21, format)
    let result = try Call("tint", "#c04080").run(input)
    #expect(result.layout.format == format.with(model: .rgb))
    let tint = ReferenceColour.lab([192 / 255.0, 64 / 255.0, 128 / 255.0])
    let top = Double(input.top)
    let expected = input.mapColours { colour in
      // The luminance is a sample: rounded like one.
      let gray = (ReferenceColour.luminance(colour) * top).rounded() / top
      let lightness = ReferenceColour.lab([gray, gray, gray])[0]
      let weight = 1 - 4 * (lightness / 100 - 0.5) * (lightness / 100 - 0.5)
      return ReferenceColour.rgb([lightness, tint[1] * weight, tint[2] * weight])
    }
    #expect(try #require(result.distance(to: expected)) <= (format.sample == .u8 ? 1 : 3))
  }

  @Test func tintKeepsBlackAndWhite() throws {
    let result = try Call("tint", "red").run(Picture(2, 1, .gray8, [0, 255]))
    #expect(result.samples == [0, 0, 0, 255, 255, 255])
  }

  @Test func thresholdOfColours() throws {
    let input = Picture(3, 1, .rgb8, [255, 0, 0, 0, 255, 0, 200, 200, 200])
    #expect(try Call("threshold", 150).run(input).samples == [0, 255, 255])
    #expect(
      try Call("threshold", 150, named: ["grayscale": false]).run(input).samples
        == [255, 0, 0, 0, 255, 0, 255, 255, 255])
  }

  @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba16])
  func normalize(_ format: PixelFormat) throws {
    let top = format.sample.maximum
    let input = Picture(100, 20, format) { x, y, band in
      top / 4 + (x * 20 + y) * top / 8000 + band * top / 50
    }
    let lightness = (0..<2000).map {
      let pixel = input.fractions($0 % 100, $0 / 100)
      return ReferenceColour.lab(format.model == .gray ? [pixel[0], pixel[0], pixel[0]] : Array(pixel.prefix(3)))[0]
    }.sorted()
    let (black, white) = (lightness[19], lightness[1979])
    let expected = input.mapColours { colour in
      let lab = ReferenceColour.lab(colour)
      let stretched = (lab[0] - black) * 100 / (white - black)
      let result = ReferenceColour.rgb([stretched, lab[1], lab[2]])
      return format.model == .gray ? [result[0]] : result
    }
    // Percentiles are exact to half a step of 1/64 L*, which is 0.04 of an 8-bit level, stretched.
    let distance = try #require(Call("normalize").run(input).distance(to: expected))
    #expect(distance <= (format.sample == .u8 ? 1 : 100))
  }

  @Test func normalizeLeavesFlatPicturesAlone() throws {
    let flat = Picture(4, 4, .rgb8) { _, _, band in 100 + band }
    #expect(try Call("normalize").run(flat) == flat)
  }

  @Test func normalizeNeedsAnOrder() {
    #expect(throws: OperationError.unsuitable("'lower' must be less than 'upper'")) {
      _ = try Call("normalize", named: ["lower": 60, "upper": 40]).make()
    }
  }

  /// A profile of colours does not describe gray.
  @Test func grayDropsColourProfiles() throws {
    let colour = [UInt8](repeating: 0, count: 16) + Array("RGB ".utf8)
    let gray = [UInt8](repeating: 0, count: 16) + Array("GRAY".utf8)
    for name in ["grayscale", "threshold"] {
      let operation = try Call(name).make()
      #expect(operation.outputMetadata(PictureMetadata(iccProfile: colour)).iccProfile == [])
      #expect(operation.outputMetadata(PictureMetadata(iccProfile: gray)).iccProfile == gray)
    }
  }
}
