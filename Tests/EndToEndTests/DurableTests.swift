import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// `--durable`: the bytes of a file reach the disk before the file gets its name, and the name before the run
/// continues.
@Suite(.enabled(if: Trace.isPossible, "strace is not installed, or may not follow programs"))
struct DurableTests {
  private static let script = """
    local img = require "imghost"
    for i, photo in ipairs(img.glob("in/*.png")) do
      photo:resize(12):save("web/" .. i .. "/{stem}.webp")
      photo:save("{stem}-{hash:8}.png")
      photo:tiles("zoom/{stem}", { size = 16, layout = i == 1 and "iiif" or "deepzoom" })
    end
    img.book("book.pdf", img.glob("in/*.png"), { verify = true })
    img.animation("all.webp", img.glob("in/*.png"))
    img.multipage("all.tif", img.glob("in/*.png"))

    """

  private static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write("s.lua", script)
    for name in ["a", "b"] { try folder.write("in/\(name).png", Pixels.waves(40, 40).png()) }
    return folder
  }

  @Test func everyFileIsSyncedBeforeItIsShown() throws {
    let folder = try Self.folder()
    for round in 0..<2 {
      let trace = try Trace(
        of: [
          "run", "--durable", "--only-changed", "--manifest", "m.json", "--depfile", "s.d", "--report", "r.html",
          "--trace", "t.json", "--out", "o", "s.lua",
        ], in: folder)
      // A second run exchanges the folders of tiles.
      try folder.write("s.lua", Self.script.replacingOccurrences(of: "size = 16", with: "size = 32"))
      var shown: [String] = []
      for name in trace.names where name.new.hasPrefix(folder.path) {
        shown.append(String(name.new.dropFirst(folder.path.count + 1)))
        for file in trace.written(before: name, in: folder) {
          #expect(trace.isSynced(file, until: name.began), "\(name.new): \(file)")
        }
        let parent = (name.new as NSString).deletingLastPathComponent
        #expect(trace.isSynced(parent, from: name.ended), "the folder of \(name.new)")
      }
      let kinds = ["webp", "png", "pdf", "tif", "json", "d", "html", "dzi", "zoom/a"]
      for kind in kinds where round == 0 { #expect(shown.contains { $0.hasSuffix(kind) }, "\(kind): \(shown)") }
      #expect(shown.contains { $0.contains("/record-") } && shown.contains { $0.hasPrefix("o/zoom/") }, "\(shown)")
      // The journal knows of an output before the output has its name.
      let first = try #require(
        trace.names.first { $0.new.hasPrefix(folder("o/web")) || $0.new.hasPrefix(folder("o/z")) })
      #expect(trace.syncs.contains { $0.path.contains("/journal-") && $0.ended < first.began })
      for made in ["o", "o/web", "o/web/1", "o/.imghost", "o/.imghost/s.lua"] where round == 0 {
        let parent = (folder(made) as NSString).deletingLastPathComponent
        #expect(trace.syncs.contains { $0.path == parent }, "the name of \(made)")
      }
    }
    #expect(folder.temporaries == [])
  }

  @Test(.wholeRuns) func shardsAreDurable() throws {
    let folder = try Self.folder()
    let trace = try Trace(of: ["run", "--durable", "--shard", "0/1", "--out", "o", "s.lua"], in: folder)
    let packs = trace.names.filter { $0.new.hasSuffix(".pack") || $0.new.hasSuffix(".json") }
    #expect(packs.count == 2)
    for name in packs {
      #expect(trace.isSynced(name.old, until: name.began))
      #expect(trace.isSynced((name.new as NSString).deletingLastPathComponent, from: name.ended))
    }
  }

  @Test(.wholeRuns) func otherRunsSyncNothing() throws {
    let folder = try Self.folder()
    #expect(try Trace(of: ["run", "--only-changed", "--out", "o", "s.lua"], in: folder).syncs.isEmpty)
  }
}

/// The system calls of a program that name and sync files, as recorded by strace.
private struct Trace {
  struct Sync {
    let path: String
    let began, ended: Int
  }
  /// A call that has given a file or folder its name.
  struct Name {
    let old, new: String
    let began, ended: Int
  }
  private(set) var syncs: [Sync] = []
  private(set) var names: [Name] = []
  /// The files and folders that were created, with their places in the sequence of calls.
  private var made: [(path: String, place: Int)] = []

  private static let program = "/usr/bin/strace"

  static let isPossible: Bool = {
    guard FileManager.default.isExecutableFile(atPath: program) else { return false }
    let command = Command(program: program, arguments: ["-qq", "-o", "/dev/null", "/bin/true"], folder: "/")
    return (try? command.run().status) == 0
  }()

  init(of words: [String], in folder: Folder) throws {
    let log = folder("strace")
    let calls = "trace=fsync,rename,renameat,renameat2,openat,mkdirat"
    let command = Command(
      program: Self.program,
      arguments: ["-f", "-y", "-s", "4096", "-e", calls, "-o", log, Built.program("imghost")] + words,
      folder: folder.path, seconds: 60)
    try command.run().expect(status: 0)
    var begun: [Substring: (place: Int, text: Substring)] = [:]
    let lines = String(decoding: folder.bytes("strace"), as: UTF8.self).split(separator: "\n")
    try FileManager.default.removeItem(atPath: log)
    for (place, line) in lines.enumerated() {
      guard let space = line.firstIndex(of: " ") else { continue }
      let (process, rest) = (line[..<space], line[space...].drop { $0 == " " })
      if let end = rest.range(of: " <unfinished ...>") {
        begun[process] = (place, rest[..<end.lowerBound])
      } else if rest.hasPrefix("<... "), let start = begun[process], let end = rest.range(of: "resumed>") {
        add(String(start.text + rest[end.upperBound...]), start.place, place)
      } else {
        add(String(rest), place, place)
      }
    }
  }

  private mutating func add(_ call: String, _ began: Int, _ ended: Int) {
    let paths = call.split(separator: "<").dropFirst().compactMap { $0.split(separator: ">").first.map(String.init) }
    let texts = call.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
    if call.hasPrefix("fsync("), call.hasSuffix("= 0"), let path = paths.first {
      syncs.append(Sync(path: path, began: began, ended: ended))
    } else if call.hasPrefix("rename"), call.hasSuffix("= 0"), paths.count == 2, texts.count == 2 {
      names.append(Name(old: paths[0] + "/" + texts[0], new: paths[1] + "/" + texts[1], began: began, ended: ended))
    } else if call.hasPrefix("openat("), call.contains("O_CREAT"), paths.count == 2 {
      made.append((paths[1], ended))
    } else if call.hasPrefix("mkdirat("), call.hasSuffix("= 0"), let path = paths.first, let text = texts.first {
      made.append((path + "/" + text, ended))
    }
  }

  /// Returns the file or folder that gets the name, and everything that was created in it before.
  func written(before name: Name, in folder: Folder) -> [String] {
    [name.old] + made.filter { $0.path.hasPrefix(name.old + "/") && $0.place < name.began }.map(\.path)
  }

  func isSynced(_ path: String, from start: Int = 0, until end: Int = .max) -> Bool {
    syncs.contains { $0.path == path && $0.began > start && $0.ended < end }
  }
}
