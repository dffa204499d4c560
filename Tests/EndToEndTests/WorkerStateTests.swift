import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// The effects of one file on its worker must not reach the next file: neither errors nor pixels.
@Suite struct WorkerStateTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs"

  private func plugin(in folder: Folder) throws -> [String: String?] {
    try folder.makeFolder("plugins")
    try Fixture.compile("oddcodec", [], to: folder("plugins/liboddPlugin.so"))
    return ["IMGHOST_PLUGIN_PATH": folder("plugins")]
  }

  /// The files with their effects on the worker, and whether each can be read itself. The next file is `wide-good` or
  /// `good`.
  private static let reading: [(String, isRead: Bool)] = [
    ("ruin-open", false), ("ruin-read", false), ("quiet-open", true), ("quiet-read", true), ("quiet-later", true),
    ("warn-open", true), ("warn-read", true),
  ]

  @Test(arguments: reading) func oneBadFileMakesNoOtherFail(_ how: String, isRead: Bool) throws {
    let folder = try Folder()
    let environment = try plugin(in: folder)
    try folder.write("0.odd", "odd:\(how)")
    for index in 1...4 { try folder.write("\(index).odd", index % 2 == 0 ? "odd:good" : "odd:wide-good") }
    let script = "for i = 0, 4 do img.open(i .. \".odd\"):save(i .. \".png\"):await() end"
    let outcome = try folder.run(
      script, "--jobs", "1", "--on-error", "continue", environment: environment, seconds: 40)
    #expect(outcome.status == (isRead ? 0 : 1), "\(outcome)")
    #expect(folder.exists("0.png") == isRead, "\(outcome)")
    for index in 1...4 { #expect(folder.exists("\(index).png"), "\(index): \(outcome)") }
    #expect(outcome.error.contains("note: has a scratch: 0.odd") == how.hasPrefix("warn"), "\(outcome)")
  }

  @Test(arguments: [
    "ruin-begin", "ruin-rows", "ruin-finish", "quiet-begin", "quiet-rows", "quiet-page", "quiet-finish",
  ])
  func oneBadOutputMakesNoOtherFail(_ how: String) throws {
    let folder = try Folder()
    let environment = try plugin(in: folder)
    let script = """
      local p = img.canvas(200, 4000)
      p:save("0.odd", { how = "\(how)" }):await()
      for i = 1, 3 do p:save(i .. ".odd"):await() end
      """
    let outcome = try folder.run(
      script, "--jobs", "1", "--on-error", "continue", environment: environment, seconds: 40)
    #expect(outcome.status == (how.hasPrefix("ruin") ? 1 : 0), "\(outcome)")
    for index in 1...3 { #expect(folder.exists("\(index).odd"), "\(index): \(outcome)") }
    #expect(folder.temporaries.isEmpty)
  }

  private static func svg(_ size: String) -> String {
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80\" height=\"30\">"
      + "<text x=\"5\" y=\"20\" font-size=\"\(size)\">Text</text></svg>"
  }

  /// FreeType's fonts stay in error after a size that they do not have.
  @Test func fontsOfOneFileDoNotFailInTheNext() throws {
    let folder = try Folder()
    for index in 0..<6 { try folder.write("\(index).svg", Self.svg(index % 2 == 0 ? "300000" : "16")) }
    try folder.write("alone.svg", Self.svg("16"))
    let script = "for i = 0, 5 do img.open(i .. \".svg\"):save(i .. \".png\"):await() end"
    let outcome = try folder.run(script, "--jobs", "1", "--on-error", "continue")
    let alone = try folder.run("img.open(\"alone.svg\"):save(\"alone.png\")")
    #expect(alone.status == 0, "\(outcome) \(alone)")
    let expected = folder.bytes("alone.png")
    for index in [1, 3, 5] { #expect(folder.bytes("\(index).png") == expected, "\(outcome)") }
  }

  /// A picture that ends early in its slice, as when bytes of its middle are lost: libde265 leaves blocks undecoded.
  private func damaged(_ name: String, _ number: Int) -> [UInt8] {
    var bytes = [UInt8](FileManager.default.contents(atPath: Self.fixtures + "/heif/" + name) ?? Data())
    var random = SplitMix(number)
    // Behind the boxes, in the slices.
    let start = bytes.count / 2
    for _ in 0..<8 { bytes[start + random.below(bytes.count - start)] = UInt8(random.below(256)) }
    return bytes
  }

  @Test func aDamagedHEICShowsNothingOfThePictureBefore() throws {
    let folder = try Folder()
    try folder.copy(Self.fixtures + "/heif/grid.heic", to: "before.heic")
    let count = rounds(80)
    for number in 0..<count { try folder.write("\(number).heic", damaged("exif.heic", number)) }
    let names = (0..<count).map { "\($0).heic" }
    let script = """
      for _, path in ipairs(arg) do
        img.open("before.heic"):save("before/" .. path .. ".png"):await()
        img.open(path):save("out/" .. path .. ".png"):await()
      end
      """
    let outcome = try folder.run(script, "--jobs", "1", "--on-error", "continue", arguments: names, seconds: 60)
    #expect(outcome.signal == nil, "\(outcome)")
    // Most damage is found.
    #expect(outcome.messages.count { $0.contains("has damaged pixels") } > count / 2, "\(outcome)")
    for mode in ["together", "alone"] {
      for group in mode == "alone" ? names.map({ [$0] }) : [["before.heic"] + names] {
        let accepted = try folder.imghost(
          ["convert", "--damaged", "accept", "--jobs", "1", "-o", "\(mode)/{stem}.png"] + group, seconds: 60)
        accepted.expect(status: 0)
        if mode == "together" { #expect(accepted.error.contains("note: has damaged pixels: "), "\(accepted)") }
      }
    }
    for name in names {
      let png = name.replacingOccurrences(of: "heic", with: "png")
      #expect(folder.bytes("together/" + png) == folder.bytes("alone/" + png), "\(name)")
    }
  }
}
