import Foundation
import PictureTestSupport
import Testing

/// Files whose own compressed pixels go into a book.
struct EmbeddingTests {
  private func compressedData(_ png: [UInt8]) -> [UInt8] {
    var data: [UInt8] = []
    var offset = 8
    while offset + 12 <= png.count {
      let length = png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      if png[offset + 4..<offset + 8].elementsEqual("IDAT".utf8) {
        data += png[offset + 8..<offset + 8 + length]
      }
      offset += 12 + length
    }
    return data
  }

  @Test(arguments: [
    ("rgb", ":resize(60, 40)", "", true),
    ("gray", ":resize(60, 40):grayscale()", "", true),
    ("palette", ":resize(60, 40):grayscale()", "palette = true", true),
    ("interlaced", ":resize(60, 40)", "interlaced = true", false),
  ])
  func pngDataIsTakenOver(name: String, steps: String, options: String, isCopy: Bool) throws {
    let folder = try Folder()
    let made = try folder.run("img.open(\"\(Built.photos)/coffee.png\")\(steps):save(\"\(name).png\", { \(options) })")
    made.expect(status: 0)
    let outcome = try folder.run("img.book(\"b.pdf\", img.glob(\"*.png\"), { dpi = 72, verify = true })")
    outcome.expect(status: 0)
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    let data = Data(compressedData(folder.bytes(name + ".png")))
    #expect((Data(folder.bytes("b.pdf")).range(of: data) != nil) == isCopy)
    // The picture that poppler extracts from the book has the file's pixels.
    guard try SecondOpinions.run("pdfimages", ["-png", folder("b.pdf"), folder("out")]) != nil
    else { return }
    let (before, after) = (try Pixels(file: folder(name + ".png")), try Pixels(file: folder("out-000.png")))
    #expect(before.width == after.width && before.height == after.height)
    if before.bands == after.bands { #expect(before.bytes == after.bytes) }
  }

  @Test func jpeg2000IsStoredAsItIs() throws {
    let folder = try Folder()
    // A JPEG 2000 codestream of 1x1 pixels: SIZ says 8 bits, gray. No reader need decode it here.
    let size: [UInt8] =
      [0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0] + [0, 0, 0, 30, 0, 0, 0, 20] + [0, 0, 0, 0, 0, 0, 0, 0]
      + [0, 0, 0, 30, 0, 0, 0, 20] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 1, 7, 1, 1]
    try folder.write("a.j2k", size + [0xff, 0xd9])
    let outcome = try folder.run("img.book(\"b.pdf\", img.open(\"a.j2k\"), { dpi = 72 })")
    outcome.expect(status: 0)
    let text = String(decoding: folder.bytes("b.pdf"), as: Unicode.ASCII.self)
    #expect(text.contains("/Width 30/Height 20/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/JPXDecode"))
    #expect(text.contains("/Version/1.5") && text.contains("/MediaBox[0 0 30 20]"))
    #expect(Data(folder.bytes("b.pdf")).range(of: Data(folder.bytes("a.j2k"))) != nil)
    // Its pixels are missing, which is found out where they are needed.
    let decoded = try folder.run("img.open(\"a.j2k\"):save(\"c.jpg\")")
    decoded.expect(status: 1, error: "a.j2k: ")
    #expect(!folder.files.contains("c.jpg"))
    try folder.write("cut.j2k", Array(size.prefix(30)))
    let cut = try folder.run("img.book(\"b.pdf\", img.open(\"cut.j2k\"))")
    #expect(cut.status != 0 && cut.error.contains("cut.j2k: ends before its pixels"), "\(cut)")
  }

  /// Four components that the file does not name are RGB with alpha, which a PDF does not take from JPEG 2000.
  @Test func unnamedComponentsAreEncodedAgain() throws {
    let folder = try Folder()
    let fixture = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/jpeg2000/rgb_trns_ycbc.jp2"
    let outcome = try folder.run(
      "img.book(\"b.pdf\", img.open(arg[1]), { lossless = true, paper = \"a6\" })", arguments: [fixture])
    outcome.expect(status: 0)
    let text = String(decoding: folder.bytes("b.pdf"), as: Unicode.ASCII.self)
    #expect(text.contains("/SMask") && !text.contains("/JPXDecode"))
  }

  /// Signed samples, which viewers show in different ways, are encoded again, with the pixels that they mean.
  @Test func signedSamplesAreEncodedAgain() throws {
    let folder = try Folder()
    let pixels = Pixels.waves(64, 48)
    try folder.write("plain.png", try pixels.png())
    #expect(try folder.imghost("convert", "plain.png", "-o", "plain.jp2", "--lossless").status == 0)
    var file = folder.bytes("plain.jp2")
    let start = try #require(file.indices.first { file[$0...].starts(with: [0xff, 0x4f, 0xff, 0x51]) })
    let header = try #require(file.indices.first { file[$0...].starts(with: "ihdr".utf8) })
    // The highest bit of the depths says that samples are signed (ISO/IEC 15444-1, A.5.1 and I.5.3.1).
    file[header + 14] |= 0x80
    for component in 0..<3 { file[start + 42 + 3 * component] |= 0x80 }
    try folder.write("a.jpx", file)
    let outcome = try folder.run(
      "img.book('b.pdf', img.open('a.jpx'), { verify = true, lossless = true, dpi = 72, title = 'Signed' })"
        + " img.book('c.pdf', img.open('a.jpx'), { verify = true })")
    outcome.expect(status: 0, error: "verified")
    #expect(outcome.error.contains("signed") && outcome.error.contains("is encoded again"), "\(outcome)")
    for name in ["b.pdf", "c.pdf"] {
      #expect(!String(decoding: folder.bytes(name), as: Unicode.ASCII.self).contains("JPXDecode"), "\(name)")
      let verified = try folder.imghost("verify", name)
      verified.expect(status: 0)
    }
    let drawn = try folder.run("img.open('b.pdf', { dpi = 72 }):save('b.png')")
    drawn.expect(status: 0)
    #expect(try Pixels(file: folder("b.png")).bytes == pixels.bytes)
  }

  /// Returns a multi-picture file (CIPA DC-007): a JPEG whose APP2 segment contains the position of a second JPEG,
  /// followed by that one.
  private func multiPicture(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      bytes(tag, 2) + bytes(type, 2) + bytes(count, 4) + value
    }
    let index = 8 + 2 + 3 * 12 + 4
    let segmentCount = 2 + 4 + index + 32
    // Offsets count from the byte order in the segment: two bytes of SOI, four of the segment's head, "MPF".
    let offset = first.count + 2 + segmentCount - 10
    var segment: [UInt8] = [0xff, 0xe2, 0, UInt8(segmentCount)] + Array("MPF\0II*\0".utf8)
    segment += bytes(8, 4) + bytes(3, 2)
    segment += entry(0xb000, 7, 4, Array("0100".utf8)) + entry(0xb001, 4, 1, bytes(2, 4))
    segment += entry(0xb002, 7, 32, bytes(index, 4)) + bytes(0, 4)
    segment += bytes(0x2003_0000, 4) + bytes(first.count + 2 + segmentCount, 4) + bytes(0, 8)
    segment += bytes(0, 4) + bytes(second.count, 4) + bytes(offset, 4) + bytes(0, 4)
    return first.prefix(2) + segment + first.dropFirst(2) + second
  }

  /// The page shows the first of several pictures in a JPEG file; the file is stored whole.
  @Test(arguments: ["a.mpo", "a.jpg"]) func multiPictureFilesShowTheirFirst(name: String) throws {
    let folder = try Folder()
    let made = try folder.run(
      """
      img.open("\(Built.photos)/coffee.png"):resize(60, 40):save("one.jpg")
      img.canvas(20, 30, { background = "red" }):save("two.jpg")
      """)
    made.expect(status: 0)
    let file = multiPicture(folder.bytes("one.jpg"), folder.bytes("two.jpg"))
    try folder.write(name, file)
    let outcome = try folder.run(
      """
      local r = img.book("b.pdf", img.open("\(name)"), { dpi = 72, verify = true }):await()
      assert(r.verified and r.pages == 1, r.errors[1])
      img.open("\(name)"):save("after.png")
      img.open("one.jpg"):save("before.png")
      """)
    #expect(outcome.status == 0 && !outcome.error.contains("note:"), "\(outcome)")
    let book = folder.bytes("b.pdf")
    #expect(Data(book).range(of: Data(file)) != nil)
    #expect(String(decoding: book, as: Unicode.ASCII.self).contains("/MediaBox[0 0 60 40]"))
    #expect(try Pixels(file: folder("after.png")).bytes == Pixels(file: folder("before.png")).bytes)
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    guard try SecondOpinions.run("pdfimages", ["-all", folder("b.pdf"), folder("out")]) != nil
    else { return }
    #expect(folder.bytes("out-000.jpg") == file && !folder.exists("out-001.jpg"))
  }

  /// Damage in data that goes into the book as it is: of the picture's page, and not of the book.
  @Test func damagedDataIsFound() throws {
    let folder = try Folder()
    let made = try folder.run(
      """
      local p = img.open("\(Built.photos)/coffee.png"):resize(300, 200)
      p:save("good.png", { metadata = "none" })
      p:save("good.jpg", { metadata = "none" })
      """)
    made.expect(status: 0)
    let (png, jpeg) = (folder.bytes("good.png"), folder.bytes("good.jpg"))
    var flipped = png
    flipped[png.count / 2] ^= 4
    try folder.write("bit.png", flipped)
    try folder.write("cut.png", Array(png.prefix(png.count / 2)))
    try folder.write("end.png", png.dropLast(12))
    var checksum = png
    checksum[png.count - 13] ^= 1
    try folder.write("checksum.png", checksum)
    try folder.write("cut.jpg", Array(jpeg.prefix(jpeg.count / 2)))
    try folder.write("end.jpg", jpeg.dropLast(2))
    // Cut, with a thumbnail's end near by, and mended by writing an end.
    let scan = jpeg.indices.first { jpeg[$0...].starts(with: [0xff, 0xda]) }!
    let thumbnail: [UInt8] = [0xff, 0xe1, 0, 8, 1, 2, 3, 4, 0xff, 0xd9]
    try folder.write(
      "thumbnail.jpg", jpeg.prefix(2) + thumbnail + jpeg[2..<jpeg.count / 2])
    try folder.write("mended.jpg", jpeg.prefix(scan + 60) + [0xff, 0xd9])
    let bad = ["bit.png", "checksum.png", "cut.jpg", "cut.png", "mended.jpg", "thumbnail.jpg"]
    let outcome = try folder.run("img.book(\"b.pdf\", img.glob(\"*.*g\"), { verify = true })", "--on-error", "continue")
    outcome.expect(status: 1)
    for name in bad {
      #expect(
        outcome.messages.count {
          $0.hasPrefix("t.lua:2: ")
            && ($0.contains(": \(name): damaged file (") || $0.contains(": \(name): truncated file"))
        } == 1, "\(name): \(outcome)")
    }
    #expect(outcome.error.contains("written without 6 of its 10 pages"), "\(outcome)")
    #expect(
      outcome.error.contains("open: note: the end marker is missing; every pixel is there: end.jpg"), "\(outcome)")
    #expect(outcome.error.contains("open: note: the end chunk is missing; every pixel is there: end.png"), "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    for name in bad {
      let stopped = try folder.run("img.book(\"c.pdf\", img.open(\"\(name)\"))")
      #expect(stopped.status == 1 && !folder.exists("c.pdf"), "\(name): \(stopped)")
    }
  }
}
