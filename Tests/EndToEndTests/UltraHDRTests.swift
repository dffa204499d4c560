import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Gain maps of JPEG and HEIC files: named, kept by JPEGs that show a part of the same picture, and left out with a note
/// elsewhere.
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

  @Test(.wholeRuns) func changedPicturesHaveNone() throws {
    for (name, picture, _) in Self.kinds {
      let folder = try Folder()
      try folder.write("a.jpg", try picture.bytes())
      let outcome = try folder.run(
        """
        local p = img.open("a.jpg")
        p:sharpen():save("out.jpg") p:resize{ width = 80, height = 80, fit = "contain" }:save("cut.jpg")
        p:save("again.jpg", { target = 0.9 })
        for _, ending in ipairs{ "png", "webp", "avif", "tif", "jxl", "bmp", "ppm" } do p:save("out." .. ending) end
        """)
      outcome.expect(status: 0)
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
      #expect(Self.starts(bytes).count == 1)
    }
  }

  /// The positions at which a JPEG may start.
  private static func starts(_ bytes: [UInt8]) -> [Int] {
    let mark: [UInt8] = [0xff, 0xd8, 0xff]
    return (0..<bytes.count - 2).filter { bytes[$0..<$0 + 3].elementsEqual(mark) }
  }

  /// The bytes of the last JPEG of a file, which is not the first.
  private func map(_ bytes: [UInt8]) throws -> [UInt8] {
    let start = try #require(Self.starts(bytes).dropFirst().last)
    return Array(bytes[start...])
  }

  /// Operations, and those that make the same of the gain map, whose sides are a quarter of the picture's.
  private static let kept: [(name: String, picture: String, map: String)] = [
    ("resize", ":resize(48)", ":resize(12)"), ("quality", "", ""),
    ("cut", ":crop(16, 8, 64, 32)", ":crop(4, 2, 16, 8)"),
    ("enlarged", ":resize(192)", ""), ("turn", ":rotate(90)", ":rotate(90)"), ("flip", ":flip()", ":flip()"),
    (
      "chain", ":flop():crop(8, 0, 80, 64):rotate(270):thumbnail(40):with_metadata{ title = 'x' }",
      ":flop():crop(2, 0, 20, 16):rotate(270):resize(8, 10)"
    ),
    ("fill", ":fill(32, 32)", ":fill(8, 8)"),
  ]

  @Test(.wholeRuns) func partsKeepIt() throws {
    for (name, picture, info) in sampled(Self.kinds) where name != "directory" {
      let folder = try Folder()
      let bytes = try picture.bytes()
      try folder.write("a.jpg", bytes)
      try folder.write("map.jpg", try map(bytes))
      let lines = Self.kept.map { kept in
        "p\(kept.picture):save(\"\(kept.name).jpg\", { quality = 90 }) m\(kept.map):save(\"\(kept.name).png\")"
      }
      let outcome = try folder.run(
        "local p, m = img.open(\"a.jpg\"), img.open(\"map.jpg\")\n" + lines.joined(separator: "\n"))
      outcome.expect(status: 0)
      #expect(outcome.messages.allSatisfy { !$0.contains("a.jpg") }, "\(outcome)")
      for kept in Self.kept {
        let file = folder.bytes(kept.name + ".jpg")
        let map = try Pixels(jpeg: try map(file)), meant = try Pixels(file: folder(kept.name + ".png"))
        #expect(map.layout == meant.layout, "\(name), \(kept.name): \(map.layout), \(meant.layout)")
        #expect(map.psnr(meant) > 28, "\(name), \(kept.name): \(map.psnr(meant))")
        let described = try folder.imghost(["info", kept.name + ".jpg"])
        #expect(described.outputLines.contains { $0.contains("gain_map") && $0.hasSuffix("  \(info)") }, "\(described)")
        try checkParts(folder(kept.name + ".jpg"), file, mapLength: try self.map(file).count, hasXMP: picture.hasXMP)
      }
      // Once more from a file that imghost wrote.
      let again = try folder.run("img.open(\"resize.jpg\"):resize(24):save(\"again.jpg\")")
      #expect(again.status == 0 && again.messages.isEmpty, "\(again)")
      #expect(try Pixels(jpeg: try map(folder.bytes("again.jpg"))).width == 6)
    }
  }

  /// Lengths and places in the index and in XMP, as ExifTool reads them.
  private func checkParts(_ path: String, _ file: [UInt8], mapLength: Int, hasXMP: Bool) throws {
    let outcome = try #require(
      try SecondOpinions.run(
        "exiftool", ["-j", "-a", "-MPImageLength", "-MPImageStart", "-DirectoryItemLength", "-Warning", path]))
    let objects = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [[String: Any]]
    let tags = try #require(objects?.first)
    #expect(tags["Warning"] == nil, "\(tags)")
    #expect(
      tags["MPImageLength"] as? Int == mapLength && tags["MPImageStart"] as? Int == file.count - mapLength, "\(tags)")
    if hasXMP { #expect(tags["DirectoryItemLength"] as? Int == mapLength, "\(tags)") }
  }

  /// A packet that tells more than numbers is not for everybody.
  @Test func publicFiles() throws {
    let folder = try Folder()
    try folder.write("plain.jpg", try UltraHDR().bytes())
    try folder.write("more.jpg", try UltraHDR(mapFact: "xmlns:my='http://example.org/' my:owner='Zoe'").bytes())
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do img.open(path):save(\"out/\" .. path, { metadata = \"public\" }) end",
      arguments: ["plain.jpg", "more.jpg"])
    #expect(outcome.messages == ["save: note: the HDR gain map is not copied: more.jpg"], "\(outcome)")
    #expect(Data(folder.bytes("out/plain.jpg")).range(of: Data("GainMapMax".utf8)) != nil)
    #expect(Data(folder.bytes("out/more.jpg")).range(of: Data("GainMapMax".utf8)) == nil)
  }

  /// A file that lies on its side is saved upright, and so is its gain map.
  @Test func orientation() throws {
    let folder = try Folder()
    try folder.write("a.jpg", try UltraHDR().bytes())
    let marked = try #require(
      try SecondOpinions.run("exiftool", ["-q", "-overwrite_original", "-Orientation#=6", folder("a.jpg")]))
    #expect(marked.status == 0, "\(marked)")
    try folder.write("map.jpg", try map(folder.bytes("a.jpg")))
    let outcome = try folder.run(
      "img.open(\"a.jpg\"):save(\"b.jpg\") img.open(\"map.jpg\"):rotate(90):save(\"map.png\")")
    outcome.expect(status: 0)
    let made = try Pixels(jpeg: try map(folder.bytes("b.jpg"))), meant = try Pixels(file: folder("map.png"))
    #expect(made.layout == meant.layout && made.psnr(meant) > 28)
  }

  /// Gain maps that are cut off, or whose places lie: the picture is written without one, or with one, but whole.
  @Test func hostileMaps() throws {
    let folder = try Folder()
    let bytes = try UltraHDR().bytes()
    let index = try #require((0..<bytes.count - 4).first { bytes[$0..<$0 + 4].elementsEqual(Array("MPF\0".utf8)) }) + 4
    var names: [String] = []
    func add(_ name: String, _ bytes: [UInt8]) throws {
      names.append(name + ".jpg")
      try folder.write(name + ".jpg", bytes)
    }
    let mapStart = bytes.count - (try map(bytes)).count
    for part in 0..<8 { try add("cut\(part)", Array(bytes[..<(mapStart + (bytes.count - mapStart) * part / 8)])) }
    for offset in [4, 8, 18, 20, 30, 34, 42, 46, 50 + 16, 50 + 20, 50 + 24] {
      for value: UInt8 in [0, 0x7f, 0xff] {
        var broken = bytes
        for place in 0..<4 { broken[index + offset + place] = value }
        try add("lie\(offset)-\(value)", broken)
      }
    }
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do img.open(path):resize(40):save(\"out/\" .. path) end", "--on-error", "continue",
      arguments: names)
    #expect(outcome.signal == nil && outcome.status == 0, "\(outcome)")
    for name in names { #expect(try Pixels(file: folder("out/" + name)).width == 40, "\(name)") }
    #expect(outcome.messages.contains { $0.contains("the HDR gain map is not copied: ") }, "\(outcome)")
  }

  /// A map with more pixels than its picture would take memory that nobody counted.
  @Test func mapsLargerThanTheirPicture() throws {
    let folder = try Folder()
    try folder.write("a.jpg", try UltraHDR(mapSize: (200, 100)).bytes())
    let outcome = try folder.run("img.open(\"a.jpg\"):flip():save(\"b.jpg\")")
    #expect(outcome.status == 0 && outcome.messages == ["save: note: " + Self.note], "\(outcome)")
    #expect(Data(folder.bytes("b.jpg")).range(of: Data("hdr-gain-map".utf8)) == nil)
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
