import Foundation
import PictureTestSupport
import Testing

/// Gain maps of JPEG and HEIC files: named, and left out with a note wherever pixels change.
@Suite struct UltraHDRTests {
  private static let kinds: [(name: String, picture: UltraHDR, info: String)] = [
    ("both", UltraHDR(), "Ultra HDR, ISO 21496-1"), ("xmp", UltraHDR(hasISO: false), "Ultra HDR"),
    ("iso", UltraHDR(hasXMP: false), "ISO 21496-1"),
    ("directory", UltraHDR(hasISO: false, hasDirectoryAlone: true), "Ultra HDR"),
  ]
  private static let note = "the HDR gain map is not copied: a.jpg"

  /// The generator makes what ExifTool understands.
  @Test func samples() throws {
    let folder = try Folder()
    for (name, picture, info) in Self.kinds {
      try folder.write("a.jpg", try picture.bytes())
      let outcome = try #require(
        try SecondOpinions.run(
          "exiftool", ["-s", "-MPImageLength", "-MPImageStart", "-Warning", "-a", folder("a.jpg")]))
      #expect(outcome.text.contains("MPImageStart") && !outcome.text.contains("Warning"), "\(name): \(outcome.text)")
      let map = try #require(try SecondOpinions.run("exiftool", ["-b", "-MPImage2", folder("a.jpg")]))
      #expect(!map.text.isEmpty)
      let described = try folder.imghost(["info", "a.jpg"])
      #expect(described.outputLines.contains { $0.contains("gain_map") && $0.hasSuffix("  \(info)") }, "\(described)")
    }
  }

  @Test func changedPicturesHaveNone() throws {
    for (name, picture, _) in Self.kinds {
      let folder = try Folder()
      try folder.write("a.jpg", try picture.bytes())
      let outcome = try folder.run(
        """
        local p = img.open("a.jpg")
        p:resize(40):save("out.jpg") p:crop(0, 0, 50, 50):save("cut.jpg") p:save("again.jpg", { quality = 70 })
        for _, ending in ipairs{ "png", "webp", "avif", "tif", "jxl", "bmp", "ppm" } do p:save("out." .. ending) end
        """)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.messages == ["save: note: " + Self.note], "\(name): \(outcome)")
      for file in folder.files where file.hasPrefix("out.") || ["cut.jpg", "again.jpg"].contains(file) {
        let bytes = Data(folder.bytes(file))
        for words in ["hdr-gain-map", "GainMap", "21496", "MPF\0"] {
          #expect(bytes.range(of: Data(words.utf8)) == nil, "\(name), \(file): \(words)")
        }
      }
      // One picture, with nothing behind it.
      let bytes = folder.bytes("out.jpg")
      #expect(bytes.suffix(2) == [0xff, 0xd9])
      #expect((0..<bytes.count - 2).filter { bytes[$0..<$0 + 3].elementsEqual([0xff, 0xd8, 0xff]) }.count == 1)
    }
  }

  @Test func untouchedFilesKeepIt() throws {
    let folder = try Folder()
    try folder.write("a.jpg", try UltraHDR().bytes())
    let outcome = try folder.run("img.open(\"a.jpg\"):save(\"b.jpg\")")
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    #expect(folder.bytes("b.jpg") == folder.bytes("a.jpg"))
  }

  /// The gain map of a HEIC as iPhones write it.
  @Test func appleGainMap() throws {
    let folder = try Folder()
    try folder.copy(Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/heif/apple.heic", to: "a.heic")
    let info = try folder.imghost(["info", "a.heic"])
    #expect(info.outputLines.contains { $0.contains("gain_map") && $0.hasSuffix("  Apple") }, "\(info)")
    let outcome = try folder.run("img.open(\"a.heic\"):save(\"a.png\")")
    #expect(outcome.messages == ["save: note: the HDR gain map is not copied: a.heic"], "\(outcome)")
  }
}
