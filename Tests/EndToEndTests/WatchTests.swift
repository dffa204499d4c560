import Foundation
import Platform
import TestSupport
import Testing

/// `imghost run --watch`: which changes start a run, and how it ends.
@Suite(.wholeRuns) struct WatchTests {
  private static let script = "local img = require 'imghost' img.glob('in/*.png'):save('web/{stem}.jpg')"

  /// A watched script.
  private final class Watch {
    let folder: Folder
    let running: Command.Running
    private var runs = 0

    init(_ folder: Folder, _ options: [String] = [], script: String = "s.lua", waits: Bool = true) throws {
      self.folder = folder
      // What has changed directly before a run may have changed in it.
      usleep(100_000)
      running = try Command(
        arguments: ["run", "--watch", "--out", "o"] + options + [script], folder: folder.path
      ).start()
      if waits { try settle() }
    }

    deinit { if running.process.isRunning { running.send(SIGKILL) } }

    /// Waits until one more run has ended.
    func settle() throws {
      runs += 1
      let hasRun = running.wait { count >= runs }
      try #require(hasRun, "\(running.soFar)")
    }

    /// The number of runs so far.
    var count: Int { running.soFar.components(separatedBy: "waiting for changes").count - 1 }

    func has(_ output: String) -> Bool { running.wait { [folder] in folder.exists("o/" + output) } }

    func changes(_ output: String, by change: () throws -> Void) throws -> Bool {
      let before = folder.bytes("o/" + output)
      try change()
      return running.wait { [folder] in folder.exists("o/" + output) && folder.bytes("o/" + output) != before }
    }
  }

  /// Runs again when a picture or the script changes, waits after a mistake, and ends with Ctrl-C.
  @Test func runsAgainWhenFilesChange() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    let watch = try Watch(folder)
    // The first run is enough to learn which folders it reads.
    #expect(watch.count == 1 && watch.has("web/a.jpg") && watch.has("web/b.jpg"))
    #expect(try watch.changes("web/a.jpg") { try OnlyChangedTests.draw("a", 6, in: folder) })
    try OnlyChangedTests.draw("c", 7, in: folder)
    #expect(watch.has("web/c.jpg"))
    try folder.write("s.lua", "local img = require 'imghost' img.glob('in/*.png'):save{")
    try folder.write("s.lua", Self.script.replacing("web/", with: "new/"))
    #expect(watch.has("new/c.jpg"))
    // A folder that is made again is another one.
    try FileManager.default.moveItem(atPath: folder("in"), toPath: folder("away"))
    #expect(watch.running.wait { watch.running.soFar.contains("matches no file") })
    try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: false)
    try OnlyChangedTests.draw("d", 8, in: folder)
    #expect(watch.has("new/d.jpg"))
    try OnlyChangedTests.draw("e", 9, in: folder)
    #expect(watch.has("new/e.jpg"))
    watch.running.send(SIGINT)
    watch.running.finish(within: 10).expect(status: 130)
  }

  /// The program that draws a report's thumbnails reads the outputs, and must not tell what is watched.
  @Test func aReportChangesNothing() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    let watch = try Watch(folder, ["--report", "r.html"])
    #expect(try watch.changes("web/a.jpg") { try OnlyChangedTests.draw("a", 6, in: folder) })
    try watch.settle()
    usleep(300_000)
    #expect(watch.count == 2, "\(watch.running.soFar)")
  }

  @Test func newFoldersAreSearched() throws {
    let folder = try OnlyChangedTests.folder(Self.script.replacing("in/*", with: "in/**/*"))
    let watch = try Watch(folder)
    try folder.makeFolder("in/two")
    try watch.settle()
    try OnlyChangedTests.draw("two/c", 7, in: folder)
    #expect(watch.has("web/c.jpg"))
  }

  /// A folder that is missing at first is noticed when it is made, step by step.
  @Test func missingFoldersAreAwaited() throws {
    let folder = try Folder()
    try folder.write("s.lua", Self.script.replacing("in/", with: "far/in/"))
    let watch = try Watch(folder)
    for name in ["far", "far/in"] {
      try folder.makeFolder(name)
      try watch.settle()
    }
    try OnlyChangedTests.draw("../far/in/a", 7, in: folder)
    #expect(watch.has("web/a.jpg"))
  }

  @Test func targetsOfLinksAreWatched() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    for name in ["in/a.png", "s.lua"] {
      try folder.makeFolder("far")
      let target = "far/" + name.replacing("in/", with: "")
      try FileManager.default.moveItem(atPath: folder(name), toPath: folder(target))
      try FileManager.default.createSymbolicLink(atPath: folder(name), withDestinationPath: folder(target))
    }
    let watch = try Watch(folder)
    #expect(try watch.changes("web/a.jpg") { try OnlyChangedTests.draw("../far/a", 6, in: folder) })
    try watch.settle()
    try folder.write("far/s.lua", Self.script.replacing("web/", with: "new/"))
    #expect(watch.has("new/b.jpg"))
  }

  /// Also if the folder is one in which outputs lie, and if a link within a link leads to another folder.
  @Test func foldersThatAreReplacedAreNoticed() throws {
    let folder = try OnlyChangedTests.folder(Self.script.replacing("web/", with: "../in/small/"))
    let watch = try Watch(folder)
    try folder.makeFolder("next")
    try OnlyChangedTests.draw("../next/c", 7, in: folder)
    try FileManager.default.moveItem(atPath: folder("in"), toPath: folder("away"))
    try FileManager.default.moveItem(atPath: folder("next"), toPath: folder("in"))
    #expect(watch.running.wait { folder.exists("in/small/c.jpg") })
    try OnlyChangedTests.draw("d", 8, in: folder)
    #expect(watch.running.wait { folder.exists("in/small/d.jpg") })
  }

  @Test func newLinksAreNoticed() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    let watch = try Watch(folder)
    try FileManager.default.createSymbolicLink(atPath: folder("in/c.png"), withDestinationPath: "a.png")
    #expect(watch.has("web/c.jpg"))
    try FileManager.default.linkItem(atPath: folder("in/b.png"), toPath: folder("in/d.png"))
    #expect(watch.has("web/d.jpg"))
    // Some programs give a finished file its name by a link, and remove the name that it had.
    try folder.makeFolder("far")
    try OnlyChangedTests.draw("../far/e", 7, in: folder)
    usleep(50_000)
    #expect(link(folder("far/e.png"), folder("in/e.png")) == 0 && unlink(folder("far/e.png")) == 0)
    #expect(watch.has("web/e.jpg"))
  }

  /// A picture that could not be read may be readable then.
  @Test func permissionsAreNoticed() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    let watch = try Watch(folder)
    #expect(chmod(folder("in/a.png"), 0o600) == 0)
    try watch.settle()
    // Those of other files are not.
    try folder.write("notes.txt", "x")
    #expect(chmod(folder("notes.txt"), 0o600) == 0)
    #expect(try watch.changes("web/a.jpg") { try OnlyChangedTests.draw("a", 6, in: folder) })
    try watch.settle()
    #expect(watch.count == 3, "\(watch.running.soFar)")
  }

  @Test func foldersNeedNotBeUTF8() throws {
    let folder = try OnlyChangedTests.folder(Self.script.replacing("in/*", with: "in/**/*"))
    let inner = Array((folder("in/") + "caf").utf8CString.dropLast()) + [CChar(bitPattern: 0xe9)]
    #expect(mkdir(inner + [0], 0o755) == 0)
    let watch = try Watch(folder)
    try OnlyChangedTests.draw("c", 7, in: folder)
    #expect(watch.has("web/c.jpg"))
    try OnlyChangedTests.draw("../d", 8, in: folder)
    usleep(50_000)
    let name = Array("/d.png".utf8CString)
    #expect(rename(folder("d.png"), inner + name) == 0)
    #expect(watch.has("web/d.jpg"))
  }

  /// Otherwise two watched scripts in one folder could start each other for ever.
  @Test func otherFilesStartNoRun() throws {
    let folder = try OnlyChangedTests.folder(Self.script)
    let watch = try Watch(folder)
    for name in ["notes.txt", ".s.lua.swp", "in/.hidden.png"] { try folder.write(name, "x") }
    usleep(300_000)
    try OnlyChangedTests.draw("a", 6, in: folder)
    try watch.settle()
    #expect(watch.count == 2, "\(watch.running.soFar)")
  }

  /// A signal to this process alone ends the run in order.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalsEndTheRun(_ signal: Int32) throws {
    let folder = try Folder()
    try folder.write(
      "s.lua",
      """
      local img = require "imghost"
      for i = 1, 200 do img.canvas(900, 900):blur(40 + i):save(i .. ".png") end
      """)
    let watch = try Watch(folder, waits: false)
    #expect(watch.running.wait { folder.temporaries.contains { $0.hasPrefix("o/") } }, "\(watch.running.soFar)")
    watch.running.send(signal)
    let outcome = watch.running.finish(within: 10)
    outcome.expect(status: 128 + signal, error: "cancelled")
    #expect(folder.temporaries.isEmpty)
  }

  @Test func scriptsThatAreNoFilesAreRefused() throws {
    let folder = try Folder()
    #expect(mkfifo(folder("pipe.lua"), 0o600) == 0)
    for script in ["-", "/dev/null", "pipe.lua"] {
      try folder.imghost("run", "--watch", script).expect(status: 2, error: "needs a script in a file")
    }
  }
}
