import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Files of a few bytes that claim millions of pixels, and files with as many pages and as long sides as formats allow.
@Suite(.wholeRuns) struct HugeFileTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/"

  /// The side that each bomb claims.
  private static let side = 60_000

  // MARK: Bombs

  /// Files by name, and words of the reason why each is refused.
  private static func bombs() throws -> [(name: String, bytes: [UInt8], words: String)] {
    let damaged = "has damaged pixels", memory = "MB of memory", truncated = "truncated file"
    return [
      ("gif.gif", TinyFiles.gif(side: side, frames: 2), "60000x60000 pixels are too many"),
      ("deflate.tif", TinyFiles.tiff(width: side, height: side, compression: 8), "has a damaged strip near row 0"),
      ("lzw.tif", TinyFiles.tiff(width: side, height: side, compression: 5), "has a damaged strip near row 0"),
      (
        "packbits.tif", TinyFiles.tiff(width: side, height: side, compression: 32_773), "has a damaged strip near row 0"
      ),
      ("lossless.webp", try changed("webp/lossless.webp", after: "VP8L", 5, [0xff, 0xff, 0xff, 0x0f]), damaged),
      ("lossy.webp", try changed("webp/lossy.webp", after: "\u{9d}\u{01}*", 0, [0xff, 0x3f, 0xff, 0x3f]), damaged),
      ("a.avif", try changed("avif/lossy.avif", after: "ispe", 4, wide + wide), "has a damaged header"),
      ("a.heic", try changed("heif/still.heic", after: "ispe", 4, wide + wide), "libheif's limits"),
      (
        "a.j2k",
        try changed(
          "jpeg2000/codestream.j2k", after: "\u{ff}Q", 4, wide + wide + [0, 0, 0, 0, 0, 0, 0, 0] + wide + wide),
        memory
      ),
      ("a.jxl", TinyFiles.jpegXL(side: side), memory),
      (
        "a.svg", Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60000\" height=\"60000\"/>".utf8),
        "give a width"
      ),
      ("a.pdf", TinyFiles.pdf(side: side), "give less dpi"),
      ("a.pnm", Array("P6 60000 60000 255\n".utf8), truncated), ("a.qoi", TinyFiles.qoi(side: side), truncated),
      ("a.bmp", TinyFiles.bmp(side: side, compression: 0), truncated),
      ("runs.bmp", TinyFiles.bmp(side: side, compression: 1), truncated),
      ("a.png", try changed(Built.photos + "/coffee.png", after: "IHDR", 0, wide + wide), truncated),
      (
        "a.jpg",
        try changed(Built.photos + "/rocket.jpg", after: "\u{ff}\u{c0}\u{0}\u{11}\u{8}", 0, [0xea, 0x60, 0xea, 0x60]),
        truncated
      ),
    ]
  }

  private static let wide: [UInt8] = [0, 0, 0xea, 0x60]

  /// Returns a file with other bytes a few places after some text, which is written in Latin-1.
  private static func changed(_ name: String, after text: String, _ distance: Int, _ bytes: [UInt8]) throws -> [UInt8] {
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: name.hasPrefix("/") ? name : fixtures + name)))
    let mark = text.unicodeScalars.map { UInt8($0.value) }
    let place = try #require(file.indices.first { file[$0...].starts(with: mark) }) + mark.count + distance
    file.replaceSubrange(place..<place + bytes.count, with: bytes)
    return file
  }

  /// Each bomb is refused with one line, and costs neither memory nor time.
  @Test func bombsAreRefused() throws {
    let folder = try Folder()
    let bombs = try Self.bombs()
    for bomb in bombs { try folder.write(bomb.name, bomb.bytes) }
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do img.open(path):resize(40):save(\"out/\" .. path .. \".png\") end", "--on-error",
      "continue", "--memory", "1G", arguments: bombs.map(\.name), seconds: 10)
    #expect(outcome.signal == nil && outcome.status == 1, "\(outcome)")
    for bomb in bombs {
      let lines = outcome.messages.filter {
        $0.contains("open: \(bomb.name): ") || $0.contains("out/\(bomb.name).png: ")
      }
      #expect(lines.count == 1 && lines[0].contains(bomb.words), "\(bomb.name): \(lines)")
      #expect(!folder.exists("out/\(bomb.name).png"), "\(bomb.name)")
    }
    #expect(folder.temporaries.isEmpty)
  }

  // MARK: Many pages

  @Test func aTIFFWith65535Pages() throws {
    let folder = try Folder()
    try folder.write("a.tif", TinyFiles.tiff(pages: 65_535))
    let info = try folder.imghost("info", "--json", "--page", "65535", "a.tif")
    #expect(info.status == 0 && info.output.contains("\"pages\":65535"), "\(info)")
    let outcome = try folder.run("img.open(\"a.tif\", { page = 65535 }):save(\"last.png\")")
    outcome.expect(status: 0)
    #expect(try Pixels(file: folder("last.png")).bytes == [UInt8(65_535 % 251)])
  }

  @Test(.thorough) func all65535PagesOfATIFF() throws {
    let folder = try Folder()
    try folder.write("a.tif", TinyFiles.tiff(pages: 65_535))
    let outcome = try folder.run("print(#img.pages(\"a.tif\"))", seconds: 30)
    #expect(outcome.output == "65535\n", "\(outcome)")
  }

  @Test func aGIFWith10000Frames() throws {
    let folder = try Folder()
    try folder.write("a.gif", TinyFiles.gif(side: 4, frames: 10_000))
    let outcome = try folder.run(
      """
      local frames = img.pages("a.gif")
      assert(#frames == 10000)
      frames[10000]:save("last.png")
      """)
    #expect(outcome.status == 0 && folder.exists("last.png"), "\(outcome)")
  }

  // MARK: Long sides

  /// A picture of 60,000 pixels by 3, through every format that holds it.
  @Test(arguments: ["png", "jpg", "tif", "bmp", "pnm", "jp2", "jxl"])
  func aLongSide(_ format: String) throws {
    let folder = try Folder()
    for (name, size) in [("wide", "60000, 3"), ("high", "3, 60000")] {
      let file = "\(name).\(format)"
      let written = try folder.run("img.canvas(\(size), { background = \"teal\" }):save(\"\(file)\")")
      written.expect(status: 0)
      let read = try folder.run(
        """
        local p = img.open("\(file)")
        assert(p.width * p.height == 180000)
        p:resize(p.width // 100 + 1, p.height // 100 + 1, { fit = "fill" }):save("\(name)-small.png")
        """)
      #expect(read.status == 0 && folder.exists("\(name)-small.png"), "\(read)")
    }
  }

  @Test func webPHasShorterSides() throws {
    let folder = try Folder()
    let outcome = try folder.run("img.canvas(60000, 3):save(\"a.webp\")")
    #expect(outcome.status != 0 && outcome.messages.count == 1 && outcome.error.contains("16383"), "\(outcome)")
    #expect(!folder.exists("a.webp"))
  }
}
