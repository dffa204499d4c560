import Foundation
import ImageCodecs
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Pictures of one bit a pixel, and the option `bitdepth`.
struct TwoLevelTests {
  /// Lines and blots of gray, for a threshold.
  private static var scan: Pixels {
    Pixels(203, 157, .gray8) { (x: Int, y: Int) -> [UInt8] in
      let isStroke = y % 12 < 3 && (x / 5 + y) % 7 < 4
      let isBlot = (x - 150) * (x - 150) + y * y < 2_000
      return [isStroke ? UInt8(x % 90) : isBlot ? 90 : UInt8(200 + x % 50)]
    }
  }

  private func facts(_ folder: Folder, _ file: String) throws -> String {
    try folder.imghost(["info", "--json", file]).output
  }

  @Test(
    arguments: sampled([
      ("compression = 'g4'", "fax_g4"), ("compression = 'ccittfax4', bitdepth = 1", "fax_g4"),
      ("bitdepth = 1", "deflate"), ("bitdepth = '1', compression = 'lzw'", "lzw"),
      ("bitdepth = 1, compression = 'none'", "none"), ("bitdepth = 1, compression = 'packbits'", "packbits"),
      ("bitdepth = 1, compression = 'zstd'", "zstd"),
    ]))
  func oneBitIsWrittenWithoutLoss(_ options: String, _ compression: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Self.scan.png())
    let outcome = try folder.run(
      """
      local two = img.open("a.png"):threshold(128)
      two:save("two.png")
      two:save("a.tif", { \(options) })
      -- Grays are split at 128.
      img.open("a.png"):save("b.tif", { \(options) })
      img.multipage("c.tif", img.list{ two, two }, { \(options) })
      """)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    let again = try folder.run(
      """
      img.open("a.tif"):save("a2.png")
      img.open("b.tif"):save("b2.png")
      img.open("c.tif", { page = 2 }):save("c2.png")
      """)
    again.expect(status: 0)
    let info = try facts(folder, "a.tif")
    #expect(info.contains("\"compression\":\"\(compression)\"") && info.contains("\"bits\":1"), "\(info)")
    let expected = try Pixels(file: folder("two.png"))
    for name in ["a2.png", "b2.png", "c2.png"] { #expect(try Pixels(file: folder(name)) == expected, "\(name)") }
  }

  @Test(arguments: [
    ("compression = 'g4', bitdepth = 8", "compression 'g4' holds 1 bit, not 8; leave out 'bitdepth'"),
    ("compression = 'ccittfax4', bitdepth = 16", "compression 'ccittfax4' holds 1 bit, not 16; leave out 'bitdepth'"),
    ("bitdepth = 2", "'bitdepth' cannot be '2'"), ("bitdepth = true", "bitdepth"),
  ])
  func wrongOptionsAreMistakes(_ options: String, _ words: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Self.scan.png())
    let outcome = try folder.run("img.open('a.png'):save('a.tif', { \(options) })")
    #expect(outcome.status == 3 && outcome.error.contains(words) && !folder.exists("a.tif"), "\(outcome)")
  }

  @Test(arguments: [
    (PixelFormat.rgb8, "compression = 'g4'", "compression = \"g4\" holds black and white; use threshold() first"),
    (.rgba8, "bitdepth = 1", "bitdepth = 1 holds black and white; use flatten() and threshold() first"),
  ])
  func coloursAreRefusedBeforeTheyAreDecoded(_ format: PixelFormat, _ options: String, _ words: String) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(30, 20, format).png())
    for script in [
      "img.open('a.png'):save('a.tif', { \(options) })", "img.multipage('a.tif', img.open('a.png'), { \(options) })",
    ] {
      let outcome = try folder.run(script)
      #expect(outcome.status != 0 && outcome.error.contains(words) && !folder.exists("a.tif"), "\(outcome)")
    }
  }

  /// Every format that holds 8 and 16 bits, with rounding to the nearest.
  @Test(arguments: sampled(["png", "tif", "jp2", "jxl", "ppm", "pam"]))
  func sixteenBitsBecomeEight(_ format: String) throws {
    let folder = try Folder()
    let samples = (0..<600).map { UInt16(truncatingIfNeeded: $0 * 40_503) }
    let pam =
      Array("P7\nWIDTH 20\nHEIGHT 10\nDEPTH 3\nMAXVAL 65535\nTUPLTYPE RGB\nENDHDR\n".utf8)
      + samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    try folder.write("a.pam", pam)
    let lossless = ["jp2", "jxl"].contains(format) ? ", lossless = true" : ""
    let outcome = try folder.run(
      """
      img.open("a.pam"):save("eight.\(format)", { bitdepth = 8\(lossless) })
      img.open("a.pam"):save("auto.\(format)", { bitdepth = "auto"\(lossless) })
      """)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    #expect(try facts(folder, "eight.\(format)").contains("\"bits\":8"))
    #expect(try facts(folder, "auto.\(format)").contains("\"bits\":16"))
    let again = try folder.run("img.open('eight.\(format)'):save('again.png')")
    again.expect(status: 0)
    #expect(try Pixels(file: folder("again.png")).bytes == samples.map { UInt8((Int($0) + 128) / 257) })
  }

  // MARK: Books

  /// The dictionaries of a book's pictures, from the filter on.
  private func filters(_ folder: Folder, _ book: String) -> [String] {
    let text = String(decoding: folder.bytes(book), as: Unicode.ASCII.self)
    return text.components(separatedBy: "/Subtype/Image").dropFirst().map { part in
      String(part.components(separatedBy: "/Filter/")[1].prefix { $0 != ">" })
    }
  }

  @Test func twoLevelsBecomeGroup4() throws {
    let folder = try Folder()
    try folder.write("a.png", Self.scan.png())
    let outcome = try folder.run(
      """
      local two = img.open("a.png"):threshold(128)
      two:save("two.png")
      img.book("b.pdf", two, { lossless = true, verify = true, dpi = 72 })
      img.book("plain.pdf", two)
      img.book("jpeg.pdf", two, { reencode = true })
      """)
    outcome.expect(status: 0)
    #expect(filters(folder, "b.pdf") == ["CCITTFaxDecode/DecodeParms<</K -1/Columns 203/Rows 157"])
    #expect(filters(folder, "plain.pdf") == filters(folder, "b.pdf"))
    #expect(filters(folder, "jpeg.pdf").first?.hasPrefix("DCTDecode") == true)
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    let expected = try Pixels(file: folder("two.png"))
    for (program, arguments) in [
      ("pdftocairo", ["-r", "72", "-gray", "-png", "-singlefile", folder("b.pdf"), folder("page")]),
      ("mutool", ["draw", "-q", "-r", "72", "-c", "gray", "-o", folder("page.png"), folder("b.pdf")]),
      (
        "gs",
        [
          "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pnggray", "-r72", "-o", folder("page.png"),
          folder("b.pdf"),
        ]
      ),
    ] {
      guard try SecondOpinions.run(program, arguments) != nil else { continue }
      #expect(try Pixels(file: folder("page.png")).bytes == expected.bytes, "\(program)")
    }
  }

  /// A dithered picture has runs of a pixel, and a page with one gray pixel is gray.
  @Test func otherPagesAreFlate() throws {
    let folder = try Folder()
    try folder.write("dither.png", Pixels(200, 150, .gray8) { x, y in [(x ^ y) & 1 == 0 ? 0 : 255] }.png())
    try folder.write(
      "gray.png", Pixels(200, 150, .gray8) { x, y in [y < 20 ? 0 : x == 199 && y == 149 ? 7 : 255] }.png())
    for (name, bits) in [("dither", 1), ("gray", 8)] {
      let outcome = try folder.run(
        """
        local picture = img.open("\(name).png"):flop()
        img.book("\(name).pdf", picture, { lossless = true, verify = true })
        """)
      outcome.expect(status: 0)
      let filter = filters(folder, "\(name).pdf").first ?? ""
      #expect(filter.hasPrefix("FlateDecode") && filter.contains("/BitsPerComponent \(bits)/"), "\(filter)")
    }
  }
}
