import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// All scripts in `Scripts` run on the sample photographs and produce what their first lines promise.
struct ScriptsTests {
  /// The number of files and the books that each script writes. A script that is missing here fails the test.
  static let expected: [String: (files: Int, books: [String])] = [
    "archive": (1, ["archive.pdf"]),
    "black-and-white": (7, ["black-and-white.pdf"]),
    "contact-sheet": (2, ["contact-sheet.pdf"]),
    "cover": (1, ["cover.pdf"]),
    "crisp": (6, []),
    "duotone": (6, []),
    "every-format": (7, ["every-format.pdf"]),
    "film-look": (6, []),
    "name-sheet": (1, ["name-sheet.pdf"]),
    "newsprint": (6, []),
    "photobook": (5, ["photobook.pdf"]),
    "proof": (2, ["proof/proof.pdf"]),
    "scans-to-pdf": (1, ["scans.pdf"]),
    "soft-edges": (6, []),
    "watermark": (6, []),
    "web-sizes": (16, []),
    "wedding-book": (2, ["wedding-pages.pdf", "wedding-album.pdf"]),
  ]

  static let scripts = Built.files(in: Built.scripts).filter { $0.hasSuffix(".lua") }

  @Test(arguments: sampled(scripts))
  func runs(_ script: String) throws {
    let name = String(script.dropLast(".lua".count))
    let expected = try #require(Self.expected[name], "what does \(script) write?")
    let folder = try Folder()
    let outcome = try folder.imghost("run", Built.scripts + "/" + script, seconds: 40)
    outcome.expect(status: 0)
    #expect(folder.temporaries == [])
    let files = folder.files
    #expect(files.count == expected.files, "\(files)")
    for file in files where !file.hasSuffix(".pdf") {
      let pixels = try Pixels(file: folder(file))
      #expect(pixels.width > 1 && pixels.height > 1, "\(file)")
    }
    for book in expected.books {
      let verified = try folder.imghost("verify", book)
      verified.expect(status: 0)
    }
  }

  /// Black and white is gray, skies keep their tones, and both can be asked for otherwise.
  @Test(.wholeRuns) func blackAndWhiteIsGray() throws {
    let folder = try Folder()
    try folder.makeFolder("in")
    // A sky that becomes lighter towards the horizon, and dark land.
    try folder.write(
      "in/a.png",
      try Pixels(60, 90, .rgb8) { _, y in y < 60 ? [UInt8(120 + y), UInt8(160 + y), 230] : [40, 60, 20] }.png())
    func print(_ settings: String...) throws -> Pixels {
      let words = settings.flatMap { ["--set", $0] }
      let outcome = try folder.imghost(
        ["run"] + words + [Built.scripts + "/black-and-white.lua", "in"], seconds: 40)
      outcome.expect(status: 0)
      return try Pixels(file: folder("black-and-white/01-a.jpg"))
    }
    // Prints are larger.
    func level(_ pixels: Pixels, _ y: Int) -> Int { Int(pixels[pixels.width / 2, y * pixels.height / 90][0]) }
    let plain = try print()
    #expect(plain[30, 10].allSatisfy { $0 == plain[30, 10][0] })
    #expect(level(plain, 55) < 255 && level(plain, 10) < level(plain, 55), "the sky is burned out")
    let burned = try print("sky=1")
    #expect(level(burned, 3) < level(plain, 3) - 40 && level(burned, 55) > level(burned, 3) + 20)
    let sepia = try print("tone=sepia")
    #expect(sepia[30, 30][0] > sepia[30, 30][2] + 8)
  }

  /// Scans of every kind are in the archive, and a folder with one that no book can have makes none in silence.
  @Test(.wholeRuns) func archivesLoseNoScan() throws {
    let folder = try Folder()
    try folder.makeFolder("scans")
    func scan(_ name: String, _ format: PixelFormat) throws {
      let waves = Pixels.waves(60, 40, format)
      let deep = PixelFormat(.u16, format.model, alpha: format.hasAlpha)
      let pixels = Pixels(60, 40, deep) { x, y in waves[x, y].flatMap { [$0, $0] } }
      try folder.write("scans/\(name).png", try waves.png())
      try folder.write("scans/\(name)-deep.png", try pixels.png())
    }
    try scan("1", .gray8)
    try scan("2", .rgb8)
    try scan("10", .rgba8)
    let outcome = try folder.imghost("run", Built.scripts + "/archive.lua", "scans", seconds: 40)
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines == [
        "pdf/a-2b, as 4 of 6 scans have 16 bits a sample, opacity or JPEG 2000, which pdf/a-1b cannot hold",
        "archive.pdf: 6 pages of 6 scans, verified",
      ], "\(outcome)")
    let strict = try folder.imghost(
      "run", "--set", "conformance=pdf/a-1b", Built.scripts + "/archive.lua", "scans", seconds: 40)
    #expect(strict.status != 0 && strict.error.contains("scans/2-deep.png"), "\(strict)")
    try folder.write("scans/3.tif", [0x49, 0x49, 42, 0, 8, 0, 0, 0])
    for script in ["archive.lua", "scans-to-pdf.lua"] {
      let outcome = try folder.imghost("run", Built.scripts + "/" + script, "scans", seconds: 40)
      outcome.expect(status: 1, error: "scans/3.tif")
    }
  }

  /// Scripts for scans take all pages of a TIFF.
  @Test(arguments: sampled([("archive", "archive"), ("scans-to-pdf", "scans"), ("every-format", "every-format")]))
  func takesAllPages(_ script: String, _ book: String) throws {
    let folder = try Folder()
    try folder.makeFolder("scans")
    try folder.write("scans/a.png", try Pixels.waves(60, 40).png())
    try folder.write("scans/b.png", try Pixels.waves(40, 60).png())
    let made = try folder.run("img.multipage(\"scans/c.tif\", img.glob(\"scans/*.png\"))")
    made.expect(status: 0)
    let outcome = try folder.imghost("run", Built.scripts + "/\(script).lua", "scans", seconds: 40)
    outcome.expect(status: 0, error: "\(book).pdf: 4 pages, verified")
  }

  /// Pictures that a script leaves out are named.
  @Test(arguments: sampled([("photobook.lua", 600), ("web-sizes.lua", 320)]))
  func namesWhatItLeavesOut(_ script: String, _ width: Int) throws {
    let folder = try Folder()
    try folder.makeFolder("mine")
    try folder.copy(Built.photos + "/rocket.jpg", to: "mine/big.jpg")
    try folder.write("mine/small.png", try Pixels.waves(300, 200).png())
    try folder.write("mine/other.heic", "")
    let outcome = try folder.imghost("run", Built.scripts + "/" + script, "mine", seconds: 40)
    outcome.expect(status: 0)
    #expect(
      outcome.error.contains(
        "glob: note: pictures of other formats beside the matches are left out: mine/other.heic"
      ), "\(outcome)")
    #expect(
      outcome.error.contains(
        "filter: note: left out, narrower than \(width) pixels: small.png"), "\(outcome)")
  }

  /// Each shows how to give it a folder of one's own.
  @Test(.thorough, arguments: scripts)
  func takesAFolder(_ script: String) throws {
    let folder = try Folder()
    try folder.makeFolder("mine")
    try folder.copy(Built.photos + "/rocket.jpg", to: "mine/one.jpg")
    let outcome = try folder.imghost("run", Built.scripts + "/" + script, "mine", seconds: 40)
    outcome.expect(status: 0)
    #expect(folder.files.count > 1)
  }

  /// One broken picture among good ones costs its own outputs, no others.
  @Test(.thorough, arguments: scripts)
  func survivesABrokenPicture(_ script: String) throws {
    let folder = try Folder()
    try folder.makeFolder("mine")
    for sample in ["rocket.jpg", "coffee.png", "retina.jpg"] {
      try folder.copy(Built.photos + "/" + sample, to: "mine/" + sample)
    }
    let whole = folder.bytes("mine/rocket.jpg")
    try folder.write("mine/cut.jpg", Array(whole.prefix(whole.count / 2)))
    try folder.write("mine/none.jpg", "")
    let outcome = try folder.imghost("run", "--on-error", "continue", Built.scripts + "/" + script, "mine", seconds: 40)
    outcome.expect(status: 1)
    #expect(outcome.error.contains("mine/none.jpg"), "\(outcome)")
    #expect(folder.temporaries == [])
    // All of its pictures are one, or one of its pictures is all it needs.
    if ["contact-sheet.lua", "cover.lua"].contains(script) { return }
    #expect(outcome.error.contains("mine/cut.jpg"), "\(outcome)")
    #expect(folder.files.contains { !$0.hasPrefix("mine/") }, "\(outcome)")
  }
}
