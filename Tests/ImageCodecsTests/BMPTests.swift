import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// BMP files made by hand, after Windows' GDI documentation, and files that the codec wrote.
@Suite struct BMPTests {
  private static let colours: [[UInt8]] = [[10, 20, 30], [40, 50, 60], [70, 80, 90], [100, 110, 120]]
  private static let grays: [[UInt8]] = [[7, 7, 7], [200, 200, 200]]

  static let forms: [(name: String, file: BMPBuilder, format: PixelFormat, samples: [Int])] = [
    (
      "1 bit, gray colours", BMPBuilder(width: 3, bits: 1, palette: grays, pixels: [0b1010_0000, 0, 0, 0]),
      .gray8, [200, 7, 200]
    ),
    (
      "2 bits", BMPBuilder(width: 2, bits: 2, palette: colours, pixels: [0b11_01_0000, 0, 0, 0]),
      .rgb8, [120, 110, 100, 60, 50, 40]
    ),
    (
      "4 bits, few colours",
      BMPBuilder(width: 3, bits: 4, palette: colours, colourCount: 4, pixels: [0x21, 0x50, 0, 0]),
      .rgb8, [90, 80, 70, 60, 50, 40, 0, 0, 0]
    ),
    (
      "8 bits of OS/2",
      BMPBuilder(
        length: 12, width: 1, height: 2, bits: 8, palette: colours, pixels: [1, 0, 0, 0, 2, 0, 0, 0]),
      .rgb8, [90, 80, 70, 60, 50, 40]
    ),
    (
      "header of 16 bytes", BMPBuilder(length: 16, width: 1, height: 1, pixels: [1, 2, 3, 0]), .rgb8, [3, 2, 1]
    ),
    (
      "bottom row first", BMPBuilder(width: 1, height: 2, pixels: [1, 2, 3, 0, 4, 5, 6, 0]), .rgb8, [6, 5, 4, 3, 2, 1]
    ),
    ("top row first", BMPBuilder(width: 1, height: -2, pixels: [1, 2, 3, 0, 4, 5, 6, 0]), .rgb8, [3, 2, 1, 6, 5, 4]),
    ("last row without padding", BMPBuilder(width: 1, pixels: [1, 2, 3]), .rgb8, [3, 2, 1]),
    ("16 bits, 555", BMPBuilder(bits: 16, pixels: [0xff, 0x7f, 0x01, 0x80]), .rgb8, [255, 255, 255, 0, 0, 8]),
    (
      "16 bits, 565", BMPBuilder(bits: 16, compression: 3, masks: [0xf800, 0x7e0, 0x1f], pixels: [0, 0xf8, 0x20, 0]),
      .rgb8, [255, 0, 0, 0, 4, 0]
    ),
    (
      "16 bits, 4444 with four masks",
      BMPBuilder(width: 1, bits: 16, compression: 6, masks: [0xf00, 0xf0, 0xf, 0xf000], pixels: [0x3f, 0x71, 0, 0]),
      .rgba8, [17, 51, 255, 119]
    ),
    (
      "32 bits, fourth byte ignored", BMPBuilder(width: 1, bits: 32, pixels: [1, 2, 3, 4]), .rgb8, [3, 2, 1]
    ),
    (
      "32 bits with alpha",
      BMPBuilder(
        length: 108, width: 1, bits: 32, compression: 3, masks: [0xff_0000, 0xff00, 0xff, 0xff00_0000],
        pixels: [1, 2, 3, 4]), .rgba8, [3, 2, 1, 4]
    ),
    (
      "32 bits, other order",
      BMPBuilder(
        length: 56, width: 1, bits: 32, compression: 3, masks: [0xff, 0xff00, 0xff_0000, 0], pixels: [1, 2, 3, 4]),
      .rgb8, [1, 2, 3]
    ),
    (
      "10 bits become 16",
      BMPBuilder(
        width: 1, bits: 32, compression: 3, masks: [0x3ff0_0000, 0xffc00, 0x3ff],
        pixels: BMPBuilder.number(1_023 << 20 | 512 << 10 | 1)), PixelFormat(.u16, .rgb), [65_535, 32_800, 64]
    ),
    (
      "a field without bits",
      BMPBuilder(length: 52, width: 1, bits: 16, compression: 3, masks: [0xff00, 0, 0xff], pixels: [9, 8, 0, 0]),
      .rgb8, [8, 0, 9]
    ),
    (
      "RLE8",
      BMPBuilder(
        width: 4, height: 2, bits: 8, compression: 1, palette: grays,
        pixels: [2, 1, 1, 0, 0, 0, 0, 3, 1, 0, 1, 0, 1, 1, 0, 1]), .gray8, [200, 7, 200, 200, 200, 200, 7, 7]
    ),
    (
      "RLE8 that skips",
      BMPBuilder(
        width: 2, height: 3, bits: 8, compression: 1, palette: grays, pixels: [1, 1, 0, 2, 0, 2, 1, 1, 0, 1]),
      .gray8, [7, 200, 7, 7, 200, 7]
    ),
    (
      "RLE8, top row first, without an end",
      BMPBuilder(width: 2, height: -2, bits: 8, compression: 1, palette: grays, pixels: [2, 1, 0, 0, 2, 0]),
      .gray8, [200, 200, 7, 7]
    ),
    (
      "RLE4",
      BMPBuilder(
        width: 6, height: 1, bits: 4, compression: 2, palette: grays, pixels: [3, 0x10, 0, 3, 0x01, 0x10, 0, 1]),
      .gray8, [200, 7, 200, 7, 200, 200]
    ),
  ]

  /// ImageMagick's rows are filled up to four bytes, by runs or by pixels; the end of the last may be missing.
  static let filled: [(name: String, file: BMPBuilder, indices: [Int])] = [
    (
      "RLE8, a run beyond the width",
      BMPBuilder(
        width: 5, height: 2, bits: 8, compression: 1, palette: grays, pixels: [8, 1, 0, 0, 4, 0, 4, 1, 0, 0, 0, 1]),
      [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    ),
    (
      "RLE8, runs and pixels beyond the width",
      BMPBuilder(
        width: 5, height: 2, bits: 8, compression: 1, palette: grays,
        pixels: [5, 0, 2, 1, 1, 1, 0, 0, 0, 8, 1, 0, 1, 0, 1, 0, 1, 0]), [1, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    ),
    (
      "RLE4, a run beyond the width",
      BMPBuilder(
        width: 3, height: 2, bits: 4, compression: 2, palette: grays, pixels: [8, 0x10, 0, 0, 2, 0x01, 6, 0x11, 0, 1]),
      [0, 1, 1, 1, 0, 1]
    ),
  ]

  @Test(arguments: filled.indices)
  func filledRows(_ index: Int) throws {
    let row = Self.filled[index]
    let pixels = try FormatChecks.decoded(row.file.file)
    #expect(pixels.samples == row.indices.map { $0 == 0 ? 7 : 200 }, "\(row.name)")
  }

  @Test(arguments: forms.indices)
  func form(_ index: Int) throws {
    let row = Self.forms[index]
    let pixels = try FormatChecks.decoded(row.file.file)
    #expect(pixels.layout.format == row.format && pixels.samples == row.samples, "\(row.name)")
  }

  static let refusals: [(file: BMPBuilder, words: String)] = [
    (BMPBuilder(bits: 0, compression: 4), "a JPEG inside a BMP is not supported"),
    (BMPBuilder(bits: 0, compression: 5), "a PNG inside a BMP is not supported"),
    (BMPBuilder(length: 64, bits: 1, compression: 3), "Huffman coding in a BMP is not supported"),
    (BMPBuilder(length: 64, bits: 24, compression: 4), "RLE24 in a BMP is not supported"),
    (BMPBuilder(bits: 24, compression: 1), "damaged file (24 bits a pixel with compression 1)"),
    (BMPBuilder(bits: 7), "damaged file (7 bits a pixel with compression 0)"),
    (BMPBuilder(width: 0), "damaged file (invalid size 0x-1)"),
    (BMPBuilder(width: -5), "damaged file (invalid size -5x-1)"),
    (BMPBuilder(height: 0), "damaged file (invalid size 2x0)"),
    (BMPBuilder(width: 30_000, height: 30_000), "truncated file"),
    (BMPBuilder(width: 30_000, height: 30_000, bits: 8, compression: 1), "truncated file"),
    (BMPBuilder(width: 0x7fff_ffff, height: -0x8000_0000), "2147483647x2147483648 pixels are too many"),
    (BMPBuilder(width: 900_000, height: 900_000, bits: 1), "900000x900000 pixels are too many"),
    (
      BMPBuilder(width: 1, bits: 16, compression: 3, masks: [0xf0f0, 0, 0], pixels: [0, 0, 0, 0]),
      "damaged file (invalid bit fields)"
    ),
    (
      BMPBuilder(width: 1, bits: 16, compression: 3, masks: [0xff_0000, 0, 0], pixels: [0, 0, 0, 0]),
      "damaged file (invalid bit fields)"
    ),
    (
      BMPBuilder(width: 2, bits: 8, compression: 1, palette: grays, pixels: [5, 1, 0, 1]),
      "damaged file (a run is longer than its row)"
    ),
  ]

  @Test(arguments: refusals.indices)
  func refusal(_ index: Int) {
    #expect(FormatChecks.reason(Self.refusals[index].file.file) == Self.refusals[index].words)
  }

  @Test func pixelsInsideTheHeader() {
    var bytes = BMPBuilder(pixels: [1, 2, 3, 4, 5, 6, 0, 0]).file
    bytes[10] = 20
    #expect(FormatChecks.reason(bytes) == "damaged file (its pixels begin inside its header)")
  }

  /// Larger files of each kind, from random bytes.
  static func noise() -> [(name: String, bytes: [UInt8])] {
    var random = SplitMix(3)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random.below(256)) } }
    let palette = (0..<256).map { _ in bytes(3) }
    var runs: [UInt8] = []
    for row in 0..<40 {
      runs += [20, UInt8(row), 0, 5, 1, 2, 3, 4, 5, 0, 5, 9, 0, 2, 2, 0] + [8, 7, 0, 0]
    }
    var packed: [UInt8] = []
    for row in 0..<40 { packed += [21, UInt8(row), 0, 5, 0x12, 0x34, 0x50, 0, 14, 0x9a, 0, 0] }
    return [
      ("24", BMPBuilder(width: 41, height: 40, bits: 24, pixels: bytes(124 * 40)).file),
      ("4", BMPBuilder(width: 41, height: 40, bits: 4, palette: Array(palette[..<16]), pixels: bytes(24 * 40)).file),
      (
        "565",
        BMPBuilder(
          width: 41, height: -40, bits: 16, compression: 3, masks: [0xf800, 0x7e0, 0x1f], pixels: bytes(84 * 40)
        ).file
      ),
      (
        "RLE8",
        BMPBuilder(width: 40, height: 40, bits: 8, compression: 1, palette: palette, pixels: runs + [0, 1]).file
      ),
      (
        "RLE4",
        BMPBuilder(
          width: 40, height: 40, bits: 4, compression: 2, palette: Array(palette[..<16]), pixels: packed + [0, 1]
        ).file
      ),
    ]
  }

  @Test func regionsEqualThoseOfTheWhole() throws {
    for (name, bytes) in Self.noise() { try FormatChecks.checkRegion(bytes, name) }
  }

  @Test func truncatedFiles() throws {
    for (name, bytes) in Self.noise() { try FormatChecks.checkTruncation(bytes, name) }
  }

  @Test(arguments: 0..<5) func flippedBits(_ index: Int) throws {
    try FormatChecks.checkFlips(Self.noise()[index].bytes, headerByteCount: 66, runs: 600)
  }

  /// A file of several blocks of 64 KB, in both orders, and runs that are read backwards.
  @Test func filesOfManyBlocks() throws {
    let pixels = Pixels.waves(301, 411, .rgb8)
    let written = try encode(pixels, BMPCodec())
    #expect(try FormatChecks.decoded(written) == pixels)
    let stride = (301 * 3 + 3) & ~3
    var rows: [UInt8] = []
    for row in (0..<411).reversed() { rows += written[54 + row * stride..<54 + row * stride + stride] }
    let turned = BMPBuilder(width: 301, height: 411, bits: 24, pixels: rows).file
    #expect(try FormatChecks.decoded(turned) == pixels)
    var random = SplitMix(5)
    var runs: [UInt8] = []
    var indices: [[UInt8]] = []
    for _ in 0..<900 {
      let row: [UInt8] = (0..<200).map { _ in UInt8(random.below(256)) }
      indices.append(row)
      runs += [0, 200] + row + [0, 0]
    }
    let grays = (0...255).map { [UInt8](repeating: UInt8($0), count: 3) }
    let coded = BMPBuilder(width: 200, height: 900, bits: 8, compression: 1, palette: grays, pixels: runs + [0, 1]).file
    #expect(try FormatChecks.decoded(coded).bytes == indices.reversed().flatMap { $0 })
  }

  @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8])
  func written(_ format: PixelFormat) throws {
    let pixels = Pixels.waves(7, 21, format)
    let metadata = PictureMetadata(resolution: Resolution(horizontal: 300, vertical: 254))
    let bytes = try encode(pixels, BMPCodec(), metadata: metadata)
    #expect(try FormatChecks.decoded(bytes) == pixels)
    let resolution = try FormatChecks.header(bytes).metadata.resolution
    #expect(resolution == Resolution(horizontal: 11_811 * 0.0254, vertical: 254))
    #expect(try FormatChecks.endsProperly(bytes))
    #expect(try !FormatChecks.endsProperly(Array(bytes.dropLast(4))))
  }

  @Test func profilesAreCarried() throws {
    let profile = try PNGCodec().readHeader(Fixture.bytes("exif-icc.png")).metadata.iccProfile
    #expect(!profile.isEmpty)
    let bytes = try encode(.waves(5, 4, .rgb8), BMPCodec(), metadata: PictureMetadata(iccProfile: profile))
    let header = try FormatChecks.header(bytes)
    #expect(header.metadata.iccProfile == profile && !header.layout.format.hasAlpha)
    #expect(try FormatChecks.decoded(bytes) == .waves(5, 4, .rgb8))
  }

  @Test(arguments: [
    (PixelFormat(.u16, .gray), PixelFormat.gray8), (PixelFormat(.u8, .gray, alpha: true), .rgba8),
    (PixelFormat(.u16, .rgb, alpha: true), .rgba8),
  ])
  func encodedLayout(_ format: PixelFormat, _ expected: PixelFormat) {
    let layout = PictureLayout(width: 2, height: 3, format: format)
    #expect(BMPCodec().encodedLayout(for: layout) == layout.with(format: expected))
  }

  @Test func header() throws {
    let header = try FormatChecks.header(Self.noise()[3].bytes)
    #expect(header.codec == "bmp" && !header.isEmbeddable)
    #expect(
      header.details == [
        "bits": .integer(8), "colour": .text("palette"), "compression": .text("RLE8"), "transparency": .integer(0),
      ])
  }
}
