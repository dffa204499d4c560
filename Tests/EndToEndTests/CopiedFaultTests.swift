import Foundation
import ImageCodecs
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Untouched files in which a decoder finds a fault outside of the pixels. No output may contain the fault.
@Suite(.wholeRuns) struct CopiedFaultTests {
  private static let png = MetadataBlocks().png

  /// Returns a chunk whose checksum is wrong.
  private static func wrong(_ name: String, _ data: [UInt8]) -> [UInt8] {
    var chunk = MetadataBlocks.chunk(name, data)
    chunk[chunk.count - 1] ^= 0x55
    return chunk
  }

  private static let chunks: [(name: String, data: [UInt8])] = [
    ("tEXt", Array("Comment\0hello".utf8)), ("zTXt", Array("Comment\0\0xx".utf8)),
    ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0<x/>".utf8)), ("gAMA", MetadataBlocks.big(100_000)),
    ("cHRM", [UInt8](repeating: 1, count: 32)), ("sRGB", [0]), ("cICP", [9, 16, 0, 1]),
    ("iCCP", Array("p\0\0".utf8) + MetadataBlocks.stored(ProfileBlock().bytes)),
    ("eXIf", Array("II*\0\u{8}\0\0\0\0\0\0\0\0\0".utf8)), ("pHYs", [0, 0, 9, 0, 0, 0, 9, 0, 1]), ("vpAg", [1, 2, 3]),
    ("tIME", [7, 0xea, 1, 1, 1, 1, 1]),
  ]

  private static let isTold = "a file with faults is mended without loss instead of copied"

  /// A chunk that imghost ignores is not in the output, whether or not a profile is asked for.
  @Test(arguments: [[], ["--profile", "srgb"]])
  func wrongChunksAreLeftOut(_ options: [String]) throws {
    let folder = try Folder()
    let end = Self.png.count - 12
    for (index, chunk) in Self.chunks.enumerated() {
      let bad = Self.wrong(chunk.name, chunk.data)
      try folder.write("\(index).png", Array(Self.png[..<33]) + bad + Self.png[33...])
      try folder.write("late-\(index).png", Array(Self.png[..<end]) + bad + Self.png[end...])
      for name in ["\(index).png", "late-\(index).png"] {
        let outcome = try folder.imghost(["convert", name, "-o", "out/\(name)"] + options)
        let words = "the chunk '\(chunk.name)' has a wrong checksum and is ignored; every pixel is there: \(name)"
        #expect(outcome.status == 0 && outcome.error.contains(words), "\(name): \(outcome)")
        #expect(outcome.error.contains(Self.isTold + ": \(name)"), "\(outcome)")
        #expect(folder.bytes("out/\(name)") == Self.png, "\(chunk.name), \(name)")
      }
    }
  }

  /// A book takes the pixels as they are stored, and says which chunks before them it has left out.
  @Test func booksTellOfIgnoredChunks() throws {
    let folder = try Folder()
    for (index, chunk) in Self.chunks.enumerated() {
      try folder.write("\(index).png", Array(Self.png[..<33]) + Self.wrong(chunk.name, chunk.data) + Self.png[33...])
    }
    let outcome = try folder.imghost(["book", "-o", "book.pdf", "--verify"] + Self.chunks.indices.map { "\($0).png" })
    outcome.expect(status: 0)
    for (index, chunk) in Self.chunks.enumerated() {
      let words = "chunks with a wrong checksum are ignored (\(chunk.name)); every pixel is there"
      #expect(outcome.error.contains("\(index).png: note: \(words)"), "\(chunk.name): \(outcome)")
    }
    try folder.write("sound.png", Self.png)
    #expect(try folder.imghost("book", "-o", "sound.pdf", "sound.png").error.contains("checksum") == false)
  }

  /// Other chunks stay as they are, and so do bytes after the end.
  @Test func soundChunksAreKept() throws {
    let folder = try Folder()
    let kept = MetadataBlocks.chunk("tEXt", Array("Author\0x".utf8)) + MetadataBlocks.chunk("prVt", [1, 2, 3, 4])
    let tail = Array("appended".utf8)
    let bad = Self.wrong("tEXt", Array("Comment\0hello".utf8))
    try folder.write("a.png", Array(Self.png[..<33]) + kept + bad + Self.png[33...] + tail)
    let outcome = try folder.imghost("convert", "a.png", "-o", "b.png")
    outcome.expect(status: 0)
    #expect(folder.bytes("b.png") == Array(Self.png[..<33]) + kept + Self.png[33...] + tail)
  }

  /// Returns files whose ends are missing: their names, and the complete files.
  private static func cut() throws -> [(name: String, whole: [UInt8])] {
    let waves = Pixels.waves(48, 32)
    let end = try waves.jpeg()
    // An end marker that is not the picture's.
    let thumbnail: [UInt8] = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd8, 0xff, 0xd9]
    return [
      ("a.png", png), ("baseline.jpg", end),
      ("progressive.jpg", try waves.encoded(JPEGCodec(), [("progressive", .boolean(true))])),
      ("gray.jpg", try Pixels.waves(48, 32, .gray8).jpeg()),
      ("thumbnail.jpg", Array(end[..<2]) + [0xff, 0xe1, 0, UInt8(thumbnail.count + 2)] + thumbnail + end[2...]),
    ]
  }

  @Test func missingEndsAreAdded() throws {
    let folder = try Folder()
    for (name, whole) in try Self.cut() {
      let length = name.hasSuffix("png") ? 12 : 2
      let missing = [
        whole.dropLast(length), whole.dropLast(length - 1), whole.dropLast(1),
        whole.dropLast(length) + [UInt8](repeating: 0, count: 300),
      ]
      for (index, file) in missing.enumerated() {
        try folder.write(name, Array(file))
        for options in [[], ["--profile", "srgb"]] {
          let outcome = try folder.imghost(["convert", name, "-o", "out/\(name)"] + options)
          #expect(outcome.status == 0 && outcome.error.contains(Self.isTold), "\(index): \(outcome)")
          #expect(folder.bytes("out/\(name)") == whole, "\(name), \(index)")
        }
      }
    }
  }

  /// With a goal the file is encoded, because a mended one may be too large.
  @Test func goalsAreMet() throws {
    let folder = try Folder()
    let file = Array(try Pixels.waves(48, 32).jpeg().dropLast(2))
    try folder.write("a.jpg", file)
    let outcome = try folder.imghost("convert", "a.jpg", "-o", "b.jpg", "--max-bytes", "\(file.count)")
    outcome.expect(status: 0, error: "is encoded instead of copied: a.jpg")
    #expect(folder.bytes("b.jpg").count <= file.count && folder.bytes("b.jpg").suffix(2) == [0xff, 0xd9])
  }

  /// Returns a folder with a JPEG and a PNG whose ends are missing.
  private func endless(_ jpeg: [UInt8]) throws -> Folder {
    let folder = try Folder()
    try folder.write("a.jpg", Array(jpeg.dropLast(2)))
    try folder.write("a.png", Array(Self.png.dropLast(12)))
    return folder
  }

  /// Several outputs of one picture.
  @Test func everyOutputIsSound() throws {
    let jpeg = try Pixels.waves(48, 32).jpeg()
    let folder = try endless(jpeg)
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      for _, e in ipairs{ "jpg", "png" } do
        local p = img.open("a." .. e)
        p:save("one." .. e) p:resize(20):save("small." .. e) p:save("two." .. e)
        p:composite(img.open("a.png"), { left = 3 }):save("mixed." .. e)
      end
      """)
    let outcome = try folder.imghost("run", "t.lua")
    outcome.expect(status: 0)
    for name in ["one", "two"] {
      #expect(folder.bytes("\(name).jpg") == jpeg && folder.bytes("\(name).png") == Self.png, "\(name)")
    }
  }

  /// Formats of imghost's own process tell their notes from a worker, too.
  @Test func isolatedOutputsAreSound() throws {
    let folder = try endless(try Pixels.waves(48, 32).jpeg())
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      img.open("a.jpg"):save("b.jpg")
      img.open("a.png"):save("b.png")
      """)
    let outcome = try folder.imghost("run", "--isolate", "all", "t.lua")
    outcome.expect(status: 0, error: "the end marker is missing")
    #expect(outcome.error.contains("the end chunk is missing"), "\(outcome)")
    #expect(folder.bytes("b.jpg").suffix(2) == [0xff, 0xd9])
    #expect(folder.bytes("b.png").suffix(8) == Self.png.suffix(8))
  }

  /// A PNG in an icon, which is encoded.
  @Test func iconsAreSound() throws {
    let folder = try Folder()
    try folder.write("plain.png", Self.png)
    #expect(try folder.imghost("convert", "plain.png", "-o", "plain.ico").status == 0)
    let icon = folder.bytes("plain.ico")
    let bad = Self.wrong("tEXt", Array("Comment\0hello".utf8))
    // The length stands at 14, and the PNG at 22.
    let length = (icon.count - 22 + bad.count)
    let sizes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    try folder.write("a.ico", Array(icon[..<14]) + sizes + icon[18..<55] + bad + icon[55...])
    let outcome = try folder.imghost("convert", "a.ico", "-o", "b.ico")
    outcome.expect(status: 0, error: "wrong checksum")
    #expect(outcome.error.contains("a file with faults is encoded instead of copied: a.ico"), "\(outcome)")
    #expect(folder.bytes("b.ico") == icon)
  }

  /// A JPEG XL that ends in the middle of a box of metadata.
  @Test func cutBoxesAreNotCopied() throws {
    let folder = try Folder()
    try folder.write("plain.png", Self.png)
    #expect(try folder.imghost("convert", "plain.png", "-o", "plain.jxl", "--lossless").status == 0)
    let box = MetadataBlocks.big(400) + Array("xml <x:xmpmeta".utf8)
    try folder.write("a.jxl", JPEGXLFile.container(folder.bytes("plain.jxl")) + box)
    let outcome = try folder.imghost("convert", "a.jxl", "-o", "b.jxl")
    outcome.expect(status: 0, error: "the last box is cut off and ignored")
    #expect(outcome.error.contains("a file with faults is encoded instead of copied: a.jxl"), "\(outcome)")
    #expect(try folder.imghost("convert", "b.jxl", "-o", "c.png").error.contains("note") == false)
  }

  /// A WebP that ends in the middle of its metadata, and a TIFF with a field beyond its end.
  @Test func cutMetadataIsNotCopied() throws {
    let folder = try Folder()
    try folder.write("plain.png", Self.png)
    #expect(try folder.imghost("convert", "plain.png", "-o", "plain.webp", "--lossless").status == 0)
    let whole = WebPFile(plain: folder.bytes("plain.webp"), width: 48, height: 32).with(
      "XMP ", Array("<x:xmp/>  ".utf8))
    for count in [1, 2, 9, 11, 18] { try folder.write("cut-\(count).webp", Array(whole.dropLast(count))) }
    #expect(try folder.imghost("convert", "plain.png", "-o", "plain.tif").status == 0)
    var tiff = TIFFPage.file([TIFFPage(width: 8, height: 8, pixels: [UInt8](repeating: 9, count: 64))])
    // The tag of SamplesPerPixel becomes a text behind the end: 277 is 0x115, 270 is 0x10e.
    let entry = try #require(tiff.indices.first { tiff[$0...].starts(with: [0x15, 1, 4, 0, 1, 0, 0, 0]) })
    tiff.replaceSubrange(entry..<entry + 12, with: [0x0e, 1, 2, 0, 9, 0, 0, 0, 0, 0, 1, 0])
    try folder.write("cut.tif", tiff)
    for name in folder.files where name.hasPrefix("cut") {
      let outcome = try folder.imghost("convert", name, "-o", "out/\(name)")
      outcome.expect(status: 0)
      #expect(outcome.error.contains("a file with faults is encoded instead of copied: \(name)"), "\(outcome)")
      let again = try folder.imghost("convert", "out/\(name)", "-o", "again.png")
      #expect(again.status == 0 && !again.error.contains("note"), "\(again)")
    }
  }

  /// Of a WebP whose pixels are cut, nothing says that only the rest is missing.
  @Test func cutPixelsAreNoRest() throws {
    let folder = try Folder()
    try folder.write("plain.png", Self.png)
    #expect(try folder.imghost("convert", "plain.png", "-o", "plain.webp", "--lossless").status == 0)
    let whole = folder.bytes("plain.webp")
    for count in [whole.count / 3, whole.count / 2] {
      try folder.write("cut.webp", Array(whole.dropLast(count)))
      let outcome = try folder.imghost("convert", "cut.webp", "-o", "cut.png")
      #expect(outcome.status == 1 && !outcome.error.contains("behind its pixels"), "\(outcome)")
    }
  }

  /// Books take none of it over either.
  @Test func booksAreSound() throws {
    let folder = try Folder()
    for (index, chunk) in Self.chunks.enumerated() {
      try folder.write("\(index).png", Array(Self.png[..<33]) + Self.wrong(chunk.name, chunk.data) + Self.png[33...])
    }
    for (name, whole) in try Self.cut() {
      try folder.write(name, Array(whole.dropLast(name.hasSuffix("png") ? 12 : 2)))
    }
    let outcome = try folder.run("img.book('b.pdf', img.glob('*.{png,jpg}'), { verify = true })")
    outcome.expect(status: 0, error: "verified")
    // The note names three of them.
    #expect(outcome.error.contains("the end marker is missing") && outcome.error.contains("and 1 more"), "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
  }

  /// What imghost ignores without a fault of the file is kept by a copy.
  @Test func soundFilesAreCopied() throws {
    let folder = try Folder()
    try folder.write("a.png", MetadataBlocks(profile: Array("no profile".utf8)).png)
    try folder.write("a.jpg", MetadataBlocks(profile: Array("no profile".utf8)).jpeg + [UInt8](repeating: 0, count: 9))
    for name in ["a.png", "a.jpg"] {
      let outcome = try folder.imghost("convert", name, "-o", "out/\(name)")
      #expect(outcome.status == 0 && !outcome.error.contains("faults"), "\(outcome)")
      #expect(folder.bytes("out/\(name)") == folder.bytes(name))
    }
  }
}
