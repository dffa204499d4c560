import ImageCore
import Platform
import Sharding
import TestSupport
import Testing

@testable import ClusterRuns

/// Records of runs that somebody has changed. Using one must always end, and no sum of its numbers may overflow.
struct RunRecordMutantTests {
  private func use(_ bytes: [UInt8]) {
    guard let record = RunRecord(bytes) else { return }
    let scripts = BatchScripts(record)
    // No word of a record becomes a line of its own.
    #expect(scripts.job.hasPrefix("#!/bin/sh\n") && !scripts.merge.isEmpty)
    var snapshot = RunSnapshot(shards: record.division.shards)
    for shard in 0..<min(record.division.shards, 5) { snapshot.reports[shard] = ShardReport(status: 0) }
    #expect(!RunStateText.lines(snapshot, of: record).isEmpty)
  }

  @Test func numbersAtTheirEnds() {
    let text = RunRecord.example { _ in }.json.line
    for number in ["9223372036854775807", "-9223372036854775808", "-1", "1e308", "nan", "1125899906842624"] {
      for field in ["task_memory", "task_cpus", "predicted_memory", "plan_memory"] {
        guard let start = text.firstRange(of: "\"\(field)\":") else {
          Issue.record("\(field) is there")
          continue
        }
        let rest = text[start.upperBound...].drop { $0 != "," && $0 != "}" }
        use(Array((String(text[..<start.upperBound]) + number + rest).utf8))
      }
      let pictures = String(repeating: number + ",", count: 20) + number
      use(Array(text.replacing(pictures: pictures).utf8))
    }
    #expect(RunRecord(Array(text.utf8)) == RunRecord.example { _ in })
    #expect(RunRecord(Array(text.replacing(pictures: String(repeating: "1,", count: 100_000) + "1").utf8)) == nil)
  }

  @Test func linesInWords() {
    var record = RunRecord.example { _ in }
    record.batch.partition = "a\n#SBATCH --wrap=x"
    #expect(RunRecord(Array(record.json.line.utf8)) == nil)
    record.batch.partition = nil
    record.batch.further = ["--x\nrm -rf /"]
    #expect(RunRecord(Array(record.json.line.utf8)) == nil)
  }

  @Test func mutants() {
    let text = Array(RunRecord.example { _ in }.json.line.utf8)
    var random = SplitMix(47)
    for _ in 0..<rounds(6_000) {
      var mutant = text
      for _ in 0..<1 + random.below(3) {
        let place = random.below(mutant.count)
        let end = min(place + 1 + random.below(20), mutant.count)
        switch random.below(4) {
        case 0: mutant[place] ^= 1 << UInt8(random.below(8))
        case 1: mutant.removeSubrange(place..<end)
        case 2: mutant.insert(contentsOf: mutant[place..<end], at: random.below(mutant.count))
        default: mutant.insert(contentsOf: Array("9223372036854775807".utf8), at: place)
        }
        if mutant.isEmpty { mutant = text }
      }
      use(mutant)
    }
  }

  /// A record that belongs to another user is named in a message, and not used.
  @Test func strangersRecords() throws {
    let cluster = try FakeCluster()
    let folder = RunFolder(path: cluster.path)
    try folder.write(RunFolder.record, "{}")
    #expect(folder.problem == nil)
    chmod(folder.file(RunFolder.record), 0o666)
    #expect(folder.problem?.reason == .worldWritable)
    chmod(folder.file(RunFolder.record), 0o644)
    chmod(cluster.path, 0o777)
    #expect(folder.problem?.path == cluster.path)
    chmod(cluster.path, 0o755)
    guard geteuid() == 0 else { return }
    lchown(folder.file(RunFolder.record), 65_534, 65_534)
    #expect(folder.problem?.reason == .stranger(65_534))
  }
}

extension String {
  fileprivate func replacing(pictures: String) -> String {
    guard let start = firstRange(of: "\"pictures\":["), let end = self[start.upperBound...].firstIndex(of: "]") else {
      return self
    }
    return String(self[..<start.upperBound]) + pictures + self[end...]
  }
}
