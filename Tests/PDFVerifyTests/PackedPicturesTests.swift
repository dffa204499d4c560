import PDFTestSupport
import PDFVerify
import Testing

/// Pictures of few bits and of palettes, as PNG files bring them into a PDF.
@Suite struct PackedPicturesTests {
  /// A page with a picture of 13x7 pixels; bytes go as hexadecimal digits nowhere, so the file is made here.
  private static func file(_ space: String, bits: Int) -> [UInt8] {
    let rowBytes = (13 * bits + 7) / 8
    // Filter 2 (up) on every row: predictors work on packed bytes.
    let rows = (0..<7).flatMap { y -> [UInt8] in
      [2] + (0..<rowBytes).map { UInt8(truncatingIfNeeded: $0 * 37 + y * 11) }
    }
    let data = TestPNG.zlib(rows)
    var bytes: [UInt8] = []
    var offsets: [Int] = []
    func add(_ text: String) { bytes += Array(text.utf8) }
    func begin() {
      offsets.append(bytes.count)
      add("\(offsets.count) 0 obj\n")
    }
    add("%PDF-1.5\n")
    for object in [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 26 14]/Resources<</XObject<</P 5 0 R>>>>/Contents 4 0 R>>",
      "<</Length 26>>stream\nq 26 0 0 14 0 0 cm /P Do Q\nendstream",
    ] {
      begin()
      add(object + "\nendobj\n")
    }
    begin()
    add("<</Subtype/Image/Width 13/Height 7/BitsPerComponent \(bits)/ColorSpace\(space)")
    add("/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 13/BitsPerComponent \(bits)>>")
    add("/Length \(data.count)>>stream\n")
    bytes += data
    add("\nendstream\nendobj\n")
    let start = bytes.count
    add("xref\n0 6\n0000000000 65535 f \n")
    for offset in offsets {
      let digits = String(offset)
      add(String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n")
    }
    add("trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n")
    return bytes
  }

  private static func palette(_ count: Int) -> String {
    let digits = Array("0123456789abcdef")
    let colours = (0..<count * 3).map { index -> String in
      let value = index * 89 % 256
      return String([digits[value / 16], digits[value % 16]])
    }
    return "[/Indexed/DeviceRGB \(count - 1)<\(colours.joined())>]"
  }

  static let pictures: [(String, Int)] = [
    ("/DeviceGray", 1), ("/DeviceGray", 2), ("/DeviceGray", 4), (palette(2), 1), (palette(4), 2),
    (palette(16), 4), (palette(256), 8), ("[/Indexed/DeviceGray 3(\\000\\125a\\377)]", 2),
  ]

  @Test(arguments: PackedPicturesTests.pictures) func areEqual(space: String, bits: Int) throws {
    let book = try TestBook([TestPicture(1, width: 8, height: 8)])
    let report = try book.verify(Self.file(space, bits: bits), expecting: false)
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  @Test func shortPalettesAreNamed() throws {
    let book = try TestBook([TestPicture(1, width: 8, height: 8)])
    let report = try book.verify(Self.file(Self.palette(5), bits: 8), expecting: false)
    #expect(
      report.lines.contains(
        "1: error: picture 1 cannot be decoded: it uses colours that its palette does not have"))
  }
}
