import ImagePipeline
import Testing

@testable import ClusterRuns

/// Names, states, and endings of runs in words.
struct RunTextTests {
  @Test(arguments: [
    ("book.lua", "book-"), ("a/my book.lua", "my-book-"), ("--x.lua", "x-"), ("é.lua", "run-"), (".lua", "lua-"),
  ])
  func names(_ script: String, _ start: String) {
    let name = RunName.make(script: script)
    #expect(name.text.hasPrefix(start) && RunName(name.text) == name)
    #expect(name.text.dropFirst(start.count).count == "20261125-173126-3f9a1c".count)
    #expect(name != RunName.make(script: script))
  }

  @Test(arguments: ["", "a/b", "..", "a b", "a,b", "a|b"])
  func otherNames(_ text: String) { #expect(RunName(text) == nil) }

  static let logs: [(String?, String)] = [
    (nil, "not begun"), ("", "ended without a word"),
    ("imghost: x\n", "imghost: x"),
    (
      "a\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-25T17:00:00 DUE TO TIME LIMIT ***\n",
      "time limit reached; give a longer --time or more --shards"
    ),
    (
      "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n"
        + "slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.\n",
      "out of memory; give a larger --task-memory"
    ),
    // The statement about the manifest counts, and not what follows from it.
    (
      "/o/shard-4-of-8.json: the shard's manifest is not written: the disk is full\n"
        + "a.lua:7: save '/o/0.jpg' and 44 more were cancelled, because '/o/a.pdf' failed\n"
        + "shard 4/8: 3 files written (24.5 kB), 1 failed, 45 cancelled in 0.14 s\n",
      "the shard's manifest is not written: the disk is full"
    ),
    (
      "a.lua:7: save: /o/1.jpg: bad\na.lua:7: save '/o/0.jpg' was cancelled, because '/o/1.jpg' failed\n"
        + "3 more jobs were cancelled\nshard 4/8: 3 files written (24.5 kB) in 0.14 s\n",
      "a.lua:7: save: /o/1.jpg: bad"
    ),
  ]

  @Test(arguments: logs)
  func causes(_ log: String?, _ expected: String) {
    #expect(LostShard(shard: 1, log: "x", text: log).cause == expected)
  }

  @Test(arguments: [("OUT_OF_MEMORY", "out of memory; give a larger --task-memory"), ("FAILED", "imghost: x")])
  func causeByState(_ state: String, _ expected: String) {
    #expect(LostShard(shard: 1, log: "x", text: "imghost: x\n", state: state).cause == expected)
  }

  @Test func equalCausesShareALine() {
    let lost = [
      LostShard(shard: 1, log: "/l/1", text: "bad\n"), LostShard(shard: 2, log: "/l/2", text: "bad\n"),
      LostShard(shard: 5, log: "/l/5", text: nil),
    ]
    #expect(
      LostShard.lines(lost) == [
        "shards 1-2: bad; the first log is /l/1", "shard 5: not begun",
      ])
  }

  @Test func stateInLines() {
    let snapshot = RunSnapshot(
      shards: 4, reports: [0: ShardReport(status: 0), 1: ShardReport(status: 0)],
      tasks: [
        QueuedTask(line: "imghost-book-1|7|2|RUNNING|None")!,
        QueuedTask(line: "imghost-book-1|7|3|PENDING|Resources")!,
        QueuedTask(line: "imghost-book-1-merge|8|N/A|PENDING|Dependency")!,
      ])
    #expect(
      RunStateText.lines(snapshot, of: .example()) == [
        "book-1: book.lua, 4 shards into .", "  done      2 shards, 20 of 40 pictures", "  running   1 shard",
        "  waiting   1 shard (Resources)", "  merge     waiting (Dependency)",
      ])
  }

  private func failure(_ line: Int, _ text: String) -> Diagnostic {
    Diagnostic(.output, at: ScriptPosition(file: "book.lua", line: line), subject: "save", file: nil, message: text)
  }

  @Test func failuresOfShardsAreOneList() throws {
    let cluster = try FakeCluster()
    let snapshot = RunSnapshot(
      shards: 4,
      reports: [
        2: ShardReport(status: 1, failures: [failure(3, "b")]), 0: ShardReport(status: 3, failures: [failure(1, "a")]),
      ])
    let ending = RunEndingText(snapshot, of: .example(), in: RunFolder(path: cluster.path))
    #expect(
      ending.messages == [
        "book.lua:1: save: a", "book.lua:3: save: b",
        "imghost: shards 0,2 of 4 failed; 'imghost resume /runs/book-1' makes what is left",
      ])
    #expect(ending.status.rawValue == 3)
  }

  @Test func mergeSpeaksAsRunDoes() throws {
    let cluster = try FakeCluster()
    let folder = try RunFolder.make(RunName("book-1")!, in: cluster.path)
    try folder.write("merge.status", "4\n")
    try RunFolder(path: folder.file("logs")).write("merge.out", "printed\n")
    try RunFolder(path: folder.file("logs")).write("merge.log", "one\n\ntwo\n")
    let snapshot = RunSnapshot(shards: 4, mergeStatus: folder.mergeStatus)
    let ending = RunEndingText(snapshot, of: .example(), in: folder)
    #expect(ending.output == "printed\n" && ending.messages == ["one", "", "two"] && ending.status.rawValue == 4)
  }

  @Test func homeOfRuns() {
    func home(_ runs: String?, _ variables: [String: String]) -> String? {
      RunFolder.home(runs: runs, workingFolder: "/work", environment: { variables[$0] })
    }
    #expect(home("runs", [:]) == "/work/runs" && home("/r/../s", ["HOME": "/h"]) == "/s")
    #expect(home(nil, ["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/imghost/runs")
    #expect(home(nil, ["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/imghost/runs")
    #expect(home(nil, [:]) == nil)
  }
}

struct RunRecordTests {
  @Test func recordIsReadAgain() throws {
    let cluster = try FakeCluster()
    let folder = RunFolder(path: cluster.path)
    var record = RunRecord.example {
      $0.arguments = ["a\n\"b"]
      $0.words = ["--out=x y"]
      ($0.isStaged, $0.stopsAtFailure) = (true, false)
    }
    (record.batch.partition, record.batch.taskProcessors, record.batch.further) = ("night", 2, ["--qos=long"])
    record.arrayJob = "7"
    record.batch.predictedMemory = 5
    try folder.write(RunFolder.record, record.json.line + "\n")
    #expect(RunRecord(in: folder) == record)
  }

  @Test(arguments: ["", "{}", "{\"format\":2}", "[1"])
  func otherFiles(_ text: String) throws {
    let cluster = try FakeCluster()
    try cluster.write(RunFolder.record, text)
    #expect(RunRecord(in: RunFolder(path: cluster.path)) == nil)
  }
}
