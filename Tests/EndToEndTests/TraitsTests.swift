import Foundation
import Testing

/// What pictures show, read by scripts and kept for later runs.
struct TraitsTests {
  private static let script = """
    for _, p in ipairs(img.glob("*.*g")) do
      local a = p.attention
      print(p.name, p.score, p.sharpness, p.exposure, p.contrast, p.horizon, a.x, a.y, a.w, a.h)
    end
    """

  private static func folder() throws -> Folder {
    let folder = try Folder()
    for name in ["coffee.png", "rocket.jpg", "chelsea.png"] { try folder.copy(Built.photos + "/" + name, to: name) }
    return folder
  }

  private func run(_ folder: Folder, _ options: String...) throws -> Outcome {
    try folder.write("t.lua", "local img = require 'imghost'\n" + Self.script)
    return try folder.imghost(["run"] + options + ["t.lua"], environment: ["XDG_CACHE_HOME": folder("cache")])
  }

  private func entries(_ folder: Folder) -> [String] {
    Built.files(in: folder("cache/imghost/traits")).map { "cache/imghost/traits/" + $0 }
  }

  @Test func twoRunsPrintTheSame() throws {
    let folder = try Self.folder()
    let first = try run(folder)
    #expect(first.status == 0 && first.outputLines.count == 3, "\(first)")
    #expect(entries(folder).count == 3)
    #expect(try run(folder).output == first.output)
    for count in ["1", "4"] {
      try FileManager.default.removeItem(atPath: folder("cache"))
      #expect(try run(folder, "--jobs", count).output == first.output)
    }
  }

  @Test func damagedEntriesAreMadeAgain() throws {
    let folder = try Self.folder()
    let first = try run(folder)
    let whole = entries(folder).map { folder.bytes($0) }
    for damage in 0..<4 {
      for (entry, bytes) in zip(entries(folder), whole) {
        var bytes = bytes
        switch damage {
        case 0: bytes[100] ^= 1
        case 1: bytes.removeLast(40)
        case 2: bytes = []
        default: bytes += [0]
        }
        try folder.write(entry, bytes)
      }
      #expect(try run(folder).output == first.output)
      #expect(entries(folder).map { folder.bytes($0) } == whole)
    }
    // An entry of another picture under this name.
    try folder.write(entries(folder)[0], whole[1])
    #expect(try run(folder).output == first.output)
  }

  @Test func linksAreNotFollowed() throws {
    let folder = try Self.folder()
    let first = try run(folder)
    let entry = entries(folder)[0]
    try FileManager.default.moveItem(atPath: folder(entry), toPath: folder("elsewhere"))
    let bytes = folder.bytes("elsewhere")
    try folder.link(entry, to: folder("elsewhere"))
    #expect(try run(folder).output == first.output)
    #expect(folder.bytes("elsewhere") == bytes)
    #expect(
      try FileManager.default.attributesOfItem(atPath: folder(entry))[.type] as? FileAttributeType == .typeRegular)
  }

  @Test func aChangedFileIsReadAgain() throws {
    let folder = try Self.folder()
    let first = try run(folder)
    try folder.write("coffee.png", folder.bytes("rocket.jpg"))
    let second = try run(folder)
    #expect(first.outputLines[0] == second.outputLines[0])
    #expect(first.outputLines[1] != second.outputLines[1])
    #expect(
      second.outputLines[1].split(separator: "\t").dropFirst()
        == second.outputLines[2].split(separator: "\t").dropFirst())
  }

  @Test func aFolderThatCannotBeMadeStopsNothing() throws {
    let folder = try Self.folder()
    try folder.write("cache", "a file")
    #expect(try run(folder).status == 0)
  }

  @Test func picturesOfOperationsAreNotKept() throws {
    let folder = try Self.folder()
    try folder.write("t.lua", "print(require('imghost').open('coffee.png'):flip().score)")
    let outcome = try folder.imghost(["run", "t.lua"], environment: ["XDG_CACHE_HOME": folder("cache")])
    #expect(outcome.status == 0 && entries(folder).isEmpty, "\(outcome)")
  }

  @Test func damagedPicturesAreNamed() throws {
    let folder = try Folder()
    let photo = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/rocket.jpg")))
    try folder.write("short.jpg", [UInt8](photo.prefix(photo.count / 2)))
    let outcome = try folder.run("print(img.open('short.jpg').score)")
    outcome.expect(status: 1, error: "t.lua:")
    #expect(outcome.error.contains("short.jpg: ") && outcome.error.contains("truncated"), "\(outcome)")
  }

  @Test func everyKindOfPictureHasTraits() throws {
    let folder = try Self.folder()
    let outcome = try folder.run(
      """
      local p = img.open("coffee.png")
      p:to_profile("cmyk"):save("ink.jpg"):await()
      p:grayscale():save("gray.png"):await()
      p:ensure_alpha():save("alpha.png"):await()
      p:resize{ 2000, 100, fit = "cover" }:save("wide.jpg"):await()
      p:linear(0.02):save("black.png"):await()
      p:blur(6):save("soft.png"):await()
      img.canvas(1, 1):save("dot.png"):await()
      local function score(name) return img.open(name).score end
      local whole = score("coffee.png")
      for _, name in ipairs{ "ink.jpg", "gray.png", "alpha.png" } do
        assert(math.abs(score(name) - whole) < 0.1, name .. " " .. score(name))
      end
      assert(score("wide.jpg") > 0.3, score("wide.jpg"))
      assert(score("black.png") < 0.2, score("black.png"))
      assert(img.open("soft.png").sharpness < p.sharpness - 0.4, img.open("soft.png").sharpness)
      assert(score("dot.png") == 0)
      local a = p.attention
      assert(a.x >= 0 and a.y >= 0 and a.x + a.w <= 1 and a.y + a.h <= 1 and a.w > 0)
      """)
    outcome.expect(status: 0)
  }
}
