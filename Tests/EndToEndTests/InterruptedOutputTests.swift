import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Files and pyramids that a run with `--only-changed` was about to complete when it was killed.
struct InterruptedOutputTests {
  /// A kind of output.
  enum Kind {
    case file, deepzoom, iiif

    /// The call that makes the output.
    var call: String {
      self == .file ? "save('t/a.bmp')" : "tiles('t/a', { size = 16, layout = '\(self)' })"
    }
    var path: String {
      switch self {
      case .file: "o/t/a.bmp"
      case .deepzoom: "o/t/a.dzi"
      case .iiif: "o/t/a/info.json"
      }
    }
    /// The folder of tiles; nil for a file.
    var tiles: String? {
      switch self {
      case .file: nil
      case .deepzoom: "o/t/a_files"
      case .iiif: "o/t/a"
      }
    }
  }

  /// The moment at which a run is killed, after it has told the records what it will show.
  enum Moment {
    case beforeAll
    /// The folder of tiles is the new one, but the file that describes it is the old one.
    case betweenFolderAndFile
    case afterAll
  }

  private static let cases: [(Kind, Moment)] = [
    (.file, .beforeAll), (.file, .afterAll), (.deepzoom, .beforeAll), (.deepzoom, .betweenFolderAndFile),
    (.deepzoom, .afterAll), (.iiif, .beforeAll), (.iiif, .afterAll),
  ]

  /// Makes an output, kills the run that makes the next version of it, and writes a script.
  ///
  /// - Parameter options: the options of the killed run.
  private static func kill(
    _ kind: Kind, _ moment: Moment, then script: String? = nil, _ options: [String] = ["--only-changed"]
  ) throws -> Folder {
    let folder = try Folder()
    try folder.makeFolder("plugins")
    try Fixture.compile("misbehaving", ["HANG"], to: folder("plugins/libodd.so"), options: ["-pthread"])
    func draw(_ factor: Int) throws {
      try folder.write("a.png", Pixels(50, 40) { x, y in [UInt8(x * factor), UInt8(y * factor), 9] }.png())
      // What was changed just before a run might change again without a trace.
      usleep(50_000)
    }
    func copy(_ from: String, _ to: String) throws {
      try Command(program: "/bin/cp", arguments: ["-a", folder(from), folder(to)], folder: folder.path).run()
        .expect(status: 0)
    }
    let start = "local img = require 'imghost' img.open('a.png'):"
    try draw(3)
    try folder.write("s.lua", start + kind.call)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try copy("o/t", "old")
    func inode() -> UInt64 {
      var status = stat()
      return stat(folder(kind.path), &status) == 0 ? UInt64(status.st_ino) : 0
    }
    let before = inode()

    try draw(5)
    try folder.write("s.lua", start + kind.call + " img.open('a.png'):plugin('odd'):save('b.png')")
    let running = try Command(
      arguments: ["run"] + options + ["-j", "1", "--out", "o", "s.lua"], folder: folder.path,
      environment: ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    ).start()
    #expect(running.wait { ![0, before].contains(inode()) }, "\(running.soFar)")
    running.send(SIGKILL)
    _ = running.finish(within: 10)
    switch moment {
    case .beforeAll:
      try FileManager.default.removeItem(atPath: folder("o/t"))
      try copy("old", "o/t")
    case .betweenFolderAndFile: try copy("old/" + kind.path.dropFirst(4), kind.path)
    case .afterAll: break
    }
    // A change within the same step of the file system's clock would not be seen.
    usleep(20_000)
    try folder.write("s.lua", script ?? start + kind.call)
    return folder
  }

  private static func run(_ folder: Folder, _ options: String...) throws -> Outcome {
    try folder.imghost(["run", "--only-changed", "--explain"] + options + ["--out", "o", "s.lua"])
  }

  @Test(arguments: cases) func isMadeAgain(_ kind: Kind, _ moment: Moment) throws {
    let folder = try Self.kill(kind, moment)
    try Self.run(folder).expect(status: 0, error: kind == .file ? "" : "an earlier run did not finish it")
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    for path in folder.files where path.hasPrefix("fresh/") {
      #expect(folder.bytes(path) == folder.bytes("o" + path.dropFirst(5)), "\(path)")
    }
    try Self.run(folder).expect(status: 0, error: "0 files written")
  }

  /// A whole run takes over what a killed shard has left, and what was edited after the kill stays.
  @Test(arguments: cases, [false, true]) func isTakenOver(_ output: (Kind, Moment), _ isEdited: Bool) throws {
    let (kind, moment) = output
    let folder = try Self.kill(kind, moment, ["--shard", "0/1"])
    if isEdited {
      try folder.write(kind.path, [1, 2, 3])
      try Self.run(folder).expect(status: 1, error: "the file was changed since imghost wrote it")
      return
    }
    try Self.run(folder).expect(status: 0)
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    for path in folder.files where path.hasPrefix("fresh/") {
      #expect(folder.bytes(path) == folder.bytes("o" + path.dropFirst(5)), "\(path)")
    }
  }

  /// Whatever another program has changed after the kill stays.
  @Test(arguments: cases, [true, false]) func staysIfEdited(_ output: (Kind, Moment), _ isTile: Bool) throws {
    let (kind, moment) = output
    if isTile, kind == .file { return }
    let folder = try Self.kill(kind, moment)
    let tile = folder.files.first { file in file.hasPrefix((kind.tiles ?? "-") + "/") && file.hasSuffix(".jpg") }
    let edited = isTile ? try #require(tile) : kind.path
    try folder.write(edited, [1, 2, 3])
    for _ in 1...2 {
      try Self.run(folder).expect(status: 1, error: "the file was changed since imghost wrote it")
      #expect(folder.bytes(edited) == [1, 2, 3])
    }
    try folder.write("s.lua", "require('imghost').canvas(2, 2):save('c.png')")
    for _ in 1...2 {
      try Self.run(folder, "--prune").expect(status: 0, error: "was changed by hand")
      #expect(folder.bytes(edited) == [1, 2, 3] && folder.exists(kind.path))
    }
  }

  /// An output that the script no longer makes is removed by `--prune`, in the next run or in a later one.
  @Test(arguments: cases, [false, true]) func isPruned(_ output: (Kind, Moment), _ isLater: Bool) throws {
    let (kind, moment) = output
    let folder = try Self.kill(kind, moment, then: "require('imghost').canvas(2, 2):save('c.png')")
    if isLater {
      for _ in 1...2 {
        try Self.run(folder).expect(status: 0, error: "the script no longer makes '\(kind.path)'")
        #expect(folder.exists(kind.path))
      }
    }
    try Self.run(folder, "--prune").expect(status: 0, error: "removed '\(kind.path)'")
    #expect(folder.files.filter { $0.hasPrefix("o/") && !$0.contains("/.imghost/") } == ["o/c.png"])
  }

  /// A later run that makes the output again finds it as the killed run has left it.
  @Test(arguments: cases) func isMadeAgainLater(_ kind: Kind, _ moment: Moment) throws {
    let folder = try Self.kill(kind, moment, then: "require('imghost').canvas(2, 2):save('c.png')")
    try Self.run(folder).expect(status: 0)
    try folder.write("s.lua", "local img = require 'imghost' img.open('a.png'):" + kind.call)
    // A file that was complete is not made again.
    let written = kind == .file && moment == .afterAll ? "0 files" : "1 file"
    try Self.run(folder).expect(status: 0, error: written + " written")
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    for path in folder.files where path.hasPrefix("fresh/") {
      #expect(folder.bytes(path) == folder.bytes("o" + path.dropFirst(5)), "\(path)")
    }
  }

  /// The folder of a pyramid whose description is still missing is removed, but no folder of another program.
  @Test(arguments: [true, false]) func isPrunedWithoutItsFile(_ isOwn: Bool) throws {
    let folder = try Self.kill(.deepzoom, .afterAll, then: "require('imghost').canvas(2, 2):save('c.png')")
    try FileManager.default.removeItem(atPath: folder("o/t/a.dzi"))
    if !isOwn {
      try FileManager.default.removeItem(atPath: folder("o/t/a_files"))
      try FileManager.default.copyItem(atPath: folder("old/a_files"), toPath: folder("o/t/a_files"))
    }
    for options in [[], ["--prune"]] {
      let outcome = try folder.imghost(["run", "--only-changed"] + options + ["--out", "o", "s.lua"])
      outcome.expect(status: 0)
      #expect(outcome.error.contains("'o/t/a.dzi'") == isOwn, "\(outcome)")
    }
    #expect(folder.exists("o/t/a_files/0/0_0.jpg") != isOwn)
  }

  /// What a link leads to is not removed, because it may lie outside the folder of outputs.
  @Test func linkedFoldersAreNotPruned() throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(50, 40).png())
    try folder.makeFolder("o")
    try folder.makeFolder("other/tiles")
    symlink("../other/tiles", folder("o/a_files"))
    try folder.write("s.lua", "require('imghost').open('a.png'):tiles('a', { size = 16 })")
    try Self.run(folder).expect(status: 0)
    try folder.write("s.lua", "require('imghost').canvas(2, 2):save('c.png')")
    try Self.run(folder, "--prune").expect(status: 0, error: "lies elsewhere")
    #expect(folder.exists("other/tiles/0/0_0.jpg"))
  }
}
