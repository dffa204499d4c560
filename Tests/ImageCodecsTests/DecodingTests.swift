import ImageCodecs
import ImageCore
import Testing

/// The fixtures all show the same picture; decoding each one must return it.
@Suite struct DecodingTests {
  /// Returns the original picture, from a lossless file.
  static func original() throws -> Pixels { try decode(Fixture.bytes("exif-icc.png")) }

  @Test(arguments: ["baseline-420.jpg", "progressive-422.jpg", "exif-icc-444.jpg"])
  func jpegShowsThePicture(_ name: String) throws {
    #expect(try decode(Fixture.bytes(name)).psnr(Self.original()) > 28)
  }

  /// The same coefficients, coded otherwise by jpegtran.
  @Test(arguments: [1, 2, 8])
  func arithmeticCodingIsRead(shrink: Int) throws {
    let options = DecodeOptions(shrink: shrink)
    let bytes = Fixture.bytes("arithmetic.jpg")
    #expect(try decode(bytes, options) == decode(Fixture.bytes("baseline-420.jpg"), options))
    let header = try JPEGCodec().readHeader(bytes)
    #expect(!header.isEmbeddable && header.details["arithmetic"] == .integer(1))
  }

  @Test func paletteShowsThePicture() throws {
    let pixels = try decode(Fixture.bytes("palette.png"))
    #expect(pixels.layout.format == .rgb8)
    #expect(try pixels.psnr(Self.original()) > 20)
    #expect(reference(Fixture.bytes("palette.png")) == pixels)
  }

  /// The scaled inverse DCT is close to the mean of each square of pixels.
  @Test(arguments: [2, 4, 8])
  func shrinkingAverages(_ shrink: Int) throws {
    let whole = Pixels.waves(128, 64, .rgb8)
    let bytes = try encode(whole, JPEGCodec(), [("quality", .integer(98))])
    let small = try decode(bytes, DecodeOptions(shrink: shrink))
    var mean = Pixels(layout: small.layout, bytes: [])
    for y in 0..<64 / shrink {
      for x in 0..<128 / shrink {
        for band in 0..<3 {
          var sum = 0
          for row in 0..<shrink {
            for column in 0..<shrink {
              let pixel = (y * shrink + row) * 128 + x * shrink + column
              sum += Int(whole.bytes[pixel * 3 + band])
            }
          }
          mean.bytes.append(UInt8((sum + shrink * shrink / 2) / (shrink * shrink)))
        }
      }
    }
    #expect(small.psnr(mean) > 32)
  }

  /// A file gives what its bytes give, in strips of any height.
  @Test(arguments: Fixture.jpegs + Fixture.pngs)
  func stripsAndSourcesAgree(_ name: String) throws {
    let expected = try decode(Fixture.bytes(name))
    let file = try InputFile(path: Fixture.path(name))
    let codec = try CodecList.recognise(file)
    let header = try codec.readHeader(file)
    #expect(header.layout == expected.layout)
    for strip in [1, 2, 16, 17, 64] {
      let source = try codec.makeDecoder(file, header: header, options: DecodeOptions())
      #expect(try readAll(source, strip: strip) == expected)
    }
  }

  /// Decoders read at their own offsets, so two of one file do not disturb each other.
  @Test func decodersShareAFile() throws {
    let file = try InputFile(path: Fixture.path("exif-icc-444.jpg"))
    let header = try JPEGCodec().readHeader(file)
    let first = try JPEGCodec().makeDecoder(file, header: header, options: DecodeOptions())
    let second = try JPEGCodec().makeDecoder(file, header: header, options: DecodeOptions())
    #expect(try readAll(second) == (try readAll(first)))
  }

  /// The memory that a decoder holds beside its rows, which planning needs.
  @Test func decoderByteCount() throws {
    let pixels = Pixels.waves(64, 64, .rgb8)
    let rows: [(any PictureCodec, [(String, ParameterValue)], Int)] = [
      (JPEGCodec(), [], 0),
      (JPEGCodec(), [("progressive", .boolean(true))], (64 + 16 + 16) * 128),
      (PNGCodec(), [], 0),
      (PNGCodec(), [("interlaced", .boolean(true))], PixelBuffer.byteCount(pixels.layout)),
    ]
    for (codec, options, expected) in rows {
      let header = try MetadataTests.header(try encode(pixels, codec, options))
      #expect(header.decoderByteCount == expected, "\(codec.name)")
    }
  }
}
