import Foundation
import PictureTestSupport
import TestSupport
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
    outcome.expect(status: 1, error: "cut.dng: ends in the middle of its raw samples")
    #expect(try develop("cut.dng", ", damaged = 'accept'", in: folder).status == 0)
  }

  /// LibRaw counts half a sample as a whole one.
  @Test func halfASampleIsMissing() throws {
    let folder = try Folder()
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.fixtures + "pentax.pef")))
    try folder.write("cut.pef", Array(whole.dropLast()))
    let outcome = try develop("cut.pef", in: folder)
    outcome.expect(status: 1, error: "cut.pef: ends in the middle of its raw samples")
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
      outcome.expect(status: 1, error: "\(name): holds raw samples that LibRaw ")
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

  /// The preview is 90 by 60 pixels, the picture that LibRaw develops 96 by 64. Both lie on their side.
  @Test(arguments: [("preview", 60, 90), ("develop", 64, 96)])
  func rawTakesThePreviewOrDevelops(_ choice: String, _ width: Int, _ height: Int) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.open(arg[1], { raw = \"\(choice)\" }):save(\"a.png\")",
      arguments: [Self.fixtures + "preview-turned.dng"])
    outcome.expect(status: 0)
    let pixels = try Pixels(file: folder("a.png"))
    #expect(pixels.width == width && pixels.height == height)
    // The scene grows red from left to right: after a quarter turn clockwise, from top to bottom.
    let row = pixels.layout.rowByteCount
    #expect(pixels.bytes[(height - 2) * row + width / 2 * 3] > pixels.bytes[row + width / 2 * 3])
  }

  /// The linear red, green and blue of a place in the scene that `make-kinds.py` lays down.
  private static func scene(_ x: Int, _ y: Int) -> [Double] {
    let (across, down) = ((Double(x) + 0.5) / 96, (Double(y) + 0.5) / 64)
    return [across, down, 1 - (across + down) / 2].map { 0.05 + 0.6 * $0 }
  }

  /// The linear light of a sample of LibRaw's: BT.709's curve (ITU-R BT.709-6, 1.2).
  private static func linear(_ sample: UInt8) -> Double {
    let value = Double(sample) / 255
    return value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
  }

  private static let kinds = [
    "big-endian", "bits10", "bits12", "bits14", "green-first", "linear", "lossless", "lossless-tiles", "masked",
    "strips", "table",
  ]

  /// LibRaw brightens pictures by one factor, so that few samples are white.
  @Test(arguments: sampled(kinds)) func samplesOfAllKindsShowTheScene(_ name: String) throws {
    let folder = try Folder()
    let outcome = try develop(Self.fixtures + name + ".dng", in: folder)
    outcome.expect(status: 0)
    let pixels = try Pixels(file: folder("x.png"))
    try #require(pixels.width == 96 && pixels.height == 64 && pixels.bytes.count == 96 * 64 * 3)
    let places = [(20, 12), (70, 12), (20, 30), (48, 32), (10, 40)]
    let factors = places.flatMap { x, y in
      (0..<3).map { Self.linear(pixels.bytes[(y * 96 + x) * 3 + $0]) / Self.scene(x, y)[$0] }
    }
    #expect(factors.max()! / factors.min()! < 1.05, "\(factors)")
  }

  @Test func grayAndPartsAndHalvesAreThoseOfTheWhole() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for _, name in ipairs { "gray", "bits12" } do
        local path = "\(Self.fixtures)" .. name .. ".dng"
        img.open(path, { raw = "develop" }):save(name .. ".png")
        img.open(path, { raw = "develop" }):crop(20, 10, 50, 40):save(name .. "-part.png")
        img.open(path, { raw = "develop" }):resize(48):save(name .. "-half.png")
      end
      """)
    outcome.expect(status: 0)
    for name in ["gray", "bits12"] {
      let whole = try Pixels(file: folder(name + ".png")), part = try Pixels(file: folder(name + "-part.png"))
      let half = try Pixels(file: folder(name + "-half.png"))
      let bands = whole.bytes.count / (96 * 64), size = 50 * bands
      try #require(part.bytes.count == size * 40 && half.bytes.count == 48 * 32 * bands, "\(name)")
      for y in 0..<40 {
        let at = ((y + 10) * 96 + 20) * bands
        #expect(part.bytes[y * size..<(y + 1) * size].elementsEqual(whole.bytes[at..<at + size]), "\(name) \(y)")
      }
      // Green grows downwards.
      let column = 24 * bands + bands / 2
      #expect(half.bytes[column] + 20 < half.bytes[31 * 48 * bands + column], "\(name)")
    }
  }

  /// A decoder that gives up leaves samples unset, where memory holds those of the file before.
  @Test(.unsanitized) func aDamagedTileShowsNothingOfOtherFiles() throws {
    let folder = try Folder()
    var tiles = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.fixtures + "lossless-tiles.dng")))
    let starts = tiles.indices.dropLast(3).filter { Array(tiles[$0..<$0 + 4]) == [0xff, 0xd8, 0xff, 0xc4] }
    try #require(starts.count == 6)
    tiles.replaceSubrange(starts[1]..<starts[1] + 2, with: [0, 0])
    try folder.write("damaged.dng", tiles)
    let script = """
      for i, path in ipairs(arg) do img.open(path, { raw = "develop", damaged = "accept" }):save(i .. ".png") end
      """
    let other = Self.fixtures + "strips.dng"
    for (place, files) in [["damaged.dng"], [other, other, "damaged.dng"]].enumerated() {
      let outcome = try folder.run(script, "--jobs", "1", "--out", "out\(place)", arguments: files)
      outcome.expect(status: 0)
    }
    #expect(folder.bytes("out0/1.png") == folder.bytes("out1/3.png"))
    let outcome = try develop("damaged.dng", in: folder)
    outcome.expect(status: 1, error: "damaged.dng: has damaged raw samples")
  }
}
