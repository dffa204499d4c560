import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Outputs of earlier runs whose places other outputs take, and outputs of jobs that the script cancels.
struct ContestedOutputTests {
  private static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write("a.png", Pixels(60, 40) { x, y in [UInt8(x * 3), UInt8(y * 5), 9] }.png())
    usleep(50_000)
    return folder
  }

  private static func run(_ folder: Folder, _ script: String, _ options: String..., status: Int32 = 0) throws -> Outcome
  {
    try folder.write("s.lua", "local img = require 'imghost' local a = img.open('a.png') " + script)
    let outcome = try folder.imghost(["run", "--only-changed", "--out", "o"] + options + ["s.lua"])
    outcome.expect(status: status)
    return outcome
  }

  private static func outputs(_ folder: Folder) -> [String] {
    folder.files.filter { $0.hasPrefix("o/") && !$0.hasPrefix("o/.imghost/") }.sorted()
  }

  /// Compares the outputs with those of a run from nothing.
  private static func compare(_ folder: Folder) throws {
    _ = try folder.imghost("run", "--out", "fresh", "s.lua")
    let fresh = folder.files.filter { $0.hasPrefix("fresh/") }.sorted()
    #expect(outputs(folder).map { $0.dropFirst(2) } == fresh.map { $0.dropFirst(6) })
    for file in fresh { #expect(folder.bytes("o/" + file.dropFirst(6)) == folder.bytes(file), "\(file)") }
    try? FileManager.default.removeItem(atPath: folder("fresh"))
  }

  /// A kind of pyramid: the call that makes it, and the path of one of its tiles.
  static let pyramids = [
    ("a:tiles('x', { size = 64, format = 'png' })", "x_files/6/0_0.png"),
    ("a:tiles('x', { size = 64, format = 'png', layout = 'iiif' })", "x/full/60,40/0/default.png"),
  ]

  /// A file becomes a tile of a pyramid, with the same bytes or with others: it is still made.
  @Test(arguments: pyramids, ["a", "a:invert()"])
  func filesBecomeTiles(_ pyramid: (call: String, tile: String), picture: String) throws {
    let folder = try Self.folder()
    _ = try Self.run(folder, "\(picture):save('\(pyramid.tile)')")
    for _ in 1...2 {
      let outcome = try Self.run(folder, pyramid.call, "--prune")
      #expect(!outcome.error.contains("longer"), "\(outcome)")
      try Self.compare(folder)
    }
  }

  /// A pyramid that is no longer made stays if another output is among its tiles.
  @Test(arguments: pyramids) func tilesBecomeFiles(_ pyramid: (call: String, tile: String)) throws {
    let folder = try Self.folder()
    _ = try Self.run(folder, pyramid.call)
    let outcome = try Self.run(folder, "a:invert():save('\(pyramid.tile)')", "--prune")
    #expect(outcome.error.contains("which stays, because another output lies among its tiles"), "\(outcome)")
    #expect(folder.exists("o/" + pyramid.tile))
    // The same holds for the outputs of another script.
    try folder.write("t.lua", "require('imghost').open('a.png'):invert():save('\(pyramid.tile)')")
    try folder.imghost("run", "--only-changed", "--out", "o", "t.lua").expect(status: 0)
    _ = try Self.run(folder, "a:save('k.png')", "--prune")
    #expect(folder.exists("o/" + pyramid.tile))
  }

  /// The names of kept outputs are taken: neither a name with a digest nor another one may replace them.
  @Test func namesOfKeptOutputsAreTaken() throws {
    let folder = try Self.folder()
    _ = try Self.run(folder, "for i = 0, 16 do a:crop(i, i, 8, 8):save(i .. '-{hash:1}.png') end")
    // Of 17 files, two have the same digit.
    var known: [Character: Int] = [:]
    var pair: (Int, Int)?
    for file in Self.outputs(folder) {
      let parts = file.dropFirst(2).split(separator: "-")
      let (number, digit) = (try #require(Int(parts[0])), try #require(parts[1].first))
      if let other = known[digit] { pair = (other, number) }
      known[digit] = number
    }
    let (one, two) = try #require(pair)
    func save(_ number: Int, _ name: String) -> String { "a:crop(\(number), \(number), 8, 8):save('\(name)') " }
    try FileManager.default.removeItem(atPath: folder("o"))
    _ = try Self.run(folder, save(one, "o-{hash:1}.png"))
    let name = try #require(Self.outputs(folder).first)
    let bytes = folder.bytes(name)
    for other in [save(two, "o-{hash:1}.png"), save(two, String(name.dropFirst(2)))] {
      for _ in 1...2 {
        let outcome = try Self.run(folder, save(one, "o-{hash:1}.png") + other, status: 1)
        #expect(outcome.error.contains("another output has this name"), "\(outcome)")
        #expect(folder.bytes(name) == bytes)
      }
    }
    // A refused file stays, too, and so does one outside the folder of outputs.
    try folder.write(name, "mine")
    _ = try Self.run(folder, save(one, "o-{hash:1}.png") + save(two, String(name.dropFirst(2))), status: 1)
    #expect(folder.bytes(name) == Array("mine".utf8))
    try folder.write(name, bytes)
    _ = try Self.run(folder, save(one, "../p/o-{hash:1}.png"))
    _ = try Self.run(folder, save(one, "../p/o-{hash:1}.png") + save(two, "../p/" + name.dropFirst(2)), status: 1)
    #expect(folder.bytes("p" + name.dropFirst(1)) == bytes)
    // Equal files share their name.
    let equal = try Self.run(folder, save(one, "o-{hash:1}.png") + save(one, "{stem}/../o-{hash:1}.png"))
    #expect(folder.bytes(name) == bytes, "\(equal)")
    // Without records, too, whichever of both is finished first.
    for second in [save(two, String(name.dropFirst(2))), save(two, "o-{hash:1}.png")] {
      let script = save(one, "o-{hash:1}.png") + second
      try folder.write("t.lua", "local img = require 'imghost' local a = img.open('a.png') " + script)
      try folder.imghost("run", "--out", "p", "t.lua").expect(status: 1)
      try FileManager.default.removeItem(atPath: folder("p"))
    }
  }

  /// A job that the script cancels makes and keeps nothing, nor do the jobs that follow it.
  @Test func cancelledJobsKeepNothing() throws {
    let folder = try Self.folder()
    let outputs = "a:save('c.png'); a:resize(30):save('d.png')"
    _ = try Self.run(folder, outputs)
    let cancelled = "local j = a:save('c.png'); j:cancel(); a:resize(30):save('d.png', { after = j })"
    let told = try Self.run(folder, cancelled)
    #expect(told.error.contains("no longer makes 'o/c.png', 'o/d.png'"), "\(told)")
    #expect(told.error.contains("2 cancelled") && Self.outputs(folder).count == 2, "\(told)")
    _ = try Self.run(folder, outputs)
    #expect(try Self.run(folder, outputs).error.contains("2 kept"))
    _ = try Self.run(folder, cancelled + " a:save('e.png')", "--prune")
    try Self.compare(folder)
  }

  /// What a failure cancels is still made by the script, and stays.
  @Test(
    arguments: [
      "img.open('bad.png'):save('bad.jpg'); for i = 1, 40 do a:resize(40 + i):save(i .. '.jpg', { quality = QUALITY }) end",
      "local j = img.open('bad.png'):save('bad.jpg'); a:save('d.jpg', { after = j, quality = QUALITY })",
      "img.open('bad.png'):save('bad.jpg'):await(); for i = 1, 9 do a:resize(40 + i):save(i .. '.jpg') end",
      "local j = a:save('edited.jpg', { quality = QUALITY }); a:save('d.jpg', { after = j, quality = QUALITY })",
    ], ["stop", "continue"])
  func failuresRemoveNothing(_ script: String, onError: String) throws {
    let folder = try Self.folder()
    try folder.copy(folder("a.png"), to: "bad.png")
    _ = try Self.run(folder, script.replacing("QUALITY", with: "80"))
    let all = Self.outputs(folder)
    try folder.write("bad.png", Array(folder.bytes("bad.png").dropLast(200)))
    if script.contains("edited") { try folder.write("o/edited.jpg", "mine") }
    let outcome = try Self.run(
      folder, script.replacing("QUALITY", with: "85"), "--prune", "--on-error", onError, status: 1)
    #expect(Self.outputs(folder) == all && !outcome.error.contains("longer"), "\(outcome)")
  }

  /// A link, a folder or a pipe in the place of an output that is no longer made is told, and stays.
  @Test(arguments: ["ln -s ../m.png b.png", "mkdir b.png", "mkfifo b.png"])
  func replacedFilesAreTold(_ command: String) throws {
    let folder = try Self.folder()
    _ = try Self.run(folder, "a:save('a.png'); a:save('b.png')")
    try folder.write("m.png", "mine")
    try FileManager.default.removeItem(atPath: folder("o/b.png"))
    try Command(program: "/bin/sh", arguments: ["-c", command], folder: folder("o")).run().expect(status: 0)
    let outcome = try Self.run(folder, "a:save('a.png')", "--prune")
    #expect(outcome.error.contains("no longer makes 'o/b.png', which was changed by hand"), "\(outcome)")
    #expect(FileManager.default.fileExists(atPath: folder("o/b.png")) && folder.exists("m.png"))
  }
}
