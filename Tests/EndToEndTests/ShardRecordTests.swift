import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Shards make only what is missing or has changed, and share what they know with whole runs and with shards of other
/// counts.
struct ShardRecordTests {
  private static let files = """
    local img = require "imghost"
    local photos = img.glob("in/*.png")
    for i = 1, #photos do
      photos[i]:resize(12):save("web/{stem}.webp")
      photos[i]:resize(20):save("web/{stem}.jpg")
    end
    img.multipage("all.tif", { photos[1], photos[2] })
    photos[3]:tiles("zoom/c", { size = 16 })

    """
  private static let book = """
    local img = require "imghost"
    local pages = {}
    for i, photo in ipairs(img.glob("in/*.png")) do pages[i] = photo:resize(24) end
    img.book("book.pdf", pages, { paper = "a7", caption = "{stem}", title = "T" })
    img.book("grid.pdf", pages, { layout = "grid", columns = 2, rows = 1, quality = 90 })

    """
  private static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]

  private static func folder(_ script: String) throws -> Folder {
    let folder = try Folder()
    try folder.write("s.lua", script)
    for (number, name) in names.enumerated() { try OnlyChangedTests.draw(name, number + 1, in: folder) }
    // What was changed just before a run might change again without a trace.
    usleep(50_000)
    return folder
  }

  /// Runs a shard, and returns its events by their kinds.
  @discardableResult private static func shard(
    _ folder: Folder, _ shard: String, _ options: String..., status: Int32 = 0
  ) throws -> (wrote: Set<String>, kept: Set<String>, pictures: Int) {
    let outcome = try folder.imghost(["run", "--shard", shard, "--json", "--out", "o"] + options + ["s.lua"])
    outcome.expect(status: status)
    var (wrote, kept, pictures): (Set<String>, Set<String>, Int) = ([], [], 0)
    for line in outcome.outputLines {
      let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let path = (event["path"] as? String).map { String($0.dropFirst(2)) }
      if event["event"] as? String == "wrote" { try wrote.insert(#require(path)) }
      if event["event"] as? String == "kept" { try kept.insert(#require(path)) }
      if event["event"] as? String == "started" { pictures += event["pictures"] as? Int ?? 0 }
    }
    return (wrote, kept, pictures)
  }

  private static func merge(_ folder: Folder, _ options: String...) throws {
    try folder.imghost(["merge", "--out", "o"] + options + ["s.lua"]).expect(status: 0)
  }

  /// Compares all outputs with those of a run from nothing.
  private static func compare(_ folder: Folder) throws {
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    let fresh = folder.files.filter { $0.hasPrefix("fresh/") }.map { String($0.dropFirst(6)) }
    for file in fresh { #expect(folder.bytes("o/" + file) == folder.bytes("fresh/" + file), "\(file)") }
    #expect(folder.temporaries == [])
    try FileManager.default.removeItem(atPath: folder("fresh"))
  }

  private static func records(_ folder: Folder) -> [String] { folder.files.filter { $0.hasPrefix("o/.imghost/") } }

  /// A merge makes its book although a picture of a shard was refused, as a whole run does.
  @Test(arguments: [1, 2]) func aRefusedPictureStopsNoBook(shards: Int) throws {
    let folder = try Self.folder(
      Self.book.replacingOccurrences(
        of: "photo:resize(24) end", with: "photo:resize(24) pages[i]:save('web/{stem}.png') end"))
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try folder.write("o/web/c.png", folder.bytes("o/web/c.png") + [1])
    try OnlyChangedTests.draw("b", 77, in: folder)
    // The shard that has the picture tells of it.
    let statuses = try (0..<shards).map { number in
      try folder.imghost("run", "--shard", "\(number)/\(shards)", "--out", "o", "s.lua").status
    }
    #expect(statuses.sorted() == [1] || statuses.sorted() == [0, 1])
    let merge = try folder.imghost("merge", "--manifest", "m.json", "--out", "o", "s.lua")
    merge.expect(status: 1, error: "o/web/c.png: the file was changed")
    #expect(!merge.error.contains("cancelled"), "\(merge)")
    // Files that the shards have kept are kept in the manifest of the merge, too.
    let manifest = try JSONSerialization.jsonObject(with: Data(folder.bytes("m.json"))) as? [String: Any]
    let states = try #require(manifest?["outputs"] as? [[String: Any]]).map {
      "\($0["path"] ?? "") \($0["state"] ?? "")"
    }
    #expect(states.contains { $0.hasSuffix("web/a.png kept") }, "\(states)")
    #expect(
      states.contains { $0.hasSuffix("web/c.png failed") } && states.contains { $0.hasSuffix("book.pdf written") })
    // The next run knows the book.
    let next = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    next.expect(status: 1)
    #expect(!next.error.contains("book.pdf"), "\(next)")
    try folder.imghost("run", "--only-changed", "--overwrite", "--out", "o", "s.lua").expect(status: 0)
    try Self.compare(folder)
  }

  /// A merge that is killed after it has named a book: the book does not count as changed by hand.
  @Test func killedMerges() throws {
    let folder = try Self.folder(Self.book)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    let record = try #require(Self.records(folder).first { $0.contains("/record-") })
    let old = folder.bytes(record)
    try OnlyChangedTests.draw("b", 99, in: folder)
    for shard in ["0/2", "1/2"] { try Self.shard(folder, shard, "--only-changed") }
    try Self.merge(folder)
    // The journal contains what was noted before the books received their names, and then what was noted at the end.
    let journal = record.replacing("/record-", with: "/journal-")
    let bytes = folder.bytes(journal)
    var end = 0
    for _ in 1...2 { end += 4 + (0..<4).reduce(0) { $0 | Int(bytes[end + $1]) << ($1 * 8) } }
    #expect(end < bytes.count)
    try folder.write(journal, Array(bytes[..<end]))
    try folder.write(record, old)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try Self.compare(folder)
  }

  /// Only books are outputs of a merge: the next run does not take its manifest for one.
  @Test func filesOfMerges() throws {
    let folder = try Self.folder(Self.book)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try Self.shard(folder, "0/1", "--only-changed")
    try Self.merge(folder, "--overwrite", "--manifest", "o/m.json")
    try folder.imghost("run", "--only-changed", "--prune", "--out", "o", "s.lua").expect(status: 0)
    #expect(folder.exists("o/m.json"))
  }

  /// A merge tells each picture that a shard could not read once, and counts them.
  @Test func unreadablePictures() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      for _, n in ipairs{ "a", "b", "c" } do img.open("in/" .. n .. ".png"):save(n .. ".jpg") end
      """)
    for name in ["a", "c"] { try folder.write("in/\(name).png", Array(folder.bytes("in/\(name).png").prefix(60))) }
    for number in 0...1 {
      _ = try folder.imghost("run", "--shard", "\(number)/2", "--on-error", "continue", "--out", "o", "s.lua")
    }
    let merge = try folder.imghost("merge", "--on-error", "continue", "--out", "o", "s.lua")
    merge.expect(status: 1)
    for name in ["a", "c"] { #expect(merge.errorLines.count { $0.contains("in/\(name).png: ") } == 1, "\(merge)") }
    #expect(merge.error.contains("2 of 3 pictures cannot be read: "), "\(merge)")
  }

  /// A merge that refuses one book makes the others.
  @Test func aRefusedBookStopsNoOther() throws {
    let folder = try Self.folder(Self.book)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    let edited = folder.bytes("o/book.pdf") + [10]
    try folder.write("o/book.pdf", edited)
    try OnlyChangedTests.draw("b", 77, in: folder)
    try Self.shard(folder, "0/1")
    try folder.imghost("merge", "--out", "o", "s.lua").expect(status: 1, error: "o/book.pdf: the file was changed")
    #expect(folder.bytes("o/book.pdf") == edited)
    try folder.imghost("run", "--only-changed", "--overwrite", "--out", "o", "s.lua").expect(status: 0)
    try Self.compare(folder)
  }

  /// A file that shards have kept stays, even if a job before it has failed.
  @Test func keptFilesStayAfterAFailure() throws {
    let script = """
      local img = require "imghost"
      local a, b = img.open("in/a.png"), img.open("in/b.png")
      local first = a:resize(12):save("web/a.png")
      b:resize(12):save("web/b.png", { after = first })
      img.book("book.pdf", { a, b })
      """
    let folder = try Self.folder(script)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    try folder.write("o/web/a.png", folder.bytes("o/web/a.png") + [1])
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 1)
    let kept = folder.bytes("o/web/b.png")
    try Self.shard(folder, "0/1", status: 1)
    try folder.imghost("merge", "--manifest", "m.json", "--out", "o", "s.lua").expect(status: 1)
    #expect(folder.exists("o/web/b.png") && folder.bytes("o/web/b.png") == kept)
  }

  @Test func makeOnlyWhatHasChanged() throws {
    let folder = try Self.folder(Self.files)
    let first = try ["0/2", "1/2"].map { try Self.shard(folder, $0) }
    let all = first[0].wrote.union(first[1].wrote)
    #expect(all.count == 18 && first[0].wrote.isDisjoint(with: first[1].wrote))
    #expect(first.allSatisfy { !$0.wrote.isEmpty && $0.kept.isEmpty })
    try OnlyChangedTests.draw("b", 40, in: folder)
    let second = try ["0/2", "1/2"].map { try Self.shard(folder, $0) }
    #expect(second[0].wrote.union(second[1].wrote) == ["web/b.webp", "web/b.jpg", "all.tif"])
    #expect(second[0].kept.union(second[1].kept) == all.subtracting(["web/b.webp", "web/b.jpg", "all.tif"]))
    // The manifest tells all outputs, those that were kept, too.
    try Self.merge(folder)
    try Self.compare(folder)
    #expect(Self.records(folder) == [])
  }

  @Test func aKilledShardGoesOn() throws {
    let folder = try Self.folder(Self.files)
    try folder.makeFolder("plugins")
    try Fixture.compile("misbehaving", ["HANG"], to: folder("plugins/libodd.so"), options: ["-pthread"])
    try folder.write("s.lua", Self.files + "photos[8]:plugin('odd'):save('last.png')")
    let running = try Command(
      arguments: ["run", "--shard", "0/1", "--jobs", "1", "--out", "o", "s.lua"], folder: folder.path,
      environment: ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    ).start()
    #expect(running.wait { folder.exists("o/web/g.jpg") && folder.exists("o/web/a.webp") })
    running.send(SIGKILL)
    _ = running.finish(within: 10)
    try folder.write("s.lua", Self.files)
    let there = Set(
      folder.files.filter { $0.hasPrefix("o/web/") && !$0.contains("/.") }.map { String($0.dropFirst(2)) })
    #expect(there.count > 3)
    let next = try Self.shard(folder, "0/1")
    #expect(next.kept.isSuperset(of: there) && next.wrote.isDisjoint(with: there), "\(next) \(there)")
    try Self.merge(folder)
    try Self.compare(folder)
  }

  @Test func editedOutputsAreRefused() throws {
    let folder = try Self.folder(Self.files)
    try Self.shard(folder, "0/1")
    try folder.write("o/web/d.jpg", "mine")
    try FileManager.default.removeItem(atPath: folder("o/web/e.jpg"))
    let next = try Self.shard(folder, "0/1", status: 1)
    #expect(next.wrote == ["web/e.jpg"])
    #expect(folder.bytes("o/web/d.jpg") == Array("mine".utf8))
    #expect(try Self.shard(folder, "0/1", "--overwrite").wrote == ["web/d.jpg"])
    try Self.merge(folder)
    try Self.compare(folder)
  }

  /// With `--only-changed`, records outlive the merge: whole runs and shards of any count keep what is there.
  @Test func recordsOutliveTheMerge() throws {
    let folder = try Self.folder(Self.files)
    for number in 0..<2 { try Self.shard(folder, "\(number)/2", "--only-changed") }
    try Self.merge(folder)
    #expect(Self.records(folder).contains { $0.contains("/record-") })
    #expect(Self.records(folder).allSatisfy { !$0.hasSuffix(".json") })
    // The same shards, others, and a whole run.
    for shard in ["0/2", "1/2", "0/3", "1/3", "2/3"] {
      let found = try Self.shard(folder, shard)
      #expect(found.wrote == [] && !found.kept.isEmpty, "\(shard)")
    }
    try OnlyChangedTests.run(folder, written: 0)
    try OnlyChangedTests.draw("b", 40, in: folder)
    try OnlyChangedTests.run(folder, written: 3)
    // The whole run has put the records together.
    #expect(Self.records(folder).filter { $0.contains("/record-") }.count == 1)
    let found = try ["0/3", "1/3", "2/3"].map { try Self.shard(folder, $0) }
    #expect(found.allSatisfy { $0.wrote == [] } && found.reduce(0) { $0 + $1.kept.count } == 18)
  }

  /// What shards have made is not taken for edits, by a whole run or by shards of another count, before any merge.
  @Test(.wholeRuns) func sharesWhatIsNotMerged() throws {
    let folder = try Self.folder(Self.files)
    try OnlyChangedTests.run(folder, written: 18)
    try OnlyChangedTests.draw("b", 40, in: folder)
    #expect(try Self.shard(folder, "0/2").wrote.isSuperset(of: ["web/b.webp", "web/b.jpg"]))
    try OnlyChangedTests.run(folder, written: 0)
    for (number, shards) in [(41, 2), (42, 3), (43, 2)] {
      try OnlyChangedTests.draw("b", number, in: folder)
      let found = try (0..<shards).map { try Self.shard(folder, "\($0)/\(shards)") }
      #expect(found.reduce([]) { $0.union($1.wrote) } == ["web/b.webp", "web/b.jpg", "all.tif"], "\(shards)")
    }
    try OnlyChangedTests.run(folder, written: 0)
    try folder.write("o/web/b.jpg", "mine")
    try Self.shard(folder, "0/2", status: 1)
  }

  /// A picture that takes longer moves outputs from one shard to the next, which knows them from its neighbour.
  @Test func outputsMoveBetweenShards() throws {
    let folder = try Self.folder(
      "local img = require 'imghost' for _, p in ipairs(img.glob('in/*.png')) do p:resize(12):save('web/{stem}.png') end"
    )
    let first = try (0..<4).map { try Self.shard(folder, "\($0)/4") }
    let pixels = Pixels(300, 300) { x, y in (0..<3).map { UInt8(truncatingIfNeeded: x * y + $0) } }
    try folder.write("in/a.png", pixels.png())
    let second = try (0..<4).map { try Self.shard(folder, "\($0)/4") }
    #expect(zip(first, second).contains { $0.wrote != $1.wrote.union($1.kept) }, "nothing moves")
    #expect(second.flatMap(\.wrote) == ["web/a.png"])
    for number in [3, 2, 1, 0] { try Self.shard(folder, "\(number)/4") }
    try Self.merge(folder)
    try Self.compare(folder)
  }

  /// A pack whose pages are unchanged is kept, and another takes its unchanged pages from the one before.
  @Test(.wholeRuns) func packsAreKept() throws {
    let folder = try Self.folder(Self.book)
    for number in 0..<2 { #expect(try Self.shard(folder, "\(number)/2").pictures == 4) }
    let packs = folder.files.filter { $0.hasSuffix(".pack") }
    #expect(packs.count == 4)
    let before = packs.map(folder.bytes)
    try OnlyChangedTests.draw("b", 40, in: folder)
    #expect(try Self.shard(folder, "0/2").pictures == 1)
    #expect(try Self.shard(folder, "1/2").pictures == 0)
    #expect(packs.map(folder.bytes).enumerated().filter { $0.element != before[$0.offset] }.count == 2)
    // A pack is nobody else's: what has happened to it does not matter.
    try folder.write(packs[0], "mine")
    try FileManager.default.removeItem(atPath: folder(packs[1]))
    for number in 0..<2 { try Self.shard(folder, "\(number)/2") }
    try Self.merge(folder)
    try Self.compare(folder)
    #expect(Self.records(folder) == [])
  }

  /// Every option and fact on which the pictures of a pack depend makes them again. Otherwise, the new pack takes them
  /// from the one before.
  @Test(
    arguments: sampled([
      ("resize(24)", "resize(25)", 8), ("quality = 90", "quality = 91", 8),
      ("caption = \"{stem}\"", "caption = \"{name}\"", 0),
      ("title = \"T\"", "title = \"U\"", 0), ("paper = \"a7\"", "paper = \"a7\", lossless = true", 8),
      ("columns = 2", "columns = 1", 0), ("local pages", "-- a comment\nlocal pages", 0),
    ]))
  func packsDependOnAllOptions(_ old: String, _ new: String, _ made: Int) throws {
    let folder = try Self.folder(Self.book)
    for number in 0..<2 { try Self.shard(folder, "\(number)/2") }
    let script = Self.book.replacingOccurrences(of: old, with: new)
    #expect(script != Self.book)
    try folder.write("s.lua", script)
    let found = try (0..<2).map { try Self.shard(folder, "\($0)/2").pictures }
    #expect(found.reduce(0, +) == made)
    try Self.merge(folder)
    try Self.compare(folder)
  }

  @Test func aKilledShardLeavesPagesOfItsPack() throws {
    let folder = try Self.folder(Self.book)
    try folder.makeFolder("plugins")
    try Fixture.compile("misbehaving", ["HANG"], to: folder("plugins/libodd.so"), options: ["-pthread"])
    let script = Self.book.components(separatedBy: "\n").filter { !$0.contains("grid.pdf") }.joined(separator: "\n")
    try folder.write(
      "s.lua", script.replacingOccurrences(of: "img.book(", with: "pages[6] = pages[6]:plugin('odd') img.book("))
    let running = try Command(
      arguments: ["run", "--shard", "0/1", "--jobs", "1", "--out", "o", "s.lua"], folder: folder.path,
      environment: ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    ).start()
    func size() -> Int { folder.files.first { $0.contains("/part-") }.map { folder.bytes($0).count } ?? 0 }
    #expect(running.wait { size() > 2_000 })
    usleep(300_000)
    running.send(SIGKILL)
    _ = running.finish(within: 10)
    try folder.write("s.lua", script)
    let next = try Self.shard(folder, "0/1")
    #expect(next.pictures == 3, "\(next)")
    try Self.merge(folder)
    try Self.compare(folder)
  }

  /// A book that a merge has written is not taken for one that somebody has changed.
  @Test func mergedBooksAreKnown() throws {
    let folder = try Self.folder(Self.book)
    try OnlyChangedTests.run(folder, written: 2)
    try OnlyChangedTests.draw("b", 40, in: folder)
    for number in 0..<2 { try Self.shard(folder, "\(number)/2") }
    try Self.merge(folder)
    // Nor is a copy of it.
    try FileManager.default.copyItem(atPath: folder("o"), toPath: folder("copy"))
    try FileManager.default.removeItem(atPath: folder("o"))
    try FileManager.default.moveItem(atPath: folder("copy"), toPath: folder("o"))
    try OnlyChangedTests.run(folder, written: 2)
    try OnlyChangedTests.run(folder, written: 0)
    for number in 0..<2 { try Self.shard(folder, "\(number)/2") }
    try Self.merge(folder)
    try folder.write("o/book.pdf", "mine")
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(
      status: 1, error: "o/book.pdf: the file was")
  }

  /// A merge does not replace a book that somebody has changed, and can be repeated.
  @Test(.wholeRuns) func mergesRefuseEditedBooks() throws {
    let folder = try Self.folder(Self.book)
    for number in 0..<2 { try Self.shard(folder, "\(number)/2", "--only-changed") }
    try Self.merge(folder, "--only-changed")
    try folder.write("o/book.pdf", "mine")
    try OnlyChangedTests.draw("b", 50, in: folder)
    for number in 0..<2 { try Self.shard(folder, "\(number)/2") }
    let outcome = try folder.imghost("merge", "--out", "o", "s.lua")
    outcome.expect(status: 1, error: "book: o/book.pdf: the file was changed since imghost wrote it, and stays")
    #expect(folder.bytes("o/book.pdf").count == 4)
    #expect(folder.temporaries == [])
    for number in 0..<2 { try Self.shard(folder, "\(number)/2") }
    try Self.merge(folder, "--overwrite")
    try Self.compare(folder)
  }

  /// A shard that waits for another run of it, and whose outputs are merged meanwhile, leaves nothing behind.
  @Test(.wholeRuns) func waitsAndNoticesTheMerge() throws {
    let folder = try Self.folder(Self.files)
    try Self.shard(folder, "0/1")
    let journal = try #require(folder.files.first { $0.contains("/journal-") })
    let descriptor = open(folder(journal), O_RDWR)
    #expect(flock(descriptor, LOCK_EX) == 0)
    let refused = try folder.imghost("run", "--shard", "0/1", "--no-wait", "--out", "o", "s.lua")
    refused.expect(status: 2, error: "another run of shard 0/1 of 's.lua' writes into this folder; wait for its end")
    let running = try Command(
      arguments: ["run", "--shard", "0/1", "--out", "o", "s.lua"], folder: folder.path
    ).start()
    #expect(running.wait { running.soFar.contains("waiting for another run of shard 0/1") })
    try Self.merge(folder)
    close(descriptor)
    running.finish(within: 20).expect(status: 1, error: "the shards have been merged meanwhile; nothing is left to do")
    #expect(Self.records(folder) == [])
    try Self.compare(folder)
  }

  /// A merge tells the notes about outputs that were kept, too.
  @Test func notesAreKept() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      for _, p in ipairs(img.glob("in/*.png")) do p:resize(12):text("much too long", { size = 30 }):save("web/{stem}.png") end
      """)
    try Self.shard(folder, "0/1")
    for name in ["a", "b"] { try OnlyChangedTests.draw(name, 40, in: folder) }
    #expect(try Self.shard(folder, "0/1").wrote == ["web/a.png", "web/b.png"])
    let merge = try folder.imghost("merge", "--out", "o", "s.lua")
    merge.expect(status: 0, error: "a part of it is cut off: in/a.png, in/b.png, in/c.png and 5 more")
  }

  /// Options that concern a whole run, and records that `imghost cache` shows.
  @Test func options() throws {
    let folder = try Self.folder(Self.files)
    let pruning = try folder.imghost("run", "--shard", "0/1", "--only-changed", "--prune", "--out", "o", "s.lua")
    pruning.expect(status: 2, error: "--prune is for a whole run")
    let outcome = try folder.imghost("run", "--shard", "0/1", "--explain", "--out", "o", "s.lua")
    outcome.expect(status: 0, error: "o/web/a.jpg: it is new")
    let environment = ["XDG_CACHE_HOME": folder("cache")]
    let shown = try folder.imghost(["cache", "show", "--out", "o"], environment: environment)
    #expect(shown.output.contains("records of outputs: 2 files"), "\(shown)")
    try folder.imghost(["cache", "verify", "--out", "o"], environment: environment).expect(status: 0)
    try folder.imghost(["cache", "clear", "--out", "o"], environment: environment).expect(status: 0)
    #expect(try Self.shard(folder, "0/1").kept == [])
  }
}
