import BookExpectations
import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

@Suite struct PictureTests {
  /// The places of the stored picture's top left and top right corners.
  static let corners: [(Orientation, [Double], [Double])] = [
    (.upright, [0, 1], [1, 1]), (.mirrored, [1, 1], [0, 1]), (.rotated180, [1, 0], [0, 0]),
    (.flipped, [0, 0], [1, 0]), (.transposed, [0, 1], [0, 0]), (.rotated90, [1, 1], [1, 0]),
    (.transversed, [1, 0], [1, 1]), (.rotated270, [0, 0], [0, 1]),
  ]

  @Test(arguments: PictureTests.corners)
  func orientationMatrices(orientation: Orientation, topLeft: [Double], topRight: [Double]) {
    let m = AffineMatrix(orientation, left: 10, bottom: 20, width: 30, height: 40)
    func map(_ x: Double, _ y: Double) -> [Double] {
      [(m.a * x + m.c * y + m.e - 10) / 30, (m.b * x + m.d * y + m.f - 20) / 40]
    }
    #expect(map(0, 1) == topLeft)
    #expect(map(1, 1) == topRight)
  }

  @Test func jpegsThatReadersShowBlankAreRefused() throws {
    var jpeg = TestPicture(1).jpeg()
    let frame = jpeg.indices.first { jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xc0 }!
    var twelve = jpeg
    twelve[frame + 4] = 12
    #expect(throws: JPEGFault.precision(bits: 12)) { try PDFPicture(jpeg: twelve) }
    var arithmetic = jpeg
    arithmetic[frame + 1] = 0xc9
    #expect(throws: JPEGFault.arithmeticCoding) { try PDFPicture(jpeg: arithmetic) }
    #expect(throws: JPEGFault.truncated) { try PDFPicture(jpeg: Array(jpeg[..<(frame + 3)])) }
    #expect(throws: JPEGFault.notAJPEG) { try PDFPicture(jpeg: []) }
    jpeg.removeFirst()
    #expect(throws: JPEGFault.notAJPEG) { try PDFPicture(jpeg: jpeg) }
  }

  /// PNG files whose IDAT chunks do not follow one another: readers show half of them or nothing, and `save`
  /// refuses them.
  @Test func pngDataFollowsOneAnother() throws {
    let folder = TestFolder()
    func facts(_ png: TestPNG) throws -> PNGStructure {
      try PNGStructure(InputFile(path: folder.write(png.bytes, as: "a.png")))
    }
    var png = TestPNG(width: 9, height: 7)
    #expect(try facts(png).data.count == 2)
    png.between = [("IDAT", []), ("IDAT", [])]
    #expect(try facts(png).data.count == 2)
    png.between = [("tEXt", Array("Comment\0a".utf8))]
    let second = 33 + 12 + (7 * 10 + 11) / 2 + 12 + 9
    #expect(throws: PNGFault.interrupted(offset: second)) { try facts(png) }
  }

  /// A mask that is fully opaque is not stored, and PDF/A-1 takes the picture.
  @Test(arguments: [PixelFormat.rgba8, PixelFormat(.u8, .gray, alpha: true)], [UInt8(255), 254])
  func fullOpacity(format: PixelFormat, alpha: UInt8) throws {
    let layout = PictureLayout(width: 5, height: 3, format: format)
    let encoder = FlateEncoder(layout)
    var rows = [UInt8](repeating: 255, count: layout.byteCount)
    rows[rows.count - 1] = alpha
    try rows.withUnsafeBytes {
      try encoder.write(3, from: $0.baseAddress!, stride: layout.rowByteCount)
    }
    try encoder.finish()
    #expect((encoder.picture.mask == nil) == (alpha == 255))
  }

  @Test func profilesMustFit() throws {
    var profile = [UInt8](repeating: 0, count: 200)
    profile.replaceSubrange(36..<40, with: Array("acsp".utf8))
    profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    let gray = try PDFPicture(jpeg: TestPicture(1, components: 1).jpeg(), iccProfile: profile)
    #expect(gray.iccProfile.isEmpty)
    let colour = try PDFPicture(jpeg: TestPicture(1).jpeg(), iccProfile: profile)
    #expect(colour.iccProfile == profile)
  }

  static let captions: [(String, [UInt8])] = [
    ("abc", [0x61, 0x62, 0x63]), ("é", [0xe9]), ("e\u{301}", [0xe9]), ("–€", [0x96, 0x80]),
    ("S\u{30c}", [0x8a]), ("\u{a0}", [0xa0]),
  ]

  @Test(arguments: PictureTests.captions) func winAnsi(text: String, bytes: [UInt8]) throws {
    #expect(try WinAnsi.bytes(text) == bytes)
  }

  @Test(arguments: ["\u{7}", "ж", "a\u{301}\u{302}", "\r\n", "👍"])
  func notWinAnsi(text: String) { #expect(throws: PDFError.self) { try WinAnsi.bytes(text) } }

  static let numbers: [(Double, String)] = [
    (0, "0"), (1, "1"), (-1.5, "-1.5"), (595.275_59, "595.2756"), (0.000_04, "0"),
    (-0.000_04, "0"), (0.012_3, "0.0123"), (1e9, "1000000000"),
  ]

  @Test(arguments: PictureTests.numbers) func numberTable(value: Double, text: String) {
    #expect(PDFNumber.text(value) == text)
  }
}
