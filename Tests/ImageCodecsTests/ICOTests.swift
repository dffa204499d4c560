import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// Icons and cursors made by hand, after Windows' ICONDIR, and icons that the codec wrote.
@Suite struct ICOTests {
  private struct Entry {
    var width = 2
    var height = 1
    var bits = 32
    var content: [UInt8]
  }

  private static func file(_ entries: [Entry], isCursor: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = [0, 0, isCursor ? 2 : 1, 0] + BMPBuilder.number(entries.count, 2)
    var offset = 6 + 16 * entries.count
    for entry in entries {
      bytes += [UInt8(entry.width & 255), UInt8(entry.height & 255), 0, 0, 1, 0, UInt8(entry.bits), 0]
      bytes += BMPBuilder.number(entry.content.count) + BMPBuilder.number(offset)
      offset += entry.content.count
    }
    for entry in entries { bytes += entry.content }
    return bytes
  }

  /// A bitmap: header with twice the height, pixels, mask.
  private static func bitmap(_ builder: BMPBuilder, mask: [UInt8]) -> [UInt8] {
    var builder = builder
    builder.height *= 2
    return builder.information + builder.pixels + mask
  }

  static let forms: [(name: String, content: [UInt8], format: PixelFormat, samples: [Int])] = [
    (
      "24 bits and a mask",
      bitmap(BMPBuilder(height: 1, pixels: [1, 2, 3, 4, 5, 6, 0, 0]), mask: [0b0100_0000, 0, 0, 0]),
      .rgba8, [3, 2, 1, 255, 6, 5, 4, 0]
    ),
    (
      "32 bits with alpha", bitmap(BMPBuilder(height: 1, bits: 32, pixels: [1, 2, 3, 4, 5, 6, 7, 0]), mask: []),
      .rgba8, [3, 2, 1, 4, 7, 6, 5, 0]
    ),
    (
      "32 bits without alpha",
      bitmap(BMPBuilder(height: 1, bits: 32, pixels: [1, 2, 3, 0, 5, 6, 7, 0]), mask: [0b1000_0000, 0, 0, 0]),
      .rgba8, [3, 2, 1, 0, 7, 6, 5, 255]
    ),
    (
      "black and white, two rows",
      bitmap(
        BMPBuilder(
          width: 2, height: 2, bits: 1, palette: [[0, 0, 0], [255, 255, 255]],
          pixels: [0b1000_0000, 0, 0, 0, 0b0100_0000, 0, 0, 0]), mask: [0, 0, 0, 0, 0b1100_0000, 0, 0, 0]),
      PixelFormat(.u8, .gray, alpha: true), [0, 0, 255, 0, 255, 255, 0, 255]
    ),
    (
      "4 bits, few colours",
      bitmap(
        BMPBuilder(width: 1, height: 1, bits: 4, palette: [[1, 2, 3]], colourCount: 1, pixels: [0, 0, 0, 0]),
        mask: [0, 0, 0, 0]), .rgba8, [3, 2, 1, 255]
    ),
  ]

  @Test(arguments: forms.indices, [false, true])
  func form(_ index: Int, _ isCursor: Bool) throws {
    let row = Self.forms[index]
    let bytes = Self.file([Entry(content: row.content)], isCursor: isCursor)
    let pixels = try FormatChecks.decoded(bytes)
    #expect(pixels.layout.format == row.format && pixels.samples == row.samples, "\(row.name)")
    #expect(try FormatChecks.header(bytes).codec == "ico" && FormatChecks.endsProperly(bytes))
  }

  @Test func picturesArePagesLargestFirst() throws {
    let small = try encode(.waves(16, 16, .rgba8), PNGCodec())
    let large = try encode(.waves(256, 256, .rgb8), PNGCodec())
    let bytes = Self.file([
      Entry(width: 16, height: 16, bits: 8, content: Self.forms[0].content),
      Entry(width: 16, height: 16, content: small), Entry(width: 256, height: 256, content: large),
    ])
    #expect(try FormatChecks.header(bytes).pageCount == 3)
    #expect(try FormatChecks.decoded(bytes) == .waves(256, 256, .rgb8))
    let second = DecodeOptions(selection: PageSelection(page: 2))
    #expect(try FormatChecks.decoded(bytes, second) == .waves(16, 16, .rgba8))
    let header = try FormatChecks.header(bytes, PageSelection(page: 2))
    #expect(header.details["compression"] == .text("PNG") && header.details["pages"] == .integer(3))
    #expect(throws: PictureError.codec(.noPage(4, count: 3))) {
      _ = try FormatChecks.header(bytes, PageSelection(page: 4))
    }
  }

  @Test func refusals() {
    func reason(_ builder: BMPBuilder) -> String {
      FormatChecks.reason(Self.file([Entry(content: Self.bitmap(builder, mask: [0, 0, 0, 0]))]))
    }
    let words = "an icon with runs or with more than 8 bits a sample is not supported"
    #expect(
      reason(
        BMPBuilder(height: 1, bits: 8, compression: 1, palette: [[1, 2, 3]], colourCount: 1, pixels: [2, 0, 0, 1]))
        == words)
    #expect(reason(BMPBuilder(height: 20_000)) == "truncated file")
    #expect(reason(BMPBuilder(height: 0)) == "damaged file (invalid size 2x0)")
    let large = Self.file([Entry(content: Self.forms[0].content)])
    var tooLarge = large
    tooLarge.replaceSubrange(14..<18, with: [0, 0, 0, 0x7f])
    #expect(FormatChecks.reason(tooLarge) == "an icon's picture of more than 16 MB is not supported")
    var many = large
    many.replaceSubrange(4..<6, with: [0xff, 0xff])
    many.replaceSubrange(18..<22, with: [0, 0, 0x20, 0])
    #expect(FormatChecks.reason(many) == "an icon of more than 1000 pictures is not supported")
  }

  static let noise: [(name: String, bytes: [UInt8])] = {
    var random = SplitMix(3)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random.below(256)) } }
    let palette = (0..<16).map { _ in bytes(3) }
    return [
      ("4", bitmap(BMPBuilder(width: 40, height: 32, bits: 4, palette: palette, pixels: bytes(640)), mask: bytes(256))),
      ("32", bitmap(BMPBuilder(width: 40, height: 32, bits: 32, pixels: bytes(40 * 32 * 4)), mask: [])),
    ].map { ($0.0, file([Entry(width: 40, height: 32, content: $0.1)])) }
  }()

  @Test(arguments: noise.indices) func hostileVariants(_ index: Int) throws {
    let (name, bytes) = Self.noise[index]
    try FormatChecks.checkRegion(bytes, name)
    try FormatChecks.checkTruncation(bytes, name)
    try FormatChecks.checkFlips(bytes, headerByteCount: 62, runs: 1_500)
  }

  @Test(arguments: [(16, 16), (256, 1), (256, 256)])
  func written(_ width: Int, _ height: Int) throws {
    let pixels = Pixels.waves(width, height, .rgba8)
    let bytes = try encode(pixels, ICOCodec())
    #expect(try FormatChecks.decoded(bytes) == pixels && FormatChecks.endsProperly(bytes))
    #expect(bytes[6] == UInt8(width & 255) && bytes[7] == UInt8(height & 255))
    #expect(try FormatChecks.header(bytes).pageCount == 1 && !FormatChecks.header(bytes).isEmbeddable)
  }

  @Test(arguments: ["\0\0\u{1}\0\u{1}\0", "\0\0\u{1}\0\u{1}\0" + String(repeating: "\0", count: 30)])
  func notRecognised(_ content: String) throws {
    try withTemporaryFile(Array(content.utf8)) { path in
      #expect(throws: PictureError.codec(.notRecognised(looksLike: nil))) {
        _ = try CodecList.recognise(InputFile(path: path))
      }
    }
  }
}
