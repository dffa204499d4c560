import ImageCodecs
import PictureTestSupport
import TestSupport
import Testing

/// The meaning of TIFF samples if the file does not state it, or states it in an unusual way.
@Suite(.wholeRuns) struct TIFFMeaningTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/tiff/"

  /// Fax has white paper. The files state it; here the tag is renamed.
  @Test(arguments: ["fax_g4.tif", "fax_g3.tif", "fax_runs.tif"])
  func faxIsWhiteOnThePaper(_ name: String) throws {
    let folder = try Folder()
    try folder.copy(Self.fixtures + name, to: "a.tif")
    var bytes = folder.bytes("a.tif")
    let entry: [UInt8] = [6, 1, 3, 0, 1, 0, 0, 0]
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: entry) })
    #expect(bytes[place + 8] == 0)
    // JPEGProc, which nothing looks for.
    bytes.replaceSubrange(place..<place + 2, with: [7, 1])
    try folder.write("b.tif", bytes)
    let outcome = try folder.run(
      """
      img.open("a.tif"):save("a.png")
      img.open("b.tif"):save("b.png")
      img.book("b.pdf", img.open("b.tif"), { verify = true })
      """)
    outcome.expect(status: 0)
    #expect(try Pixels(file: folder("a.png")) == Pixels(file: folder("b.png")))
  }

  /// L* alone is gray: CIELAB, ICCLAB and ITULAB, whose L* is alike. The values are those of sRGB.
  @Test(arguments: [8, 9, 10])
  func lightnessAloneIsGray(_ photometric: Int) throws {
    let folder = try Folder()
    let samples: [UInt8] = [0, 13, 51, 102, 128, 153, 204, 255]
    try folder.write("a.tif", TIFFPage.file([TIFFPage(width: 8, height: 1, pixels: samples, photometric: photometric)]))
    let outcome = try folder.run("img.open('a.tif'):save('a.png')")
    outcome.expect(status: 0)
    // L* of 5.1, 20, 40, 50.2, 60 and 80.
    #expect(try Pixels(file: folder("a.png")).bytes == [0, 17, 48, 94, 119, 145, 198, 255])
  }

  @Test func lightnessOf16BitsIsGray() throws {
    let folder = try Folder()
    func pixels(_ samples: [Int]) -> [UInt8] { samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }
    // ICCLAB's 100 is 0xff00 (TIFF Technical Note 4).
    for (photometric, white) in [(8, 0xffff), (9, 0xff00)] {
      let page = TIFFPage(
        width: 3, height: 1, pixels: pixels([0, white / 2, white]), bits: 16, photometric: photometric)
      try folder.write("a.tif", TIFFPage.file([page]))
      let outcome = try folder.run("img.open('a.tif'):save('a.png', { bitdepth = 8 })")
      outcome.expect(status: 0)
      #expect(try Pixels(file: folder("a.png")).bytes == [0, 119, 255])
    }
  }

  /// A page beyond those that are read is refused by its number; the others are there.
  @Test func pagesBeyondTheLastAreNamed() throws {
    let folder = try Folder()
    try folder.write("a.tif", TinyFiles.tiff(pages: 65_537))
    let first = try folder.run("img.open('a.tif', { page = 65535 }):save('a.png')")
    first.expect(status: 0)
    for page in [65_536, 65_537] {
      let outcome = try folder.run("img.open('a.tif', { page = \(page) }):save('b.png')")
      #expect(outcome.status != 0 && outcome.error.contains("page \(page) is beyond"), "\(outcome)")
    }
  }

  /// `imghost info` says that there are more pages than are read, and counts reduced images as no pages.
  @Test func thereAreMorePagesThanAreRead() throws {
    let folder = try Folder()
    for (pages, words) in [(65_535, "65535"), (65_536, "more than 65535"), (65_600, "more than 65535")] {
      try folder.write("a.tif", TinyFiles.tiff(pages: pages))
      let info = try folder.imghost("info", "a.tif")
      let line = info.output.split(separator: "\n").first { $0.contains("pages") }
      let text = line.map { $0.drop { $0 != ":" && $0 != " " }.drop { $0 == ":" || $0 == " " } } ?? ""
      #expect(info.status == 0 && text.hasSuffix(words) && !info.output.contains("65536"), "\(pages): \(info)")
      if words.hasPrefix("more") { #expect(text.contains("more than"), "\(info)") }
      let json = try folder.imghost("info", "--json", "a.tif").output
      #expect(
        !json.contains("65536") && json.contains(words.hasPrefix("more") ? "\"more than 65535\"" : ":65535"), "\(json)")
    }
  }

  @Test(.thorough) func allPagesOfTooManyFail() throws {
    let folder = try Folder()
    try folder.write("a.tif", TinyFiles.tiff(pages: 65_536))
    let outcome = try folder.run("img.multipage('b.tif', img.pages('a.tif'))", seconds: 60)
    #expect(outcome.status != 0 && outcome.error.contains("65536"), "\(outcome)")
  }

  @Test func tooManyPagesAreNotWritten() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local one, all = img.canvas(1, 1), {}
      for index = 1, 65536 do all[index] = one end
      img.multipage("a.tif", img.list(all))
      """, seconds: 60)
    let words = "TIFF files hold at most 65535 pages, and there are 65536; page 65536 is too many"
    outcome.expect(status: 3, error: words)
  }
}
