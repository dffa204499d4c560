import Foundation
import TestSupport
import Testing

/// Scripts that several processes run a part of each: together they write the same files as a single run.
struct ShardTests {
  private static let script = """
    local img = require "imghost"
    local photos = img.glob(arg[1] .. "/*.{jpg,png}")
    local small = photos:map(function(p) return p:resize{ width = 90, height = 90, fit = "inside" } end)
    local mark = img.canvas(12, 12, { background = "#ff000080" })
    small:map(function(p) return p:composite{ over = mark } end):save("thumbs/{stem}-{ext}.jpg")
    local a = img.book("a.pdf", photos, { caption = "{name}", verify = true, title = "All" })
    local b = img.book("b.pdf", small, { layout = "grid", rows = 2, columns = 2, lossless = true })
    img.book("back.pdf", small:sort_by(function(p) return -p.width end), { reencode = true })
    img.multipage("m.tif", small:take(3))
    small:take(1):map(function(p) return p:resize(300) end):tiles("zoom/{stem}")
    small:take(2):save("after/{stem}-{ext}.png", { after = a })
    a:on_done(function(result) print("a", result.ok, result.pages, result.verified) end)
    img.all{ a, b }:await()
    print(#photos)
    small:take(4):save("late/{stem}-{ext}.png")
    """

  private static func folder(_ script: String = Self.script) throws -> Folder {
    let folder = try Folder()
    try folder.write("s.lua", script)
    return folder
  }

  static func files(_ folder: Folder, in name: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let all = FileManager.default.enumerator(atPath: folder.path + "/" + name)?.compactMap { $0 as? String } ?? []
    for path in all {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(folder.path)/\(name)/\(path)", isDirectory: &isFolder)
      files[path] = isFolder.boolValue ? [] : folder.bytes("\(name)/\(path)")
    }
    return files
  }

  @Test(arguments: isWhole ? [1, 2, 5] : [2]) func bytesOfOneRun(_ count: Int) throws {
    let folder = try Self.folder()
    let whole = try folder.imghost(["run", "--out", "whole", "s.lua", Built.photos], seconds: 60)
    whole.expect(status: 0)
    for number in (0..<count).reversed() {
      let shard = try folder.imghost(
        ["run", "--shard", "\(number)/\(count)", "--out", "parts", "s.lua", Built.photos], seconds: 60)
      shard.expect(status: 0)
      #expect(shard.outputLines == [String(Built.samples.count)])
    }
    let merge = try folder.imghost(["merge", "--out", "parts", "s.lua", Built.photos], seconds: 60)
    merge.expect(status: 0)
    #expect(merge.outputLines.sorted() == whole.outputLines.sorted())
    let (meant, made) = (Self.files(folder, in: "whole"), Self.files(folder, in: "parts"))
    #expect(made.keys.sorted() == meant.keys.sorted())
    for (path, bytes) in meant { #expect(made[path]?.count == bytes.count && made[path] == bytes, "\(path) differs") }
  }

  @Test(.wholeRuns) func shardAgainChangesNothing() throws {
    let folder = try Self.folder()
    func run() throws -> Outcome {
      try folder.imghost(["run", "--shard", "1/2", "--out", "o", "s.lua", Built.photos], seconds: 60)
    }
    // The times of outputs that the first run has just written are looked at again.
    func files() -> [String: [UInt8]] { Self.files(folder, in: "o").filter { !$0.key.contains("/record-") } }
    let first = try run()
    let before = files()
    let second = try run()
    #expect((first.status, second.status) == (0, 0))
    #expect(second.error.contains("shard 1/2: done by an earlier run; nothing has changed since"))
    #expect(files() == before)
    // A lost output is made again.
    let lost = try #require(before.keys.first { $0.hasPrefix("thumbs/") })
    try FileManager.default.removeItem(atPath: "\(folder.path)/o/\(lost)")
    let third = try run()
    #expect(third.status == 0 && !third.error.contains("earlier run"))
    #expect(folder.bytes("o/" + lost) == before[lost])
  }

  @Test(arguments: ["stop", "continue"]) func failuresAreOneList(_ onError: String) throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      local photos = img.glob("*.jpg")
      photos:map(function(p) return p:resize(20) end):save("t/{stem}.jpg")
      img.book("b.pdf", photos, { reencode = true })
      """)
    for name in ["a", "b", "c", "d"] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/rocket.jpg"))
      // The header is whole; decoding fails.
      try (name == "c" ? bytes.prefix(bytes.count / 2) : bytes).write(
        to: URL(fileURLWithPath: "\(folder.path)/\(name).jpg"))
    }
    func imghost(_ words: [String]) throws -> Outcome {
      try folder.imghost([words[0], "--on-error", onError] + words.dropFirst() + ["s.lua"], seconds: 60)
    }
    let whole = try imghost(["run", "--out", "whole"])
    whole.expect(status: 1)
    for number in 0..<4 { _ = try imghost(["run", "--shard", "\(number)/4", "--out", "parts"]) }
    let merge = try imghost(["merge", "--out", "parts"])
    merge.expect(status: 1)
    func failures(_ outcome: Outcome, _ out: String) -> Set<String> {
      Set(
        outcome.errorLines.filter { $0.hasPrefix("s.lua:") && $0.contains("open: c.jpg") }
          .map { $0.replacingOccurrences(of: out + "/", with: "") })
    }
    #expect(failures(merge, "parts") == failures(whole, "whole"))
    #expect(!failures(merge, "parts").isEmpty)
    guard onError == "continue" else { return #expect(folder.bytes("parts/b.pdf").isEmpty) }
    #expect(Self.files(folder, in: "whole") == Self.files(folder, in: "parts"))
  }

  /// Each is refused at its line, in a shard and in a plan.
  @Test(arguments: [
    ("local r = job:await(); print(r.ok)", "'ok' of a job's result is not known in a shard"),
    ("local r = img.all{ job }:await(); print(r.results)", "'results' of a job's result is not known in a shard"),
    ("for k in pairs(job:await()) do print(k) end", "the result of a job is not known in a shard"),
    ("print(job.state)", "the state of a job is not known in a shard"),
    ("img.race{ job }:await()", "the winner of a race is not known in a shard"),
    ("img.book('b.pdf', { p }); img.verify('b.pdf')", "no shard has the finished 'b.pdf'"),
    ("job:await(); img.open('o/x.jpg'):save('y.jpg')", "'o/x.jpg' is an output of this script"),
  ])
  func resultsOfOthers(_ line: String, _ reason: String) throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      local p = img.open(arg[1] .. "/rocket.jpg"):resize(20)
      local job = p:save("x.jpg")
      \(line)
      """)
    for command in [["run", "--shard", "0/2", "--out", "o"], ["plan", "--shards", "2"]] {
      let outcome = try folder.imghost(command + ["s.lua", Built.photos])
      // The output exists only after a local run.
      guard command[0] == "run" || !line.contains("o/x.jpg") else { continue }
      outcome.expect(status: 3)
      #expect(outcome.error.contains("s.lua:4: ") && outcome.error.contains(reason), "\(outcome)")
    }
  }

  @Test func mergeNamesWhatIsMissing() throws {
    let folder = try Self.folder()
    func merge() throws -> Outcome { try folder.imghost(["merge", "--out", "o", "s.lua", Built.photos]) }
    #expect(try merge().error.contains("no shard has left a manifest in 'o/.imghost/s.lua'"))
    for number in [0, 2] {
      _ = try folder.imghost(["run", "--shard", "\(number)/3", "--out", "o", "s.lua", Built.photos], seconds: 60)
    }
    let missing = try merge()
    missing.expect(status: 1)
    #expect(
      missing.messages == [
        "imghost: shard 1/3 is missing: it has left no manifest; run it again: imghost run --shard 1/3 --out o s.lua "
          + Built.photos
      ])
    // A manifest of another version.
    let path = folder.path + "/o/.imghost/s.lua/shard-2-of-3.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try text.replacing("\"version\":\"0.2.0", with: "\"version\":\"0.0.9").write(
      toFile: path, atomically: true, encoding: .utf8)
    let stale = try merge()
    stale.expect(status: 1)
    #expect(stale.error.contains("shard 2/3 is outdated: it was made by imghost 0.0.9"))
    // Another number of shards from before does not stand in the way.
    #expect(stale.error.contains("shard 1/3 is missing"))
  }

  /// After runs of two numbers of shards, the message names the files of one and how to remove them, or the option that
  /// chooses the other.
  @Test func mergeNamesWhatToRemove() throws {
    for chooses in [true, false] {
      let folder = try Self.folder("local img = require 'imghost' img.canvas(9, 9):save('a.png')")
      func merge(_ options: String...) throws -> Outcome {
        try folder.imghost(["merge", "--out", "o o"] + options + ["s.lua"])
      }
      for shard in ["0/2", "1/2", "0/3", "1/3", "2/3"] {
        if shard == "0/3" { sleep(1) }
        #expect(try folder.imghost("run", "--shard", shard, "--out", "o o", "s.lua").status == 0)
      }
      let unclear = try merge()
      let command = "rm 'o o/.imghost/s.lua'/shard-*-of-2.*"
      #expect(
        unclear.messages == [
          "imghost: 'o o/.imghost/s.lua' has manifests of runs in 2 and 3 shards, and it is not clear which to merge; name "
            + "one, such as --shards 3 for the last one, or remove the files of the others: \(command)"
        ], "\(unclear)")
      if chooses {
        #expect(try merge("--shards", "3").status == 0)
      } else {
        let removed = try Command(program: "/bin/sh", arguments: ["-c", command], folder: folder.path).run()
        removed.expect(status: 0)
        #expect(try merge().status == 0)
      }
      #expect(folder.files == ["o o/a.png", "s.lua"])
    }
  }

  @Test(arguments: [
    (["--shard", "2/2"], [:], "expected K/N with K from 0 to N - 1"),
    (
      ["--shard", "auto/2"], [:], "none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX is set"
    ),
    (["--shard", "auto/2"], ["SLURM_ARRAY_TASK_ID": "7"], "SLURM_ARRAY_TASK_ID is '7', not a number from 0 to 1"),
  ])
  func wrongNumbers(_ words: [String], _ environment: [String: String], _ message: String) throws {
    let folder = try Self.folder()
    var all: [String: String?] = [
      "SLURM_ARRAY_TASK_ID": nil, "JOB_COMPLETION_INDEX": nil, "AWS_BATCH_JOB_ARRAY_INDEX": nil,
    ]
    for (name, value) in environment { all[name] = value }
    let outcome = try folder.imghost(["run"] + words + ["s.lua"], environment: all)
    outcome.expect(status: 2)
    #expect(outcome.error.contains(message))
  }

  @Test(arguments: ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"])
  func numberOfTheEnvironment(_ name: String) throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      img.canvas(9, 9):save("a.png")
      img.canvas(9, 9, { background = "#123" }):save("b.png")
      """)
    var all: [String: String?] = [
      "SLURM_ARRAY_TASK_ID": nil, "JOB_COMPLETION_INDEX": nil, "AWS_BATCH_JOB_ARRAY_INDEX": nil,
    ]
    all[name] = "1"
    let outcome = try folder.imghost(["run", "--shard", "auto/2", "--out", "o", "s.lua"], environment: all)
    outcome.expect(status: 0)
    #expect(outcome.error.contains("shard 1/2: 1 file written"))
    #expect(folder.bytes("o/a.png").isEmpty && !folder.bytes("o/b.png").isEmpty)
  }

  @Test func planHasEveryPicture() throws {
    let folder = try Self.folder()
    let outcome = try folder.imghost(["plan", "--shards", "3", "--json", "s.lua", Built.photos])
    outcome.expect(status: 0)
    let rows = try outcome.outputLines.dropFirst().map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(rows.compactMap { $0["shard"] as? Int } == [0, 1, 2])
    #expect(rows.compactMap { $0["pages"] as? Int }.reduce(0, +) == 3 * Built.samples.count)
    // Thumbnails, a file of three pages, tiles, two files afterwards, four late ones.
    #expect(rows.compactMap { $0["files"] as? Int }.reduce(0, +) == Built.samples.count + 8)
  }

  @Test(.wholeRuns) func eventsCountOwnOutputs() throws {
    let folder = try Self.folder()
    for number in 0..<2 {
      let shard = try folder.imghost(
        ["run", "--json", "--shard", "\(number)/2", "--out", "o", "s.lua", Built.photos], seconds: 60)
      let last = try #require(shard.outputLines.last)
      #expect(last.contains("\"status\":0") && last.contains("\"failed\":0"), "\(last)")
    }
    let merge = try folder.imghost(["merge", "--json", "--out", "o", "s.lua", Built.photos], seconds: 60)
    let last = try #require(merge.outputLines.last)
    #expect(last.contains("\"failed\":0") && last.contains("\"written\":\(Built.samples.count + 11)"), "\(last)")
  }

  /// Two programs that make the same shard at once replace each other's files, and both end well.
  @Test(.wholeRuns) func sameShardTwiceAtOnce() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      local photos = img.glob(arg[1] .. "/*.{jpg,png}")
      for i = 1, 9 do photos:map(function(p) return p:resize(20 + i) end):save("t" .. i .. "/{stem}-{ext}.jpg") end
      """)
    for _ in 0..<3 {
      let runs = try (0..<2).map { _ in
        try Command(
          arguments: ["run", "--shard", "0/1", "--out", "o", "s.lua", Built.photos], folder: folder.path
        ).start()
      }
      for run in runs {
        let outcome = run.finish(within: 60)
        outcome.expect(status: 0)
      }
      try FileManager.default.removeItem(atPath: folder.path + "/o/.imghost")
    }
  }

  /// What the script cancels is cancelled in the merge, too.
  @Test func cancelledJobs() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      local photos = img.glob(arg[1] .. "/*.jpg"):map(function(p) return p:resize(20) end)
      local a = photos:save("a/{stem}.jpg")
      local b = photos:save("b/{stem}.jpg", { after = a })
      b:cancel()
      """)
    let whole = try folder.imghost(["run", "--out", "w", "s.lua", Built.photos])
    for number in 0..<2 {
      #expect(try folder.imghost(["run", "--shard", "\(number)/2", "--out", "o", "s.lua", Built.photos]).status == 0)
    }
    let merge = try folder.imghost(["merge", "--out", "o", "s.lua", Built.photos])
    #expect((whole.status, merge.status) == (0, 0), "\(merge)")
    #expect(whole.error.contains("cancelled") && merge.error.contains("cancelled"))
    #expect(Self.files(folder, in: "w") == Self.files(folder, in: "o"))
  }

  @Test func modulesAreInputs() throws {
    let folder = try Self.folder(
      "local width = require 'width'\nrequire('imghost').open(arg[1] .. '/rocket.jpg'):resize(width):save('x.jpg')")
    try folder.write("width.lua", "return 20")
    func imghost(_ words: [String]) throws -> Outcome {
      try folder.imghost(words + ["--out", "o", "s.lua", Built.photos])
    }
    #expect(try imghost(["run", "--shard", "0/1"]).status == 0)
    try folder.write("width.lua", "return 21")
    let merge = try imghost(["merge"])
    merge.expect(status: 1, error: "'width.lua' has changed since the shard read it")
    #expect(try !imghost(["run", "--shard", "0/1"]).error.contains("earlier run"))
    #expect(try imghost(["merge"]).status == 0)
  }

  /// Nothing behind a link is written or removed.
  @Test(arguments: ["o/.imghost", "o/.imghost/s.lua"]) func linksAreRefused(_ place: String) throws {
    let folder = try Self.folder()
    try folder.write("mine/shard-0-of-2.json", "keep")
    try folder.write("mine/s.lua/shard-0-of-2.json", "keep")
    let path = folder.path + "/" + place
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path + "/mine")
    for command in [["run", "--shard", "0/2"], ["merge"]] {
      let outcome = try folder.imghost(command + ["--out", "o", "s.lua", Built.photos])
      outcome.expect(status: 1)
      #expect(outcome.error.contains("'\(place)' is a link"), "\(outcome)")
    }
    #expect(folder.files.filter { $0.hasPrefix("mine/") }.count == 2)
  }

  @Test func callbacksThatAskForMore() throws {
    let folder = try Self.folder(
      """
      local img = require "imghost"
      local p = img.open(arg[1] .. "/rocket.jpg"):resize(20)
      p:save("x.jpg"):on_done(function() p:save("y.jpg") end)
      """)
    let shard = try folder.imghost(["run", "--shard", "0/1", "--out", "o", "s.lua", Built.photos])
    shard.expect(status: 0)
    let merge = try folder.imghost(["merge", "--out", "o", "s.lua", Built.photos])
    merge.expect(status: 1)
    #expect(merge.error.contains("s.lua:3: save: o/y.jpg: no shard was to make this"))
  }
}

/// The script that measures and simulates large runs.
@Suite(.wholeRuns) struct ClusterScaleTests {
  private static func run(_ words: [String]) throws -> Outcome {
    try Command(
      program: "/usr/bin/env", arguments: ["python3", Built.root + "/Scripts/dev/cluster-scale"] + words,
      folder: Built.folder, seconds: 60
    ).run()
  }

  @Test func simulation() throws {
    let outcome = try Self.run(["simulate", "--pictures", "5000", "--cost", "loss=0"])
    outcome.expect(status: 0)
    let rows = outcome.outputLines.dropFirst(2).map {
      $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows.map { $0[0] } == ["1", "3", "10", "30", "100", "300", "1,000"])
    // Every node has a shard, and no ideal is exceeded.
    #expect(rows.map { $0[1] } == ["3", "3", "10", "30", "100", "300", "1,000"])
    #expect(rows.allSatisfy { Int($0[4].dropLast()).map { (0...100).contains($0) } ?? false })
    #expect(try Self.run(["simulate", "--cost", "los=0"]).error.contains("unknown cost 'los'"))
  }

  @Test func mergeOfManyPages() throws {
    let outcome = try Self.run([
      "merge", "--pictures", "400", "--shards", "40", "--imghost", Built.program("imghost"),
    ])
    outcome.expect(status: 0)
    #expect(outcome.output.hasPrefix("merge of 400 pages from 40 shards: "), "\(outcome)")
  }

  @Test func measurement() throws {
    let outcome = try Self.run(["measure", "--pictures", "100", "--imghost", Built.program("imghost")])
    outcome.expect(status: 0)
    #expect(outcome.outputLines.contains { $0.hasPrefix("# merge of 100 pages: ") })
    #expect(outcome.outputLines.contains { $0.hasPrefix("manifest_bytes=") })
  }
}
