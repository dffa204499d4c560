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
    plain[..<33] + before + plain[33..<(plain.count - 12)] + behind + plain.suffix(12)
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

  /// Chunks that libspng never sees are checked, too.
  @Test func checksumsOfAllChunksCount() throws {
    var text = Self.chunk("tEXt", Array("Comment\0something".utf8))
    text[10] ^= 1
    for bytes in [Self.file(before: text), Self.file(behind: text)] {
      let error = #expect(throws: PictureError.self) { try decode(bytes) }
      #expect(error.map { "\($0)" } == "damaged file (invalid chunk checksum)")
      #expect(try decode(bytes, DecodeOptions(acceptsDamage: true)) == reference(Self.plain))
    }
    let cut = Array(Self.file(before: text)[..<(33 + 20)])
    #expect(throws: PictureError.codec(.truncated)) { try decode(cut) }
  }

  @Test(arguments: ["tEXt", "vpAg"]) func nothingStandsAmongPixels(_ name: String) throws {
    var builder = PNGBuilder(width: 19, height: 11, bits: 8, colourType: 2)
    builder.chunkSize = 50
    let bytes = builder.file { UInt8(truncatingIfNeeded: $0 * 7) }
    let broken = bytes[..<(33 + 62)] + Self.chunk(name, [65, 0, 65]) + bytes[(33 + 62)...]
    #expect(throws: PictureError.self) { try decode(Array(broken)) }
  }
}
