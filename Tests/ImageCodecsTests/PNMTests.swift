import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// Netpbm files made by hand, after pbm(5), pgm(5), ppm(5), pam(5) and pfm(5), and files that the codecs wrote.
@Suite struct PNMTests {
  /// The bytes of floats.
  private static func floats(_ values: [Float], isLittleEndian: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values {
      let number = BMPBuilder.number(Int(value.bitPattern))
      bytes += isLittleEndian ? number : number.reversed()
    }
    return bytes
  }

  private static func file(_ header: String, _ pixels: [UInt8] = []) -> [UInt8] { Array(header.utf8) + pixels }

  private static let gray16 = PixelFormat(.u16, .gray)

  static let forms: [(name: String, file: [UInt8], format: PixelFormat, samples: [Int])] = [
    ("P1", file("P1\n# two\n2 2\n1 0\n01"), .gray8, [0, 255, 255, 0]),
    ("P2", file("P2 3 1 10 0 5 # half\n10"), .gray8, [0, 128, 255]),
    ("P2, 16 bits", file("P2\n2 1\n1023\n512 1023\n"), gray16, [32_800, 65_535]),
    ("P3", file("P3\n1 1\n255\n1 2\n3"), .rgb8, [1, 2, 3]),
    (
      "P4", file("P4\n10 2\n", [0xf0, 0x40, 0, 0x80]), .gray8,
      [0, 0, 0, 0] + [255, 255, 255, 255, 255, 0]
        + [255, 255, 255, 255, 255, 255, 255, 255, 0, 255]
    ),
    ("P5", file("P5\n2 1\n255\n", [7, 9]), .gray8, [7, 9]),
    ("P5, a comment ends the header", file("P5#a\n2#b\n1 255#c\n", [7, 35]), .gray8, [7, 35]),
    ("P5, white space among pixels", file("P5 2 1 255 ", [10, 35]), .gray8, [10, 35]),
    ("P5, 4 bits", file("P5 3 1 15 ", [0, 7, 15]), .gray8, [0, 119, 255]),
    ("P5, 10 bits", file("P5 2 1 1023 ", [2, 0, 3, 255]), gray16, [32_800, 65_535]),
    ("P6", file("P6 1 2 255\n", [1, 2, 3, 4, 5, 6]), .rgb8, [1, 2, 3, 4, 5, 6]),
    ("P6, 16 bits", file("P6 1 1 65535\n", [1, 2, 3, 4, 5, 6]), PixelFormat(.u16, .rgb), [258, 772, 1_286]),
    (
      "P7", file("P7\nWIDTH 1\nHEIGHT 1\n# c\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", [1, 2, 3, 4]),
      .rgba8, [1, 2, 3, 4]
    ),
    (
      "P7, white is 1",
      file("P7\nDEPTH 2\nWIDTH 2\nHEIGHT 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE_ALPHA\nENDHDR\n", [1, 1, 0, 0]),
      PixelFormat(.u8, .gray, alpha: true), [255, 255, 0, 0]
    ),
    (
      "Pf", file("Pf\n1 2\n-1.0\n", floats([0.5, 2], isLittleEndian: true)), gray16, [65_535, 32_768]
    ),
    (
      "PF", file("PF\n1 1\n1.0\n", floats([-1, .nan, 0.25], isLittleEndian: false)), PixelFormat(.u16, .rgb),
      [0, 0, 16_384]
    ),
  ]

  @Test(arguments: forms.indices)
  func form(_ index: Int) throws {
    let row = Self.forms[index]
    let pixels = try FormatChecks.decoded(row.file)
    #expect(pixels.layout.format == row.format && pixels.samples == row.samples, "\(row.name)")
    #expect(try FormatChecks.header(row.file).codec == (row.name.hasPrefix("P7") ? "pam" : "pnm"))
  }

  @Test(arguments: [
    ("P5 2 1 255\n1", "truncated file"), ("P2 2 1 255\n1", "truncated file"), ("P1 2 1 \n1", "truncated file"),
    ("P5 60000 60000 255 ", "truncated file"), ("P1 60000 60000 1", "truncated file"),
    ("P5 2000000 1 255 ", "2000000x1 pixels are too many"),
    ("P5 900000 900000 255 ", "900000x900000 pixels are too many"),
    ("P2 2 1 255\n1 256", "damaged file (a sample is larger than the file's maximum)"),
    ("P5 1 1 31 !", "damaged file (a sample is larger than the file's maximum)"),
    ("P2 2 1 255\n1 -2", "damaged file (it has a word instead of a number)"),
    ("P1 2 1 11\n2", "nothing"), ("P1 2 1 1\n2", "damaged file (it has a word instead of a number)"),
    ("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\n12345", "a PAM with 5 bands is not supported"),
    (
      "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n1234",
      "a PAM of other pixels than gray and RGB is not supported"
    ),
    ("P7\nWIDTH 1\nHEIGHT 0\nDEPTH 4\nMAXVAL 255\nENDHDR\n1234", "damaged file (invalid size 1x0)"),
    ("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 70000\nENDHDR\n1", "damaged file (a largest sample of 70000)"),
    ("P7\nWIDTH 1\nHEIGHT 1\nBREADTH 4\n", "damaged file (invalid header)"),
    ("P7\nWIDTH 1\nHEIGHT 1\n", "truncated file"),
  ])
  func refusal(_ content: String, _ words: String) { #expect(FormatChecks.reason(Array(content.utf8)) == words) }

  @Test(arguments: [
    ("P6\n2 2\n255\n", "pnm"), ("P5 2 2 255\n", "pnm"), ("P1#c\n1 1\n0", "pnm"), ("P7\nWIDTH 1\n", "pam"),
    ("Pf\n1 1\n-1.0\n", "pnm"), ("P1\n2 2\n0110", "pnm"), ("P4 8 1 ", "pnm"),
    ("P5 # a comment of more than 16 bytes\n2 2 255 ", "pnm"),
    ("P60", nil), ("PM\n", nil), ("P3 is good", nil), ("P5 2 people", nil), ("P1 10 20 times", nil),
    ("P7 is the last", nil), ("P7\nand more", nil), ("Pf 3 4 many", nil), ("P2\n0 2\n255\n", nil), ("P6\n2 2\n", nil),
  ])
  func recognised(_ content: String, _ name: String?) throws {
    try withTemporaryFile(Array(content.utf8)) { path in
      let file = try InputFile(path: path)
      #expect((try? CodecList.recognise(file))?.name == name)
    }
  }

  /// Larger files of each kind, from random numbers.
  static let noise: [(name: String, bytes: [UInt8])] = {
    var random = SplitMix(3)
    func bytes(_ count: Int, below bound: Int = 256) -> [UInt8] { (0..<count).map { _ in UInt8(random.below(bound)) } }
    func text(_ count: Int, below bound: Int, _ separator: String) -> String {
      (0..<count).map { _ in "\(random.below(bound))" }.joined(separator: separator)
    }
    return [
      ("P1", file("P1 31 40\n" + text(31 * 40, below: 2, ""))),
      ("P3", file("P3 31 40 99\n" + text(31 * 40 * 3, below: 100, "\n"))),
      ("P4", file("P4 131 40 ", bytes(17 * 40))),
      (
        "P5",
        file("P5 31 40 700 ", bytes(2 * 31 * 40).enumerated().map { $0.offset & 1 == 0 ? $0.element & 1 : $0.element })
      ),
      ("P6", file("P6 31 40 255 ", bytes(31 * 40 * 3))),
      ("P7", file("P7\nWIDTH 31\nHEIGHT 40\nDEPTH 2\nMAXVAL 20\nENDHDR\n", bytes(31 * 40 * 2, below: 21))),
      ("PF", file("PF 31 40 -1\n", floats((0..<31 * 40 * 3).map { Float($0) / 3_000 }, isLittleEndian: true))),
    ]
  }()

  @Test(arguments: noise.indices) func hostileVariants(_ index: Int) throws {
    let (name, bytes) = Self.noise[index]
    try FormatChecks.checkRegion(bytes, name)
    try FormatChecks.checkTruncation(bytes, name)
    try FormatChecks.checkFlips(bytes, headerByteCount: 14, runs: 430)
  }

  @Test func picturesOneAfterAnotherArePages() throws {
    let bytes =
      Self.file("P5 1 1 255 ", [1]) + Self.file("P6 1 2 255 ", [1, 2, 3, 4, 5, 6])
      + Self.file("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nENDHDR\n", [8, 9])
    #expect(try FormatChecks.header(bytes).pageCount == 3)
    #expect(try FormatChecks.header(bytes + Self.file("\n")).pageCount == 3)
    let second = try FormatChecks.header(bytes, PageSelection(page: 2))
    #expect(
      second.layout == PictureLayout(width: 1, height: 2, format: .rgb8) && second.details["pages"] == .integer(3))
    for (page, samples) in [(1, [1]), (2, [1, 2, 3, 4, 5, 6]), (3, [8, 9])] {
      let options = DecodeOptions(selection: PageSelection(page: page))
      #expect(try FormatChecks.decoded(bytes, options).samples == samples)
    }
    #expect(throws: PictureError.codec(.noPage(4, count: 3))) {
      _ = try FormatChecks.header(bytes, PageSelection(page: 4))
    }
    #expect(try FormatChecks.endsProperly(bytes) && !FormatChecks.endsProperly(Array(bytes.dropLast())))
  }

  @Test func tinyPagesWithoutEnd() throws {
    let start = ContinuousClock.now
    let bytes = (0..<30_000).flatMap { _ in Self.file("P4 1 1 ", [0]) }
    #expect(try FormatChecks.header(bytes).pageCount == 10_000)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  static let layouts: [(PNMCodec, PixelFormat, String)] = [
    (PNMCodec(.anymap), .gray8, "P5\n9 4\n255\n"), (PNMCodec(.anymap), PixelFormat(.u16, .rgb), "P6\n9 4\n65535\n"),
    (
      PNMCodec(.arbitrary), PixelFormat(.u16, .gray, alpha: true),
      "P7\nWIDTH 9\nHEIGHT 4\nDEPTH 2\nMAXVAL 65535\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n"
    ),
    (
      PNMCodec(.arbitrary), .rgb8, "P7\nWIDTH 9\nHEIGHT 4\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n"
    ),
  ]

  @Test(arguments: layouts.indices)
  func written(_ index: Int) throws {
    let (codec, format, header) = Self.layouts[index]
    let pixels = Pixels.waves(9, 4, format)
    let bytes = try encode(pixels, codec)
    #expect(bytes.starts(with: header.utf8) && bytes.count == header.utf8.count + pixels.bytes.count)
    #expect(try FormatChecks.decoded(bytes) == pixels && FormatChecks.endsProperly(bytes))
    #expect(codec.encodedLayout(for: pixels.layout) == pixels.layout)
  }

  @Test func alphaNeedsPAM() {
    let layout = PictureLayout(width: 1, height: 1, format: .rgba8)
    #expect(PNMCodec(.anymap).encodedLayout(for: layout).format == .rgb8)
    #expect(CodecList.codec(forExtension: "ppm")?.name == "pnm" && CodecList.codec(forExtension: "PAM")?.name == "pam")
  }
}
