import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Pyramids that a run with `--only-changed` was about to complete when it was killed.
struct InterruptedTilesTests {
  /// The moment at which the run is killed, or what happens after it.
  enum Moment {
    /// The folder of tiles is the new one, but the file that describes it is the old one.
    case betweenFolderAndFile
    case afterBoth
    /// Both are there, and another program then changes a tile, or the file.
    case beforeAnEditOfATile, beforeAnEditOfTheFile
  }

  @Test(arguments: [
    ("deepzoom", Moment.betweenFolderAndFile), ("deepzoom", .afterBoth), ("deepzoom", .beforeAnEditOfATile),
    ("deepzoom", .beforeAnEditOfTheFile), ("iiif", .afterBoth), ("iiif", .beforeAnEditOfATile),
    ("iiif", .beforeAnEditOfTheFile),
  ])
  func isMadeAgain(_ layout: String, _ moment: Moment) throws {
    let folder = try Folder()
    try folder.makeFolder("plugins")
    try Fixture.compile("misbehaving", ["HANG"], to: folder("plugins/libodd.so"), options: ["-pthread"])
    func draw(_ factor: Int) throws {
      try folder.write("a.png", Pixels(50, 40) { x, y in [UInt8(x * factor), UInt8(y * factor), 9] }.png())
      // What was changed just before a run might change again without a trace.
      usleep(50_000)
    }
    let tiles = "local img = require 'imghost' img.open('a.png'):tiles('t/a', { size = 16, layout = '\(layout)' })\n"
    let file = layout == "deepzoom" ? "o/t/a.dzi" : "o/t/a/info.json"
    try draw(3)
    try folder.write("s.lua", tiles)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try FileManager.default.linkItem(atPath: folder(file), toPath: folder("old"))
    let tile = try #require(folder.files.first { $0.hasPrefix("o/t/") && $0.hasSuffix(".jpg") })
    let (oldFile, oldTile) = (folder.bytes(file), folder.bytes(tile))

    try draw(5)
    try folder.write("s.lua", tiles + "img.open('a.png'):plugin('odd'):save('b.png')")
    let running = try Command(
      arguments: ["run", "--only-changed", "-j", "1", "--out", "o", "s.lua"], folder: folder.path,
      environment: ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    ).start()
    func inode(_ path: String) -> UInt64 {
      var status = stat()
      return stat(folder(path), &status) == 0 ? UInt64(status.st_ino) : 0
    }
    let isThere = running.wait { ![0, inode("old")].contains(inode(file)) && folder.bytes(tile) != oldTile }
    #expect(isThere, "\(running.soFar)")
    running.send(SIGKILL)
    _ = running.finish(within: 10)
    // A change within the same step of the file system's clock would not be seen.
    usleep(20_000)
    switch moment {
    case .betweenFolderAndFile: rename(folder("old"), folder(file))
    case .afterBoth: break
    case .beforeAnEditOfATile: try folder.write(tile, [1, 2, 3])
    case .beforeAnEditOfTheFile: try folder.write(file, oldFile + [10])
    }

    try folder.write("s.lua", tiles)
    let (killedFile, killedTile) = (folder.bytes(file), folder.bytes(tile))
    let outcome = try folder.imghost("run", "--only-changed", "--explain", "--out", "o", "s.lua")
    if moment == .beforeAnEditOfATile || moment == .beforeAnEditOfTheFile {
      outcome.expect(status: 1, error: "the file was changed since imghost wrote it")
      #expect(folder.bytes(file) == killedFile && folder.bytes(tile) == killedTile)
      return
    }
    outcome.expect(status: 0, error: "an earlier run was interrupted")
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    for path in folder.files where path.hasPrefix("fresh/") {
      #expect(folder.bytes(path) == folder.bytes("o" + path.dropFirst(5)), "\(path)")
    }
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0, error: "0 files written")
  }
}
