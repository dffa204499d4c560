import Foundation
import PictureTestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `--trace` and `--timeline`: complete files, however the run ends, and their contents.
struct TraceTests {
  private func events(_ folder: Folder, _ name: String = "t.json") throws -> [[String: Any]] {
    let object = try JSONSerialization.jsonObject(with: Data(folder.bytes(name)))
    return try #require((object as? [String: Any])?["traceEvents"] as? [[String: Any]])
  }

  private func named(_ events: [[String: Any]], _ phase: String) -> [String] {
    events.filter { $0["ph"] as? String == phase }.compactMap { $0["name"] as? String }
  }

  /// The drawing's text, when it is well-formed.
  private func drawing(_ folder: Folder, _ name: String = "t.svg") throws -> String {
    let bytes = folder.bytes(name)
    let parser = XMLParser(data: Data(bytes))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A header that is not in the system's memory is read by a thread that may wait, before a worker takes it.
  @Test func headersThatMustBeWaitedFor() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    try folder.copy(Built.photos + "/rocket.jpg", to: "b.jpg")
    // The question whether a read would wait starts the disk, which may answer before the question is settled. So the
    // header of a file that has left memory is read without waiting now and then, but not each time.
    for attempt in 1...20 {
      let isGone = try Self.dropFromMemory(folder.path + "/a.jpg")
      let outcome = try folder.run(
        """
        for _, name in ipairs{ "a", "b" } do img.open(name .. ".jpg"):fit(9, 9):save(name .. ".png") end
        """, "--trace", "t.json")
      outcome.expect(status: 0)
      #expect(Set(folder.files).isSuperset(of: ["a.png", "b.png"]))
      let blocks = named(try events(folder), "X")
      #expect(!blocks.contains("header of b.jpg"))
      let hasWaited = blocks.contains("header of a.jpg")
      // Not every file system lets go of its pages.
      if !isGone { return #expect(!hasWaited) }
      if hasWaited { return }
      #expect(attempt < 20, "the header was never waited for")
    }
  }

  /// Asks the system to drop a file's pages from memory, and returns whether it has dropped the first.
  private static func dropFromMemory(_ path: String) throws -> Bool {
    let descriptor = open(path, O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    fsync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    return !isResident(descriptor)
  }

  /// Whether the system has a file's first page in memory.
  private static func isResident(_ descriptor: Int32) -> Bool {
    let memory = mmap(nil, 1, PROT_READ, MAP_SHARED, descriptor, 0)
    defer { munmap(memory, 1) }
    var resident: UInt8 = 0
    return mincore(memory, 1, &resident) == 0 && resident & 1 == 1
  }

  @Test func picturesAndABook() throws {
    let folder = try Folder()
    let name = "photos/a \"b\" <&>\u{1}é.jpg"
    try folder.makeFolder("photos")
    try folder.copy(Built.photos + "/rocket.jpg", to: name)
    try folder.copy(Built.photos + "/hubble_deep_field.jpg", to: "photos/coffee.jpg")
    let outcome = try folder.run(
      """
      local list = img.glob("photos/*.jpg"):map(function(p) return p:fit(300, 300) end)
      list:save("out/{index}.jpg", { qos = "background" })
      img.book("b.pdf", list:map(function(p) return p:sharpen() end), { verify = true })
      """, "--trace", "t.json", "--timeline", "pictures/t.svg")
    outcome.expect(status: 0)
    #expect(folder.temporaries == [])
    let all = try events(folder)
    let blocks = named(all, "X")
    for name in [
      "decode jpeg", "fit", "sharpen", "encode jpeg", "encode page", "write page", "finish book",
      "a \"b\" <&>\u{1}é.jpg", "coffee.jpg", "verify b.pdf",
    ] {
      #expect(blocks.contains(name), "\(name)")
    }
    #expect(named(all, "i").contains("book written"))
    #expect(Set(named(all, "C")) == ["ready items", "admitted memory"])
    let threads = all.filter { $0["name"] as? String == "thread_name" }
      .compactMap { ($0["args"] as? [String: Any])?["name"] as? String }
    #expect(threads.contains("foreground 0") && threads.contains("waiting 0"), "\(threads)")
    // Operations lie within steps of their thread.
    let steps = all.filter { $0["ph"] as? String == "X" && $0["cat"] as? String != "operation" }
    for operation in all where operation["cat"] as? String == "operation" {
      let began = try #require(operation["ts"] as? Double)
      let ended = began + (operation["dur"] as? Double ?? 0)
      let isInside = steps.contains { step in
        let from = step["ts"] as? Double ?? .infinity
        return step["tid"] as? Int == operation["tid"] as? Int && from <= began + 0.01
          && ended <= from + (step["dur"] as? Double ?? 0) + 0.01
      }
      #expect(isInside, "\(operation)")
    }
    let svg = try drawing(folder, "pictures/t.svg")
    #expect(svg.contains("coffee.jpg, default: ") && svg.contains("decode jpeg"))
    #expect(svg.contains("book written") && !svg.contains("<script"))
  }

  @Test func aFailedRunKeepsItsStatus() throws {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    let bytes = folder.bytes("a.jpg")
    try folder.write("cut.jpg", Array(bytes[..<(bytes.count / 2)]))
    let outcome = try folder.run(
      "img.open(\"cut.jpg\"):blur(2):save(\"x.png\") img.open(\"a.jpg\"):save(\"y.png\")", "--trace", "t.json",
      "--timeline", "t.svg", "--on-error", "continue")
    outcome.expect(status: 1)
    let all = try events(folder)
    #expect(named(all, "i") == ["failed"] && named(all, "X").contains("cut.jpg"))
    #expect(try drawing(folder).contains("failed at "))
    let wrong = try folder.run("error(\"x\")", "--timeline", "wrong.svg")
    wrong.expect(status: 3)
    _ = try drawing(folder, "wrong.svg")
  }

  @Test func anInterruptedRun() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      for i = 1, 200 do img.canvas(900, 900):blur(40 + i):save("out/" .. i .. ".png") end
      """)
    let running = try Command(
      arguments: ["run", "--trace", "t.json", "--timeline", "t.svg", "t.lua"], folder: folder.path
    ).start()
    #expect(
      running.wait { folder.temporaries.contains { $0.hasPrefix("out/") } }, "\(running.soFar)")
    #expect(!folder.exists("t.json") && !folder.exists("t.svg"))
    running.send(SIGINT)
    let outcome = running.finish(within: 10)
    outcome.expect(status: 130)
    #expect(folder.temporaries == [])
    #expect(named(try events(folder), "i").filter { $0 == "cancelled" }.count > 100)
    #expect(try drawing(folder).contains("cancelled"))
  }

  /// A run that does not stop by itself, here a script's, is ended; what there is is written.
  @Test func aRunThatIsEnded() throws {
    let folder = try Folder()
    try folder.write("t.lua", "print(\"began\") while true do end")
    let running = try Command(arguments: ["run", "--trace", "t.json", "t.lua"], folder: folder.path).start()
    #expect(running.wait { running.soFar.contains("began") })
    running.send(SIGINT)
    #expect(running.finish(within: 10).status == 130)
    #expect(try events(folder).count >= 1)
    #expect(folder.temporaries == [])
  }

  @Test func aDryRunDrawsNothing() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.canvas(3, 3):save(\"a.png\")", "--dry-run", "--trace", "t.json", "--timeline", "t.svg")
    outcome.expect(status: 0)
    #expect(
      outcome.errorLines == [
        "imghost: note: --trace has nothing to show in a dry run; no file was written",
        "imghost: note: --timeline has nothing to show in a dry run; no file was written",
      ])
    #expect(folder.files == ["t.lua"])
  }

  /// A timeline that only turns out to be impossible at the end is reported as a failed output.
  @Test func aFolderThatTakesTheFilesPlace() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.canvas(3, 3):save(\"t.svg/a.png\")", "--timeline", "t.svg")
    outcome.expect(status: 1)
    #expect(outcome.error.contains("--timeline: t.svg: "))
    #expect(folder.exists("t.svg/a.png") && folder.temporaries == [])
  }

  /// A file that a run writes is no place for its drawing.
  @Test func notOverWhatARunWrites() throws {
    let folder = try Folder()
    let outcome = try folder.run("img.canvas(3, 3):save(\"out/a.png\")", "--trace", "out/a.png")
    #expect(
      outcome.status == 3
        && outcome.messages == [
          "t.lua:2: save: out/a.png: --trace writes this file; save elsewhere"
        ], "\(outcome)")
  }

  /// A run may read any file that is there, by ways that its command line does not tell: only drawings are replaced.
  @Test(arguments: ["--trace", "--timeline"], ["p.png", "m.lua", "plugins/x.lua", "old.pdf"])
  func onlyDrawingsAreReplaced(option: String, path: String) throws {
    let folder = try Folder()
    let bytes = try Pixels.waves(60, 40).png()
    for name in ["p.png", "m.lua", "plugins/x.lua", "old.pdf"] { try folder.write(name, bytes) }
    try folder.write("logo.svg", Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8))
    let script = "img.canvas(3, 3):save(\"a.png\")"
    let outcome = try folder.run(script, option, path)
    outcome.expect(status: 2, error: "is not a trace")
    #expect(folder.bytes(path) == bytes && !folder.exists("a.png"))
    let other = try folder.run(script, option, "logo.svg")
    other.expect(status: 2, error: "is not a trace")
    for _ in 0..<2 {
      let drawn = try folder.run(script, option, "drawing")
      #expect(drawn.status == 0 && folder.exists("drawing"), "\(drawn)")
    }
  }

  @Test func socketsAndPipesAreNotReplaced() throws {
    let folder = try Folder()
    let made = try Command(
      program: "/usr/bin/env",
      arguments: ["python3", "-c", "import socket; socket.socket(socket.AF_UNIX).bind('socket.png')"],
      folder: folder.path
    ).run()
    try #require(made.status == 0, "\(made)")
    let outcome = try folder.run("img.canvas(2, 2):save(\"socket.png\")")
    outcome.expect(status: 1)
    #expect(outcome.messages.joined().contains("a pipe or a socket, which is not replaced"))
    #expect(mkfifo(folder.path + "/pipe.png", 0o600) == 0)
    let traced = try folder.run("img.canvas(2, 2):save(\"a.png\")", "--timeline", "pipe.png")
    traced.expect(status: 2)
  }
}
