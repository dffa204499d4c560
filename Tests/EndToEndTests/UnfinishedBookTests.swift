import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Books that a run with `--only-changed` has begun and not finished: the next run takes the finished pages.
struct UnfinishedBookTests {
  /// Makes a folder with twelve pictures, two of which are equal.
  private static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.makeFolder("plugins")
    try Fixture.compile("misbehaving", ["HANG"], to: folder("plugins/libodd.so"), options: ["-pthread"])
    for number in 1...12 { try draw(number, number == 3 ? 2 : number, in: folder) }
    // What was changed just before a run might change again without a trace.
    usleep(50_000)
    return folder
  }

  private static func draw(_ place: Int, _ number: Int, in folder: Folder) throws {
    let pixels = Pixels(40, 40) { x, y in (0..<3).map { UInt8(truncatingIfNeeded: x * number * 3 + y + $0 * 40) } }
    try folder.write("in/\(place + 10).png", pixels.png())
  }

  /// Writes a script that makes a book.
  ///
  /// - Parameters:
  ///   - hanging: the page that takes for ever; nil for none.
  ///   - isReversed: whether the last picture comes first.
  private static func write(_ folder: Folder, hanging: Int? = nil, isReversed: Bool = false, width: Int = 30) throws {
    try folder.write(
      "s.lua",
      """
      local img = require "imghost"
      local photos, pages = img.glob("in/*.png"), {}
      for i = 1, #photos do
        pages[i] = photos[\(isReversed ? "#photos + 1 - i" : "i")]:resize(\(width))
        \(hanging.map { "if i == \($0) then pages[i] = pages[i]:plugin('odd') end" } ?? "")
      end
      img.book("sub/b.pdf", pages, { paper = "a7", caption = "{stem}", verify = true })
      """)
  }

  private static func start(_ folder: Folder) throws -> Command.Running {
    try Command(
      arguments: ["run", "--only-changed", "--out", "o", "s.lua"], folder: folder.path,
      environment: ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    ).start()
  }

  /// The files of books that were not finished, by the names of their indices.
  private static func unfinished(_ folder: Folder) -> [(index: String, part: String)] {
    folder.files.filter { $0.contains(".imghost/") && $0.split(separator: "-").count == 4 && $0.contains("/pages-") }
      .map { ($0, $0.replacingOccurrences(of: "/pages-", with: "/part-")) }
  }

  /// Returns the number of pages of which the index and the whole stream are in the files of a book.
  private static func finishedPages(_ folder: Folder, _ index: String, _ part: String) -> Int {
    let (bytes, size) = (folder.bytes(index), folder.bytes(part).count)
    func number(_ place: Int, _ count: Int) -> Int {
      (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
    }
    var (place, pages) = (21, 0)
    while place + 12 < bytes.count {
      let start = place + 12
      place = start + number(place, 4)
      guard place <= bytes.count else { break }
      if bytes[start] == 1, number(start + 5, 8) + number(start + 13, 8) <= size { pages += 1 }
    }
    return pages
  }

  /// Starts a run whose book hangs at a page, and ends it by a signal when all pages before are in the file.
  private static func interrupt(_ folder: Folder, at page: Int, _ signal: Int32 = SIGKILL, isReversed: Bool = false)
    throws
  {
    try write(folder, hanging: page, isReversed: isReversed)
    let before = Set(unfinished(folder).map(\.index))
    let running = try start(folder)
    let isThere = running.wait {
      unfinished(folder).contains { !before.contains($0.index) && finishedPages(folder, $0.index, $0.part) == page - 1 }
    }
    #expect(isThere, "\(running.soFar) \(folder.files)")
    running.send(signal)
    _ = running.finish(within: 10)
  }

  /// Runs the script to its end, and compares its book with that of a run from nothing.
  ///
  /// - Parameter made: the number of pictures that are made.
  private static func finish(_ folder: Folder, made: Int) throws {
    let outcome = try folder.imghost("run", "--only-changed", "--explain", "--json", "--out", "o", "s.lua")
    outcome.expect(status: 0)
    #expect(outcome.output.contains("\"pictures\":\(made)}"), "\(outcome)")
    if made < 12 { #expect(outcome.output.contains("\(12 - made) of 12 pages are taken"), "\(outcome)") }
    try folder.imghost("run", "--out", "fresh", "s.lua").expect(status: 0)
    #expect(folder.bytes("o/sub/b.pdf") == folder.bytes("fresh/sub/b.pdf"))
    #expect(folder.temporaries.filter { !$0.contains("/.imghost/") } == [])
    #expect(folder.files.filter { $0.contains("/part-") || $0.split(separator: "-").count == 4 } == [])
    let again = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    #expect(again.error.contains("0 files written"), "\(again)")
  }

  @Test(arguments: sampled([SIGKILL, SIGTERM])) func takesThePagesOfARunThatEnded(_ signal: Int32) throws {
    let folder = try Self.folder()
    try Self.interrupt(folder, at: 8, signal)
    #expect(Self.unfinished(folder).count == 1)
    try Self.write(folder)
    try Self.finish(folder, made: 5)
  }

  @Test(.wholeRuns) func takesThePagesOfSeveralRuns() throws {
    let folder = try Self.folder()
    try Self.interrupt(folder, at: 5)
    try Self.interrupt(folder, at: 8)
    // The second run has taken all pages of the first.
    #expect(Self.unfinished(folder).count == 2)
    try Self.interrupt(folder, at: 4, isReversed: true)
    #expect(Self.unfinished(folder).count == 2)
    try Self.write(folder)
    try Self.finish(folder, made: 2)
  }

  /// Another recipe has other pages, and a picture that has changed is made again.
  @Test func takesNoPageThatHasChanged() throws {
    let folder = try Self.folder()
    try Self.interrupt(folder, at: 8)
    try Self.draw(4, 40, in: folder)
    try Self.write(folder)
    try Self.finish(folder, made: 6)
    try FileManager.default.removeItem(atPath: folder("o"))
    try Self.interrupt(folder, at: 8)
    try Self.write(folder, width: 31)
    try Self.finish(folder, made: 12)
  }

  /// What a run has left is not trusted: each stream has to have its digest, and each frame of the index its sum.
  @Test(
    arguments: sampled([
      "torn", "damaged index", "damaged page", "truncated", "removed", "writable by all", "of no book",
    ]))
  func checksWhatIsLeft(_ change: String) throws {
    let folder = try Self.folder()
    try Self.interrupt(folder, at: 8)
    let (index, part) = try #require(Self.unfinished(folder).first)
    let made: Int
    switch change {
    case "torn":
      try folder.write(index, Array(folder.bytes(index).dropLast(3)))
      made = 6
    case "damaged index":
      var bytes = folder.bytes(index)
      bytes[bytes.count - 3] ^= 1
      try folder.write(index, bytes)
      made = 6
    case "damaged page":
      var bytes = folder.bytes(part)
      let stream = try #require(bytes.firstRange(of: Array("stream\n".utf8)))
      bytes[stream.upperBound + 100] ^= 1
      try folder.write(part, bytes)
      made = 6
    case "truncated":
      try folder.write(part, Array(folder.bytes(part).prefix(folder.bytes(part).count / 2)))
      made = 12 - Self.finishedPages(folder, index, part)
      #expect((6...11).contains(made))
    case "removed":
      try FileManager.default.removeItem(atPath: folder(part))
      made = 12
    case "writable by all":
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder(part))
      made = 12
    default:
      try folder.write(index, "imghost page index 2\n")
      made = 12
    }
    try Self.write(folder)
    try Self.finish(folder, made: made)
  }

  /// A picture that cannot be decoded fails the book, and costs the other pages nothing.
  @Test func takesThePagesOfARunThatFailed() throws {
    let folder = try Self.folder()
    try folder.write("in/22.png", Array(folder.bytes("in/22.png").dropLast(60)))
    try Self.write(folder)
    // One worker makes the pages in their order, so the first is written.
    let failed = try folder.imghost("run", "--only-changed", "-j", "1", "--out", "o", "s.lua")
    failed.expect(status: 1)
    #expect(!folder.exists("o/sub/b.pdf"))
    // Those behind it may wait when the run ends.
    let (index, part) = try #require(Self.unfinished(folder).first)
    let taken = Self.finishedPages(folder, index, part)
    #expect((1...11).contains(taken))
    try Self.draw(12, 12, in: folder)
    try Self.finish(folder, made: 12 - taken)
  }

  /// A run that is killed after the book has its name, and before the record is written.
  @Test(arguments: sampled(["", "-00000000"])) func takesThePagesOfABookThatIsNotRecorded(_ tag: String) throws {
    let folder = try Self.folder()
    try Self.write(folder)
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    for file in folder.files where file.contains("/record-") {
      try FileManager.default.removeItem(atPath: folder(file))
    }
    let index = try #require(folder.files.first { $0.contains("/pages-") })
    if !tag.isEmpty { try FileManager.default.moveItem(atPath: folder(index), toPath: folder(index + tag)) }
    try Self.finish(folder, made: 0)
  }

  /// Neither pages nor their index are left once a script makes another book, or the cache is cleared.
  @Test(.wholeRuns) func forgetsWhatNobodyNeeds() throws {
    let folder = try Self.folder()
    try Self.interrupt(folder, at: 8)
    // The cache that the tests share is not removed.
    for action in ["verify", "clear"] {
      try folder.imghost(["cache", action, "--out", "o"], environment: ["XDG_CACHE_HOME": folder("cache")])
        .expect(status: 0)
    }
    #expect(folder.files.filter { $0.contains(".imghost/") } == [])
    try Self.interrupt(folder, at: 8)
    try folder.write("s.lua", "require('imghost').canvas(2, 2):save('a.png')")
    try folder.imghost("run", "--only-changed", "--out", "o", "s.lua").expect(status: 0)
    #expect(Self.unfinished(folder).isEmpty && !folder.files.contains { $0.contains("/part-") })
  }

  /// A run without `--only-changed` takes nothing, and leaves nothing.
  @Test func aWholeRunMakesEverything() throws {
    let folder = try Self.folder()
    try Self.interrupt(folder, at: 8)
    try Self.write(folder)
    let outcome = try folder.imghost("run", "--json", "--out", "o", "s.lua")
    #expect(outcome.output.contains("\"pictures\":12}"), "\(outcome)")
    #expect(Self.unfinished(folder).isEmpty && !folder.files.contains { $0.contains("/part-") })
    let again = try folder.imghost("run", "--only-changed", "--out", "o", "s.lua")
    #expect(again.error.contains("0 files written"), "\(again)")
  }

  /// A disk without room for the book has none for what was written of it.
  @Test(.wholeRuns) func leavesNothingOnAFullDisk() throws {
    let folder = try Self.folder()
    try Self.write(folder)
    let outcome = try Command(
      program: "/bin/sh",
      arguments: [
        "-c", "trap '' XFSZ; ulimit -f 12; exec \"$0\" run --only-changed --out o s.lua", Built.program("imghost"),
      ], folder: folder.path
    ).run()
    outcome.expect(status: 1)
    #expect(Self.unfinished(folder).isEmpty && !folder.files.contains { $0.contains("/part-") }, "\(folder.files)")
  }
}
