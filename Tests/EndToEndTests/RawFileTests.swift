import Foundation
import PictureTestSupport
import Testing

/// Raw files of cameras that are cut off, unknown to LibRaw, or met without the RAW plugin.
struct RawFileTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/raw/"

  private func develop(_ name: String, _ options: String = "", in folder: Folder) throws -> Outcome {
    try folder.run("img.open('\(name)', { raw = 'develop'\(options) }):save('x.png')")
  }

  /// LibRaw makes up the samples that are missing, and calls that a success.
  @Test(arguments: ["bayer.dng", "preview.dng"])
  func aCutFileIsDamaged(_ name: String) throws {
    let folder = try Folder()
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.fixtures + name)))
    // The samples of `preview.dng` end before its preview begins.
    let samples = name == "bayer.dng" ? whole.count : 1894 + 12288
    try folder.write("whole.dng", Array(whole.prefix(samples)))
    try folder.write("cut.dng", Array(whole.prefix(samples * 3 / 4)))
    #expect(try develop("whole.dng", in: folder).status == 0)
    let outcome = try develop("cut.dng", in: folder)
    #expect(
      outcome.status == 1 && outcome.error.contains("cut.dng: ends in the middle of its raw samples"), "\(outcome)")
    #expect(try develop("cut.dng", ", damaged = 'accept'", in: folder).status == 0)
  }

  /// The first bytes of each kind of raw file that has no structure of TIFF's.
  private static let beginnings: [(name: String, bytes: [UInt8])] = [
    ("a.cr3", [0, 0, 0, 24] + Array("ftypcrx ".utf8)),
    ("a.crw", [0x49, 0x49, 26, 0, 0, 0] + Array("HEAPCCDR".utf8)),
    ("a.orf", Array("IIRO".utf8)),
    ("a.raf", Array("FUJIFILMCCD-RAW 0201".utf8)),
    ("a.rw2", [0x49, 0x49, 0x55, 0]),
  ]

  @Test func unknownCamerasAreNamed() throws {
    let folder = try Folder()
    for (name, bytes) in Self.beginnings {
      try folder.write(name, bytes + [UInt8](repeating: 0, count: 600))
      let outcome = try folder.imghost(["info", name])
      #expect(outcome.status == 1 && outcome.error.contains("\(name): holds raw samples that LibRaw "), "\(outcome)")
    }
  }

  /// Without the RAW plugin, the thumbnail must not pass for the picture.
  @Test func withoutThePluginThePackageIsNamed() throws {
    let folder = try Folder()
    try folder.makeFolder("bin")
    for name in ["imghost", "imghost-plugin-worker", "libTIFFPlugin.so"] {
      try folder.copy(Built.program(name), to: "bin/" + name)
    }
    for (name, bytes) in Self.beginnings { try folder.write(name, bytes + [UInt8](repeating: 0, count: 600)) }
    // CR2 begins with a large preview.
    try folder.copy(Self.fixtures + "preview.dng", to: "a.dng")
    let picture = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/tiff/tiles.tif"
    var preview = [UInt8](try Data(contentsOf: URL(fileURLWithPath: picture)))
    preview.replaceSubrange(8..<12, with: Array("CR\u{2}\0".utf8))
    try folder.write("a.cr2", preview)
    for name in Self.beginnings.map(\.name) + ["a.dng", "a.cr2"] {
      var command = Command(
        arguments: ["info", name], folder: folder.path, environment: ["IMGHOST_PLUGIN_PATH": nil], input: "",
        seconds: 20)
      command.program = folder("bin/imghost")
      let outcome = try command.run()
      #expect(
        outcome.status == 1 && outcome.error.contains("a raw file of a camera")
          && outcome.error.contains("install the package imghost-codecs, or libRAWPlugin.so beside imghost"),
        "\(outcome)")
    }
  }
}
