import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// Chunks beside the pixels: many, empty, broken, or where they may not be.
@Suite struct PNGChunkTests {
  private static let chunk = PNGBuilder.chunk
  private static let plain = PNGBuilder(width: 19, height: 11, bits: 8, colourType: 2)
    .file { UInt8(truncatingIfNeeded: $0 * 7) }

  /// The picture with other chunks before its pixels, and behind them.
  private static func file(before: [UInt8] = [], behind: [UInt8] = []) -> [UInt8] {
    var bytes = Array(plain[..<33])
    bytes += before
    bytes += plain[33..<(plain.count - 12)]
    bytes += behind
    bytes += plain.suffix(12)
    return bytes
  }

  private static let names = [
    "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "bKGD", "hIST", "tRNS", "pHYs", "sPLT", "tIME", "iTXt",
    "tEXt", "zTXt", "eXIf", "oFFs", "vpAg",
  ]

  @Test(arguments: [false, true]) func emptyChunksAreHarmless(_ acceptsDamage: Bool) throws {
    let empty = Self.names.flatMap { Self.chunk($0, []) }
    for bytes in [Self.file(before: empty), Self.file(behind: empty)] {
      let expected = try #require(reference(bytes))
      let options = DecodeOptions(acceptsDamage: acceptsDamage)
      #expect(try decode(bytes, options) == expected)
      #expect(try PNGCodec().readHeader(bytes).metadata == PictureMetadata())
    }
  }

  /// libspng takes 1,000 texts and palettes.
  @Test(.thorough, arguments: ["tEXt", "sPLT", "vpAg", "eXIf"]) func manyChunksAreHarmless(
    _ name: String
  )
    throws
  {
    let body = name == "eXIf" ? [] : Array("Comment\0something".utf8)
    let many = Array(repeatElement(Self.chunk(name, body), count: 30_000).joined())
    let expected = try #require(reference(Self.plain))
    for bytes in [Self.file(before: many), Self.file(behind: many)] {
      #expect(try decode(bytes) == expected)
      #expect(try PNGCodec().readHeader(bytes).layout == expected.layout)
    }
  }

  @Test(.thorough) func manyPiecesOfPixels() throws {
    var builder = PNGBuilder(width: 300, height: 200, bits: 8, colourType: 2)
    builder.chunkSize = 1
    builder.level = 0
    let bytes = builder.file { UInt8(truncatingIfNeeded: $0 &* $0) }
    #expect(try decode(bytes) == #require(reference(bytes)))
    #expect(try PNGCodec().readHeader(bytes).layout.width == 300)
  }

  /// A chunk without pixels whose checksum is wrong is ignored with a note, wherever it stands.
  @Test(arguments: names.filter { $0 != "tRNS" }) func wrongChecksumsWithoutPixels(_ name: String) throws {
    let contents: [String: [UInt8]] = [
      "iCCP": Array("x\0\0".utf8) + [0x78, 0x9c, 3, 0, 0, 0, 0, 1],
      "pHYs": PNGBuilder.number(2_835) + PNGBuilder.number(2_835) + [1], "eXIf": EXIFBuilder().block,
      "iTXt": Array("XML:com.adobe.xmp\0\0\0\0\0<rdf:RDF/>".utf8),
    ]
    var broken = Self.chunk(name, contents[name] ?? Array("Comment\0something".utf8))
    broken[broken.count - 1] ^= 1
    for bytes in [Self.file(before: broken), Self.file(behind: broken)] {
      let (pixels, notes) = try Noted.decode(bytes)
      #expect(pixels == reference(Self.plain))
      #expect(notes == ["the chunk '\(name)' has a wrong checksum and is ignored; every pixel is there"])
      #expect(try decode(bytes, DecodeOptions(acceptsDamage: true)) == reference(Self.plain))
      #expect(try PNGCodec().readHeader(bytes).metadata == PictureMetadata())
    }
    let cut = Array(Self.file(before: broken)[..<(33 + 10)])
    #expect(throws: PictureError.codec(.truncated)) { try decode(cut) }
  }

  /// A wrong checksum of anything that makes pixels is an error.
  @Test(arguments: ["IHDR", "PLTE", "tRNS", "IDAT"]) func wrongChecksumsOfPixels(_ name: String) throws {
    var builder = PNGBuilder(width: 5, height: 4, bits: 8, colourType: 3)
    builder.palette = Array(repeating: 9, count: 768)
    builder.transparency = [1, 2, 3]
    var bytes = builder.file { UInt8(truncatingIfNeeded: $0) }
    let place = try #require((0..<bytes.count).first { bytes[$0...].starts(with: Array(name.utf8)) })
    let length = bytes[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
    bytes[place + 4 + length] ^= 1
    let error = #expect(throws: PictureError.self) { try decode(bytes) }
    #expect(error.map { "\($0)" } == "damaged file (invalid chunk checksum)")
  }

  @Test func picturesOfXcode() throws {
    let bytes = Self.plain[..<8] + Self.chunk("CgBI", [0x50, 0, 0x20, 6]) + Self.plain[8...]
    let error = #expect(throws: PictureError.self) { try PNGCodec().readHeader(Array(bytes)) }
    #expect(
      error.map { "\($0)" }
        == "an iOS-optimised PNG (CgBI), which 'pngcrush -revert-iphone-optimizations' makes a PNG again, is not supported"
    )
  }

  /// Metadata that nobody needs is left out; the picture is read.
  @Test func largeMetadata() throws {
    let large = [UInt8](repeating: 0, count: 17 << 20)
    for (name, content, loss) in [
      ("iCCP", Array("x\0\0".utf8) + large, MetadataLoss.unreadable(.icc, reason: "it has more than 16 MB")),
      ("eXIf", large, .unreadable(.exif, reason: "it has 17825792 bytes")),
    ] {
      let bytes = Self.file(before: Self.chunk(name, content))
      #expect(try PNGCodec().readHeader(bytes).metadata.losses == [loss])
      #expect(try decode(bytes) == reference(Self.plain))
    }
  }

  @Test(arguments: ["tEXt", "vpAg"]) func nothingStandsAmongPixels(_ name: String) throws {
    var builder = PNGBuilder(width: 19, height: 11, bits: 8, colourType: 2)
    builder.chunkSize = 50
    let bytes = builder.file { UInt8(truncatingIfNeeded: $0 * 7) }
    let broken = bytes[..<(33 + 62)] + Self.chunk(name, [65, 0, 65]) + bytes[(33 + 62)...]
    #expect(throws: PictureError.self) { try decode(Array(broken)) }
  }
}
