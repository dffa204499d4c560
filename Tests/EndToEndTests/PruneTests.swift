import Foundation
import PictureTestSupport
import Testing

/// `--prune` removes what the script no longer makes, as long as it is as imghost wrote it, and nothing else.
struct PruneTests {
  private static let script = """
    local img = require "imghost"
    for _, photo in ipairs(img.glob("in/*.png")) do photo:resize(20):save("w/{stem}.jpg") end

    """

  private static func prune(_ folder: Folder, _ options: String..., script: String = "s.lua", status: Int32 = 0) throws
    -> Outcome
  {
    let outcome = try folder.imghost(["run", "--only-changed", "--prune", "--out", "o"] + options + [script])
    outcome.expect(status: status)
    return outcome
  }

  /// Two scripts may make the same files.
  @Test func sparesWhatOtherScriptsMake() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    try folder.write("t.lua", Self.script)
    for script in ["s.lua", "t.lua", "s.lua", "t.lua"] {
      try folder.imghost("run", "--only-changed", "--out", "o", script).expect(status: 0)
    }
    try folder.write("s.lua", Self.script.replacingOccurrences(of: "*.png", with: "a.png"))
    _ = try Self.prune(folder)
    #expect(folder.exists("o/w/b.jpg"))
    try folder.write("t.lua", Self.script.replacingOccurrences(of: "*.png", with: "a.png"))
    _ = try Self.prune(folder, script: "t.lua")
    #expect(!folder.exists("o/w/b.jpg"))
  }

  /// A cache of a build server unpacks the outputs anew, with their times or without.
  @Test(arguments: ["-a", "-r"]) func removesCopies(option: String) throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try Command(program: "/bin/cp", arguments: [option, "o", "copy"], folder: folder.path, seconds: 20).run().expect(
      status: 0)
    try FileManager.default.removeItem(atPath: folder("o"))
    try FileManager.default.moveItem(atPath: folder("copy"), toPath: folder("o"))
    try FileManager.default.removeItem(atPath: folder("in/b.png"))
    #expect(try Self.prune(folder).error.contains("removed 'o/w/b.jpg'"))
    #expect(!folder.exists("o/w/b.jpg") && folder.exists("o/w/a.jpg"))
  }

  /// The name of an output with a digest changes with its bytes, and the old file goes in the same run.
  @Test func removesOldDigestsAtOnce() throws {
    let folder = try OnlyChangedTests.folder("require('imghost').open('in/a.png'):save('{stem}-{hash:8}.png')")
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    let old = try #require(folder.files.first { $0.hasPrefix("o/a-") })
    try OnlyChangedTests.draw("a", 7, in: folder)
    _ = try Self.prune(folder)
    let left = folder.files.filter { $0.hasPrefix("o/a-") }
    #expect(left.count == 1 && left != [old])
    try OnlyChangedTests.run(folder, written: 0)
  }

  /// A pattern that matches nothing is more often a folder that is missing than a wish.
  @Test func removesNothingWithoutPictures() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try FileManager.default.moveItem(atPath: folder("in"), toPath: folder("away"))
    _ = try Self.prune(folder, "--on-error", "continue", status: 1)
    try folder.write("s.lua", "print 'nothing'")
    _ = try Self.prune(folder)
    #expect(folder.exists("o/w/a.jpg") && folder.exists("o/w/b.jpg"))
  }

  /// Folders that have become empty go as well, up to the folder of outputs.
  @Test(arguments: ["o", "."]) func removesEmptyFolders(output: String) throws {
    let folder = try OnlyChangedTests.folder(
      """
      local img = require "imghost"
      for _, photo in ipairs(img.glob("in/*.png")) do
        photo:resize(20):save("w/2026/{stem}/small.jpg")
        photo:tiles("zoom/{stem}", { layout = "iiif", size = 16, id = "https://host/" })
      end
      """)
    let options = ["run", "--only-changed", "--prune", "--out", output, "s.lua"]
    try folder.imghost(options).expect(status: 0)
    try folder.makeFolder("\(output)/w/2025")
    try FileManager.default.removeItem(atPath: folder("in/b.png"))
    try folder.imghost(options).expect(status: 0)
    for gone in ["w/2026/b", "zoom/b"] { #expect(!folder.exists("\(output)/\(gone)"), "\(gone)") }
    try folder.write("s.lua", "require('imghost').open('in/a.png'):save('a.png')")
    try folder.imghost(options).expect(status: 0)
    for gone in ["w/2026", "zoom"] { #expect(!folder.exists("\(output)/\(gone)"), "\(gone)") }
    #expect(folder.exists("\(output)/w/2025") && folder.exists("\(output)/a.png"))
  }

  /// A dry run tells of outputs that were changed by hand, too.
  @Test func dryRunsTellOfEdits() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try folder.write("o/w/b.jpg", "mine")
    #expect(try OnlyChangedTests.due(folder).map(\.key) == ["w/b.jpg"])
  }

  /// Two outputs whose names contain digests exchange their files: neither is an output that the script no longer makes.
  @Test func exchangedDigests() throws {
    let folder = try Folder()
    func draw(_ names: [String]) throws {
      for (factor, name) in names.enumerated() {
        try folder.write(name, Pixels(20, 20) { x, y in [UInt8(x * (factor + 3)), UInt8(y), 9] }.png())
      }
      usleep(50_000)
    }
    try folder.write(
      "s.lua",
      "local img = require 'imghost' for _, n in ipairs{ 'a', 'b' } do img.open(n .. '.png'):resize(9):save('x-{hash:8}.jpg') end"
    )
    for names in [["a.png", "b.png"], ["b.png", "a.png"]] {
      try draw(names)
      let outcome = try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua")
      outcome.expect(status: 0)
      #expect(!outcome.error.contains("longer") && folder.files.count { $0.hasPrefix("o/x-") } == 2, "\(outcome)")
    }
    for file in folder.files where file.hasPrefix("o/x-") { try folder.write(file, [1]) }
    for _ in 1...2 {
      let outcome = try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua")
      outcome.expect(status: 1)
      #expect(!outcome.error.contains("longer") && folder.files.count { $0.hasPrefix("o/x-") } == 2, "\(outcome)")
    }
  }
}
