import ImageCodecs
import ImageCore
import Testing

/// Written files read back unchanged.
@Suite struct RoundTripTests {
  static let formats = [SampleType.u8, .u16].flatMap { sample in
    [ColourModel.gray, .rgb].flatMap { model in
      [false, true].map { PixelFormat(sample, model, alpha: $0) }
    }
  }
  static let sizes = [(1, 1), (7, 3), (64, 33), (131, 50)]
  static let pngOptions: [[(String, ParameterValue)]] = [
    [], [("compression", .integer(0))], [("compression", .integer(1))],
    [("compression", .integer(2))], [("compression", .integer(4))], [("compression", .integer(9))],
    [("interlaced", .boolean(true))],
    [("filter", .text("none"))], [("filter", .text("sub"))], [("filter", .text("up"))],
    [("filter", .text("average"))], [("filter", .text("paeth"))],
    [("filter", .text("paeth")), ("compression", .integer(5))],
  ]

  @Test(arguments: formats, pngOptions.indices)
  func pngKeepsEveryPixel(_ format: PixelFormat, _ options: Int) throws {
    for size in Self.sizes {
      let pixels = Pixels.waves(size.0, size.1, format)
      let bytes = try encode(pixels, PNGCodec(), Self.pngOptions[options])
      #expect(try decode(bytes) == pixels)
      #expect(reference(bytes) == pixels, "libpng reads what was written")
    }
  }

  /// Blocks of the pool may be larger than what was asked for: where rows are cut must not follow from that.
  @Test func bytesDoNotDependOnWhatWasMadeBefore() throws {
    let pixels = Pixels.waves(700, 500, .rgb8)
    func made() throws -> [UInt8] { try encode(pixels, PNGCodec(), [("filter", .text("paeth"))]) }
    let first = try made()
    for byteCount in [65_536, 81_920, 98_304, 114_688, 262_144, 327_680, 393_216] {
      let blocks = (0..<4).map { _ in PooledBytes(capacity: byteCount) }
      withExtendedLifetime(blocks) {}
      #expect(try made() == first)
    }
  }

  @Test(arguments: ["palette", "interlaced"])
  func whatZlibCompressesHasItsUsualLevel(_ option: String) throws {
    let layout = PictureLayout(width: 90, height: 70, format: .rgb8)
    var bytes: [UInt8] = []
    for pixel in 0..<90 * 70 { bytes += [UInt8(pixel % 7), UInt8(pixel / 90 % 5), 3] }
    let pixels = Pixels(layout: layout, bytes: bytes)
    let usual = try encode(pixels, PNGCodec(), [(option, .boolean(true))])
    let six = try encode(pixels, PNGCodec(), [(option, .boolean(true)), ("compression", .integer(6))])
    #expect(usual == six)
  }

  /// Several IDAT chunks, and rows longer than what is compressed at a time.
  @Test func longRowsAndManyChunks() throws {
    var random = Xorshift(state: 7)
    let layout = PictureLayout(width: 100_000, height: 5, format: .rgb8)
    let pixels = Pixels(
      layout: layout, bytes: (0..<layout.byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    for options in [[], [("compression", ParameterValue.integer(1))]] {
      let file = try encode(pixels, PNGCodec(), options)
      #expect(file.count > layout.byteCount)
      #expect(reference(file) == pixels)
    }
  }

  @Test(arguments: [2, 3, 16, 17, 256], [PixelFormat.rgb8, .rgba8])
  func paletteKeepsEveryPixel(_ colours: Int, _ format: PixelFormat) throws {
    for interlaced in [false, true] {
      let layout = PictureLayout(width: 37, height: 23, format: format)
      var bytes: [UInt8] = []
      for pixel in 0..<37 * 23 {
        let value = pixel * 7 % colours
        bytes += [UInt8(value), UInt8(255 - value), UInt8(value / 2)]
        if format.hasAlpha { bytes.append(UInt8(255 - value / 3)) }
      }
      let pixels = Pixels(layout: layout, bytes: bytes)
      let file = try encode(pixels, PNGCodec(), [("palette", .boolean(true)), ("interlaced", .boolean(interlaced))])
      let header = try PNGCodec().readHeader(file)
      #expect(header.details["colour"] == .text("palette"))
      // The first colour of each is opaque; a palette of opaque colours loses its alpha band.
      let decoded = try decode(file)
      #expect(reference(file) == decoded)
      if decoded.layout == layout { #expect(decoded == pixels) }
      #expect(decoded.layout.format.hasAlpha == (format.hasAlpha && colours > 3))
    }
  }

  @Test func paletteRefusesMoreColours() throws {
    #expect(throws: PictureError.self) {
      try encode(.waves(64, 64, .rgb8), PNGCodec(), [("palette", .boolean(true))])
    }
    #expect(throws: PictureError.self) {
      try encode(
        .waves(4, 4, PixelFormat(.u16, .rgb)), PNGCodec(), [("palette", .boolean(true))])
    }
  }

  @Test(arguments: ["4:4:4", "4:2:2", "4:2:0", "auto"], [false, true])
  func jpegIsClose(_ subsampling: String, _ progressive: Bool) throws {
    for size in Self.sizes {
      for format in [PixelFormat.gray8, .rgb8] {
        let pixels = Pixels.waves(size.0, size.1, format)
        let bytes = try encode(
          pixels, JPEGCodec(),
          [
            ("quality", .integer(90)), ("subsampling", .text(subsampling)), ("progressive", .boolean(progressive)),
            ("optimise", .boolean(!progressive)),
          ])
        let decoded = try decode(bytes)
        #expect(decoded.layout == pixels.layout)
        let least = format == .gray8 || subsampling == "4:4:4" || subsampling == "auto" ? 38.0 : 33
        #expect(decoded.psnr(pixels) >= least, "\(size) \(format)")
        let header = try JPEGCodec().readHeader(bytes)
        #expect(header.details["progressive"] == .integer(progressive ? 1 : 0))
        if format == .rgb8 {
          let name = subsampling == "auto" ? "4:4:4" : subsampling
          #expect(header.details["subsampling"] == .text(name))
        }
      }
    }
  }

  @Test func sameInputSameBytes() throws {
    let pixels = Pixels.waves(100, 60, .rgb8)
    for codec in CodecList.all.filter(\.writes) {
      #expect(try encode(pixels, codec, strip: 1) == encode(pixels, codec, strip: 33))
    }
  }

  @Test func jpegRefusesWhatItCannotHold() throws {
    let layout = PictureLayout(width: 65_501, height: 1, format: .gray8)
    #expect(throws: PictureError.self) {
      try encode(
        Pixels(layout: layout, bytes: [UInt8](repeating: 0, count: 65_501)), JPEGCodec())
    }
  }

  @Test func encodedLayouts() {
    let rgba16 = PictureLayout(width: 3, height: 4, format: PixelFormat(.u16, .rgb, alpha: true))
    #expect(JPEGCodec().encodedLayout(for: rgba16).format == .rgb8)
    #expect(PNGCodec().encodedLayout(for: rgba16) == rgba16)
  }
}
