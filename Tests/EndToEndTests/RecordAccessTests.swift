import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Files of records that cannot be read, that are not files, or that are in use.
struct RecordAccessTests {
  /// A folder with one run. Its outputs are `o/a.jpg` and `o/b.jpg`.
  private static func folder() throws -> Folder {
    let folder = try OnlyChangedTests.folder(
      "for _, p in ipairs(require('imghost').glob('in/*.png')) do p:resize(12):save('{stem}.jpg') end")
    try OnlyChangedTests.run(folder, written: 2)
    return folder
  }

  private static func file(_ kind: String, in folder: Folder) throws -> String {
    try #require(folder.files.first { $0.contains("/.imghost/s.lua/\(kind)-") })
  }

  private static func run(_ folder: Folder, _ options: String...) throws -> Outcome {
    try folder.imghost(["run", "--only-changed", "--out", "o"] + options + ["s.lua"])
  }

  /// A record that cannot be read at the moment is not the same as no record: edits would be lost.
  @Test(.enabled(if: geteuid() != 0, "root reads every file"), arguments: ["record", "journal"])
  func unreadableFiles(_ kind: String) throws {
    let folder = try Self.folder()
    try folder.write("o/a.jpg", "mine")
    let file = try Self.file(kind, in: folder)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder(file))
    try Self.run(folder).expect(status: 2, error: "permission denied")
    #expect(folder.bytes("o/a.jpg") == Array("mine".utf8))
  }

  /// A link is not followed, whether it leads to a file or to nothing.
  @Test(arguments: ["record", "journal", "inputs"], [true, false])
  func links(_ kind: String, leadsToFile: Bool) throws {
    let folder = try Self.folder()
    // The inputs are stored later than the other files.
    let file = try Self.file("record", in: folder).replacing("/record-", with: "/\(kind)-")
    try? FileManager.default.removeItem(atPath: folder(file))
    if leadsToFile { try folder.write("mine", "mine") }
    try FileManager.default.createSymbolicLink(atPath: folder(file), withDestinationPath: folder("mine"))
    try Self.run(folder).expect(status: 2)
    #expect(folder.exists("mine") == leadsToFile)
    if leadsToFile { #expect(folder.bytes("mine") == Array("mine".utf8)) }
  }

  /// A run does not wait for the other end of a pipe, and tells of a folder that it cannot replace.
  @Test(arguments: ["mkfifo", "mkdir"], ["shard-0-of-2.json", "pages-MARK-a", "inputs-MARK"])
  func noFiles(_ program: String, kind: String) throws {
    let folder = try Self.folder()
    let mark = try #require(Self.file("record", in: folder).split(separator: "-").last)
    let name = kind.replacing("MARK", with: mark + ".0.2")
    try Command(program: "/bin/sh", arguments: ["-c", "\(program) '\(name)'"], folder: folder("o/.imghost/s.lua")).run()
      .expect(status: 0)
    let outcome = try folder.imghost("run", "--shard", "0/2", "--only-changed", "--out", "o", "s.lua")
    outcome.expect(status: 2, error: "\(name)' is no file; remove it")
    // A whole run has other files.
    try Self.run(folder).expect(status: 0)
  }

  /// A backup may consist of hard links, and a run does not change it.
  @Test func hardLinks() throws {
    let folder = try Self.folder()
    let journal = try Self.file("journal", in: folder)
    try FileManager.default.removeItem(atPath: folder(journal))
    try folder.write("mine", "mine")
    try FileManager.default.linkItem(atPath: folder("mine"), toPath: folder(journal))
    try OnlyChangedTests.draw("a", 9, in: folder)
    try OnlyChangedTests.run(folder, written: 1)
    try OnlyChangedTests.run(folder, written: 0)
    #expect(folder.bytes("mine") == Array("mine".utf8))
  }

  /// A run that waits for another one ends on a signal or when its time is up. Meanwhile, the records cannot be removed.
  @Test func waitingRuns() throws {
    let folder = try Self.folder()
    let journal = open(folder(try Self.file("journal", in: folder)), O_RDWR)
    defer { close(journal) }
    #expect(flock(journal, LOCK_EX) == 0)
    try folder.imghost("cache", "clear", "--out", "o", environment: ["XDG_CACHE_HOME": folder("cache")]).expect(
      status: 1, error: "a run is using these records")
    #expect(folder.exists(try Self.file("record", in: folder)))
    try Self.run(folder, "--timeout", "0.3").expect(status: 1, error: "the limit given with --timeout")
    let running = try Command(
      program: Built.folder + "/imghost", arguments: ["run", "--only-changed", "--out", "o", "s.lua"],
      folder: folder.path
    ).start()
    #expect(running.wait { running.soFar.contains("waiting for another run") })
    // The signals are allowed a moment after the message.
    #expect(
      running.wait {
        running.send(SIGTERM)
        return !running.process.isRunning
      })
    #expect(running.finish(within: 1).signal == SIGTERM)
  }
}
