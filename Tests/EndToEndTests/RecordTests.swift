import Foundation
import ImageCore
import PictureTestSupport
import Platform
import TestSupport
import Testing

/// Records that do not match the files: after a kill, a copy, a change of the clock, or a change of a file at a bad
/// moment.
struct RecordTests {
  private static let two = """
    local img = require "imghost"
    img.open("in/a.png"):resize(12):save("a.jpg")
    img.open("in/b.png"):resize(12):save("b.jpg")

    """

  /// Runs the script while its record cannot be written, so that only the journal is left, as after a kill.
  private func runWithoutRecord(_ folder: Folder) throws {
    let record = try #require(folder.files.first { $0.contains("/record-") })
    let old = folder.bytes(record)
    try FileManager.default.removeItem(atPath: folder(record))
    try folder.makeFolder(record + "/x")
    _ = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    try FileManager.default.removeItem(atPath: folder(record))
    try folder.write(record, old)
  }

  /// A tile that is gone is made again; one that somebody has changed protects the pyramid.
  @Test(arguments: sampled(["deepzoom", "iiif"])) func missingTilesAreMadeAgain(_ layout: String) throws {
    let folder = try OnlyChangedTests.folder(
      "require('imghost').open('in/a.png'):tiles('zoom/a', { size = 16, layout = '\(layout)' })")
    try OnlyChangedTests.run(folder, written: 1)
    let tiles = folder.files.filter { $0.hasPrefix("o/zoom/") && !$0.hasSuffix(".dzi") && !$0.hasSuffix("info.json") }
    #expect(tiles.count > 3)
    for gone in [
      [tiles[0]], [tiles[1], tiles[2]], ["o/zoom/a" + (layout == "deepzoom" ? ".dzi" : "/info.json")], tiles,
    ] {
      for tile in gone { try FileManager.default.removeItem(atPath: folder(tile)) }
      #expect(try OnlyChangedTests.due(folder).values.sorted() == ["the file is missing"], "\(gone)")
      try OnlyChangedTests.run(folder, written: 1)
      try OnlyChangedTests.run(folder, written: 0)
    }
    try FileManager.default.removeItem(atPath: folder(tiles[0]))
    try folder.write(tiles[1], "mine")
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 1)
    #expect(folder.bytes(tiles[1]) == Array("mine".utf8))
    try FileManager.default.removeItem(atPath: folder(tiles[1]))
    try folder.write("o/zoom/" + (layout == "deepzoom" ? "a_files/" : "a/") + "notes.txt", "mine")
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 1)
  }

  /// An output whose name has its digest is kept after a kill, and the one that it replaces is no longer made.
  @Test func hashedNamesAreKeptAfterAKill() throws {
    let folder = try OnlyChangedTests.folder(
      "local img = require 'imghost' for _, p in ipairs(img.glob('in/*.png')) do p:save('{stem}-{hash:8}.png') end")
    try OnlyChangedTests.run(folder, written: 2)
    try OnlyChangedTests.draw("a", 9, in: folder)
    try runWithoutRecord(folder)
    #expect(folder.files.filter { $0.hasPrefix("o/a-") }.count == 2)
    #expect(try OnlyChangedTests.due(folder) == [:])
    let outcome = try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua")
    outcome.expect(status: 0, error: "0 files written")
    #expect(folder.files.filter { $0.hasPrefix("o/a-") }.count == 1, "\(outcome)")
    try OnlyChangedTests.run(folder, written: 0)
  }

  /// Texts depend on the files and folders that fontconfig's configuration names.
  @Test func fontconfigCounts() throws {
    let folder = try OnlyChangedTests.folder("require('imghost').text('hello', { size = 20 }):save('t.png')")
    try folder.write(
      "fonts.conf",
      """
      <?xml version="1.0"?><fontconfig><include>/etc/fonts/fonts.conf</include><dir>\(folder("fonts"))</dir>
      <include ignore_missing="yes">\(folder("more.conf"))</include></fontconfig>
      """)
    try folder.makeFolder("fonts")
    let environment = ["FONTCONFIG_FILE": folder("fonts.conf")]
    func run() throws -> String {
      let outcome = try folder.imghost(["run", "--only-changed", "--out", "o", "s.lua"], environment: environment)
      outcome.expect(status: 0)
      return outcome.error
    }
    #expect(try run().contains("1 file written"))
    #expect(try run().contains("0 files written"))
    for (name, text) in [
      ("more.conf", "<?xml version=\"1.0\"?><fontconfig></fontconfig>"),
      ("more.conf", "<?xml version=\"1.0\"?><fontconfig><!-- other --></fontconfig>"), ("fonts/a.otf", "no font"),
    ] {
      try folder.write(name, text)
      #expect(try run().contains("1 file written"), "\(name)")
      #expect(try run().contains("0 files written"), "\(name)")
    }
  }

  /// Only what converts between profiles depends on the plugin that does so, from the first run on.
  @Test func theColourPluginCounts() throws {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      img.open("in/a.png"):to_profile("adobe-rgb"):save("wide.jpg")
      img.open("in/b.png"):resize(12):save("b.jpg")
      img.book("print.pdf", { img.open("in/b.png") }, { conformance = "pdf/x-4", title = "T" })
      """)
    try folder.copy(Built.folder + "/libColourPlugin.so", to: "plugins/libColourPlugin.so")
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins"), "SOURCE_DATE_EPOCH": "1000000000"]
    func written() throws -> Set<String> {
      let outcome = try folder.imghost(
        ["run", "--only-changed", "--explain", "--out", "o", "s.lua"], environment: environment)
      outcome.expect(status: 0)
      return Set(outcome.errorLines.filter { $0.hasPrefix("o/") }.map { String($0.prefix { $0 != ":" }) })
    }
    #expect(try written() == ["o/wide.jpg", "o/b.jpg", "o/print.pdf"])
    for _ in 0..<2 { #expect(try written() == []) }
    try folder.write("plugins/libColourPlugin.so", folder.bytes("plugins/libColourPlugin.so") + [0])
    #expect(try written() == ["o/wide.jpg", "o/print.pdf"])
    #expect(try written() == [])
  }

  /// A text that is by chance the name of a file does not depend on that file.
  @Test func textsAreNoFiles() throws {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      img.open("in/a.png"):with_metadata { title = "note.txt", keywords = { "x", "note.txt" } }:save("a.jpg")
      img.book("a.pdf", { img.open("in/a.png") }, { title = "note.txt" })
      """)
    try OnlyChangedTests.run(folder, written: 2)
    for text in ["1", "2"] {
      try folder.write("note.txt", text)
      try OnlyChangedTests.run(folder, written: 0)
    }
  }

  /// A folder that is moved, with its records, is known by the bytes of its files.
  @Test func survivesMoves() throws {
    let folder = try OnlyChangedTests.folder()
    try OnlyChangedTests.run(folder, written: 8)
    try FileManager.default.moveItem(atPath: folder("o"), toPath: folder("p"))
    let outcome = try folder.imghost("run", "--only-changed", "--prune", "--out", "p", "s.lua")
    outcome.expect(status: 0, error: "0 files written")
    // Nothing is left of the old name, so all is made there.
    try OnlyChangedTests.run(folder, written: 8)
  }

  /// Records from another machine have other inodes and times, and digests that hold.
  @Test func recordsOfAnotherMachineAreUsed() throws {
    let folder = try OnlyChangedTests.folder(Self.two)
    try OnlyChangedTests.run(folder, written: 2)
    for name in ["in/a.png", "in/b.png", "o/a.jpg", "o/b.jpg"] {
      let bytes = folder.bytes(name)
      try FileManager.default.removeItem(atPath: folder(name))
      try folder.write(name, bytes)
      try setTimes(folder(name), secondsFromNow: -86_400)
    }
    try OnlyChangedTests.run(folder, written: 0)
  }

  /// Records that another user could have written are not used, and nothing that they name is removed.
  @Test func recordsOfOthersAreNotTrusted() throws {
    let folder = try OnlyChangedTests.folder(Self.two)
    try OnlyChangedTests.run(folder, written: 2)
    let record = try #require(folder.files.first { $0.contains("/record-") })
    #expect(chmod(folder((record as NSString).deletingLastPathComponent), 0o777) == 0)
    let outcome = try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua")
    outcome.expect(status: 2, error: "cannot be written: permission denied; remove it, or run without --only-changed")
    // Without the option, there is no record, and all is made.
    try folder.imghost("run", "--out", "o", "s.lua").expect(status: 0, error: "2 files written")
  }

  /// A folder that cannot be written into keeps no records, and a run says so before it makes anything.
  @Test func foldersThatCannotBeWrittenAreNamed() throws {
    let folder = try OnlyChangedTests.folder(Self.two)
    try folder.write("o/.imghost", "a file")
    let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    outcome.expect(status: 2, error: "cannot be written")
    #expect(outcome.error.contains(".imghost") && !folder.exists("o/a.jpg"), "\(outcome)")
    try folder.imghost("run", "--out", "o", "s.lua").expect(status: 0)
  }

  /// Files from the future, as after a clock that was set back, are known by their bytes, and their edits are seen.
  @Test func clocksThatGoBackDoNoHarm() throws {
    let folder = try OnlyChangedTests.folder(Self.two)
    try setTimes(folder("in/a.png"), secondsFromNow: 86_400)
    try OnlyChangedTests.run(folder, written: 2)
    try setTimes(folder("o/b.jpg"), secondsFromNow: 86_400)
    try OnlyChangedTests.run(folder, written: 0)
    // Other bytes with an older time, and with that of before.
    for (number, seconds) in [(7, -86_400), (8, 86_400)] {
      try OnlyChangedTests.draw("a", number, in: folder)
      try setTimes(folder("in/a.png"), secondsFromNow: seconds)
      #expect(try OnlyChangedTests.due(folder) == ["a.jpg": "'in/a.png' has changed"])
      try OnlyChangedTests.run(folder, written: 1)
    }
    // An edit that sets the time back to what it was.
    var status = stat()
    #expect(stat(folder("o/b.jpg"), &status) == 0)
    var bytes = folder.bytes("o/b.jpg")
    bytes[bytes.count / 2] ^= 1
    try folder.write("o/b.jpg", bytes)
    let times = [status.modificationTime, status.modificationTime]
    #expect(utimensat(AT_FDCWD, folder("o/b.jpg"), times, 0) == 0)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 1, error: "o/b.jpg: the file was")
  }

  /// An output of a source that changes during the run is made again by the next one, because it may have old pixels.
  @Test func sourcesThatChangeMeanwhileAreDueAgain() throws {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      img.open("in/a.png"):resize(12):save("a.jpg"):await()
      img.open("pipe"):save("b.png")
      """)
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let running = try Command(
      arguments: ["run", "--only-changed", "--out", "o", "s.lua"], folder: folder.path
    ).start()
    #expect(running.wait { folder.exists("o/a.jpg") })
    try OnlyChangedTests.draw("a", 9, in: folder)
    try Data(folder.bytes("in/b.png")).write(to: URL(fileURLWithPath: folder("pipe")))
    running.finish(within: 20).expect(status: 0)
    try folder.write("s.lua", "require('imghost').open('in/a.png'):resize(12):save('a.jpg')")
    #expect(try OnlyChangedTests.due(folder).keys.contains("a.jpg"))
    try OnlyChangedTests.run(folder, written: 1)
  }

  /// A script reads profiles and headers before its outputs are planned. What changes between the two is due again.
  @Test(arguments: [
    ("local p = img.open('in/a.png'):to_profile('in/x.icc')", "p:save('o.png')", false),
    ("local p = img.open('in/a.png'):to_profile('in/x.icc')", "p:save('o.png')", true),
    ("", "img.open('in/a.png'):save('o.png', { profile = 'in/x.icc' })", false),
    ("local b = img.open('in/b.png') local size = b.width", "img.book('o.pdf', { b, img.open('in/a.png') })", false),
    ("local b = img.open('in/b.png') local size = b.width", "img.book('o.pdf', { b, img.open('in/a.png') })", true),
  ])
  func filesThatChangeBeforeThePlan(_ early: String, _ late: String, _ isSwitched: Bool) throws {
    func script(_ wait: String) -> String { "local img = require 'imghost' \(early) \(wait) \(late)" }
    let folder = try OnlyChangedTests.folder(script("print('read') local w = img.open('pipe').width"))
    try folder.write("in/x.icc", StandardProfile.displayP3.bytes)
    try folder.write("new/x.icc", StandardProfile.srgb.bytes)
    try folder.write("new/a.png", folder.bytes("in/a.png"))
    try folder.write("new/b.png", Pixels.waves(31, 17).png())
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    let running = try Command(
      arguments: ["run", "--only-changed", "--out", "o", "s.lua"], folder: folder.path
    ).start()
    #expect(running.wait { running.soFar.contains("read") })
    if isSwitched {
      // The files are older than the program; only their folder gets another name.
      #expect(rename(folder("in"), folder("old")) == 0 && rename(folder("new"), folder("in")) == 0)
    } else {
      try folder.write("new.icc", StandardProfile.adobeRGB.bytes)
      #expect(rename(folder("new.icc"), folder("in/x.icc")) == 0)
      try folder.write("in/b.png", Pixels.waves(31, 17).png())
    }
    try Data(folder.bytes("in/a.png")).write(to: URL(fileURLWithPath: folder("pipe")))
    running.finish(within: 20).expect(status: 0, error: "changed during the run; run again")
    try folder.write("s.lua", script(""))
    try OnlyChangedTests.run(folder, written: 1)
    try OnlyChangedTests.run(folder, written: 0)
  }

  /// A script that reads its own outputs makes nothing again.
  @Test(arguments: ["a.png", "a.{hash}.png"]) func ownOutputsAsSources(_ name: String) throws {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      local job = img.open("in/a.png"):resize(20):save("\(name)"):await()
      img.open(job.files[1]):flip():save("b.png")
      """)
    for count in [2, 0] {
      let outcome = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
      outcome.expect(status: 0, error: "\(count) files written")
      #expect(!outcome.error.contains("changed during the run"))
    }
  }

  private func setTimes(_ path: String, secondsFromNow seconds: Int) throws {
    let date = Date(timeIntervalSinceNow: Double(seconds))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
  }
}
