import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// The bytes that a file already holds: JPEGs in JPEG XL and back, JPEG and fax rows of TIFFs in books.
@Suite(.wholeRuns) struct StoredFormTests {
  private static let jpegs = Built.root + "/Tests/ImageCodecsTests/Fixtures/"
  private static let tiffs = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/tiff/"

  // MARK: JPEG XL

  @Test(arguments: ["baseline-420.jpg", "progressive-422.jpg", "exif-icc-444.jpg", "gray.jpg"], [false, true])
  func aJPEGComesBackByteForByte(_ name: String, _ isInProcess: Bool) throws {
    let folder = try Folder()
    try folder.copy(Self.jpegs + name, to: "a.jpg")
    let options = isInProcess ? ["--in-process"] : []
    for script in [
      "img.open(\"a.jpg\"):save(\"a.jxl\", { lossless = true, effort = 3 })",
      "img.open(\"a.jxl\", { orient = false }):save(\"b.jpg\")",
    ] {
      try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
      let outcome = try folder.imghost(["run"] + options + ["t.lua"])
      #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    }
    #expect(folder.bytes("b.jpg") == folder.bytes("a.jpg"))
    let info = try folder.imghost(["info", "--json", "a.jxl"])
    #expect(info.output.contains("\"jpeg\":\"restorable\""), "\(info)")
    if try SecondOpinions.run("djxl", [folder("a.jxl"), folder("c.jpg")]) != nil {
      #expect(folder.bytes("c.jpg") == folder.bytes("a.jpg"))
    }
  }

  /// A JPEG that lies on its side is kept, too: JPEG XL turns it as the JPEG's EXIF says.
  @Test func aTurnedJPEGIsKept() throws {
    let folder = try Folder()
    try folder.write("a.jpg", try Pixels.waves(60, 40).jpeg(90))
    try folder.write("t.jpg", turned(folder.bytes("a.jpg")))
    let outcome = try folder.run(
      "img.open(\"t.jpg\"):save(\"t.jxl\", { lossless = true })\nimg.open(\"t.jpg\"):save(\"jpg.png\")")
    outcome.expect(status: 0)
    let again = try folder.run(
      """
      img.open("t.jxl"):save("jxl.png")
      img.open("t.jxl", { orient = false }):save("t2.jpg")
      img.open("t.jxl"):save("t3.jpg")
      """)
    again.expect(status: 0)
    let (before, after) = (try Pixels(file: folder("jpg.png")), try Pixels(file: folder("jxl.png")))
    #expect(after.width == 40 && after.height == 60)
    #expect(before.width == after.width && zip(before.bytes, after.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 6 })
    #expect(folder.bytes("t2.jpg") == folder.bytes("t.jpg"))
    // As a copy of a JPEG is, it is turned by default.
    #expect(try Pixels(file: folder("t3.jpg")).width == 40)
  }

  /// Inserts EXIF that says orientation 6.
  private func turned(_ jpeg: [UInt8]) -> [UInt8] {
    let tiff: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let body = Array("Exif\0\0".utf8) + tiff
    return Array(jpeg[..<2]) + [0xff, 0xe1, 0, UInt8(body.count + 2)] + body + jpeg[2...]
  }

  /// What asks for other pixels or metadata is encoded.
  @Test(arguments: [
    ("img.open(\"a.jpg\"):flop():save(\"x.jxl\", { lossless = true })", false),
    ("img.open(\"a.jpg\"):save(\"x.jxl\", { lossless = true, metadata = \"all\" })", false),
    ("img.open(\"a.jpg\"):save(\"x.jxl\", { lossless = true, quality = 90 })", false),
    ("img.open(\"a.jpg\"):save(\"x.jxl\")", false),
    ("img.open(\"a.jpg\"):save(\"x.jxl\", { lossless = true })", true),
  ])
  func changedPicturesAreEncoded(_ script: String, _ isKept: Bool) throws {
    let folder = try Folder()
    try folder.write("a.jpg", try Pixels.waves(60, 40).jpeg(90))
    let outcome = try folder.run(script)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    let info = try folder.imghost(["info", "--json", "x.jxl"])
    #expect(info.output.contains("restorable") == isKept, "\(info)")
  }

  @Test(arguments: [
    "img.open(\"a.jxl\"):flop():save(\"x.jpg\")", "img.open(\"a.jxl\"):save(\"x.jpg\", { quality = 90 })",
    "img.open(\"a.jxl\"):save(\"x.jpg\", { metadata = \"all\" })",
    "img.open(\"a.jxl\"):save(\"x.jpg\", { max_bytes = \"2k\" })",
  ])
  func onlyAnUntouchedJPEGIsRestored(_ script: String) throws {
    let folder = try Folder()
    try folder.write("a.jpg", try Pixels.waves(60, 40).jpeg(90))
    _ = try folder.run("img.open(\"a.jpg\"):save(\"a.jxl\", { lossless = true })")
    let outcome = try folder.run(script)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    #expect(folder.exists("x.jpg") && folder.bytes("x.jpg") != folder.bytes("a.jpg"))
  }

  @Test(arguments: [
    ("arithmetic.jpg", "has arithmetic coding, which JPEG XL cannot keep unchanged"),
    ("cmyk-adobe.jpg", "holds CMYK, which JPEG XL cannot keep unchanged"),
  ])
  func otherJPEGsAreEncodedWithANote(_ name: String, _ reason: String) throws {
    let folder = try Folder()
    try folder.copy(Self.jpegs + name, to: "a.jpg")
    let outcome = try folder.run(
      "local p = img.open(\"a.jpg\")\np:save(\"a.jxl\", { lossless = true })\np:save(\"a.png\")")
    outcome.expect(status: 0)
    #expect(
      outcome.messages.map { $0.drop { $0 != " " } } == [
        " save: a.jpg: note: \(reason); its pixels are encoded without loss"
      ], "\(outcome)")
    let again = try folder.run("img.open(\"a.jxl\"):save(\"b.png\")")
    again.expect(status: 0)
    #expect(try Pixels(file: folder("a.png")).bytes == Pixels(file: folder("b.png")).bytes)
  }

  /// A damaged JPEG is named once, and nothing is written.
  @Test func aTruncatedJPEGIsAnError() throws {
    let folder = try Folder()
    try folder.write("a.jpg", Array(try Pixels.waves(160, 90).jpeg(90).dropLast(900)))
    let outcome = try folder.run("img.open(\"a.jpg\"):save(\"a.jxl\", { lossless = true })")
    #expect(outcome.status == 1 && !folder.exists("a.jxl"), "\(outcome)")
    #expect(outcome.messages.count == 1 && outcome.error.contains("a.jpg: truncated file"), "\(outcome)")
  }

  // MARK: Books

  private func images(_ folder: Folder, _ book: String) -> [String] {
    let text = String(decoding: folder.bytes(book), as: Unicode.ASCII.self)
    return text.components(separatedBy: "/Subtype/Image").dropFirst().map { part in
      String(part.components(separatedBy: "/Filter/")[1].prefix { $0.isLetter })
    }
  }

  @Test func aBookTakesTheJPEGOutOfAJXL() throws {
    let folder = try Folder()
    try folder.copy(Self.jpegs + "exif-icc-444.jpg", to: "a.jpg")
    _ = try folder.run("img.open(\"a.jpg\"):save(\"a.jxl\", { lossless = true })")
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.open("a.jxl"), { verify = true })
      img.book("lossless.pdf", img.open("a.jxl"), { verify = true, lossless = true })
      img.book("again.pdf", img.open("a.jxl"), { verify = true, reencode = true })
      """)
    outcome.expect(status: 0)
    let jpeg = Data(folder.bytes("a.jpg"))
    #expect(Data(folder.bytes("b.pdf")).range(of: jpeg) != nil)
    #expect(Data(folder.bytes("lossless.pdf")).range(of: jpeg) != nil)
    #expect(Data(folder.bytes("again.pdf")).range(of: jpeg) == nil)
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
  }

  private static let pages: [(name: String, filter: String)] = [
    ("fax_g4.tif", "CCITTFaxDecode"), ("fax_g4_lsb.tif", "CCITTFaxDecode"), ("fax_g4_strips.tif", "CCITTFaxDecode"),
    ("fax_g4_turned.tif", "CCITTFaxDecode"), ("fax_g3.tif", "CCITTFaxDecode"), ("fax_runs.tif", "CCITTFaxDecode"),
    ("jpeg_strip.tif", "DCTDecode"), ("jpeg_strips.tif", "DCTDecode"), ("jpeg_strips_turned.tif", "DCTDecode"),
    ("jpeg_rgb.tif", "DCTDecode"), ("jpeg_tiles.tif", "FlateDecode"), ("tiles.tif", "FlateDecode"),
  ]

  @Test(arguments: pages)
  func aBookTakesTheRowsOfATIFF(_ name: String, _ filter: String) throws {
    let folder = try Folder()
    try folder.copy(Self.tiffs + name, to: "a.tif")
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.open("a.tif"), { verify = true, lossless = true })
      img.book("flat.pdf", img.open("a.tif"), { verify = true, lossless = true, conformance = "pdf/a-1b" })
      img.open("a.tif", { orient = false }):save("a.png")
      """)
    #expect(outcome.status == 0 && outcome.messages.allSatisfy { !$0.contains("note:") }, "\(outcome)")
    #expect(images(folder, "b.pdf") == [filter])
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    try SecondOpinions.expectPDFA1b(folder("flat.pdf"))
    guard filter == "CCITTFaxDecode",
      try SecondOpinions.run("pdfimages", ["-png", folder("b.pdf"), folder("out")]) != nil
    else { return }
    // The picture that poppler extracts has the pixels of libtiff.
    let (before, after) = (try Pixels(file: folder("a.png")), try Pixels(file: folder("out-000.png")))
    #expect(before.width == after.width && before.bytes == after.bytes)
  }

  @Test func eachPageIsStored() throws {
    let folder = try Folder()
    try folder.copy(Self.tiffs + "fax_g4.tif", to: "a.tif")
    try folder.copy(Self.tiffs + "jpeg_strip.tif", to: "b.tif")
    guard try SecondOpinions.run("tiffcp", [folder("a.tif"), folder("b.tif"), folder("c.tif")]) != nil else { return }
    let outcome = try folder.run("img.book(\"b.pdf\", img.pages(\"c.tif\"), { verify = true })")
    outcome.expect(status: 0)
    #expect(images(folder, "b.pdf") == ["CCITTFaxDecode", "DCTDecode"])
  }

  /// Bytes that cannot be stored are decoded instead, and a note says so.
  @Test func damagedRowsAreEncodedWithANote() throws {
    let folder = try Folder()
    var bytes = [UInt8](FileManager.default.contents(atPath: Self.tiffs + "fax_g4.tif") ?? Data())
    // The middle of the only strip, which begins behind the header.
    for place in 60..<64 { bytes[place] = 0 }
    try folder.write("a.tif", bytes)
    let outcome = try folder.run(
      "img.book(\"b.pdf\", img.open(\"a.tif\"), { verify = true })", "--on-error", "continue")
    #expect(outcome.error.contains("a.tif: note: "), "\(outcome)")
    #expect(outcome.error.contains("; the page is encoded again"), "\(outcome)")
  }
}
