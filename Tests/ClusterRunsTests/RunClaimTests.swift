import ImageCore
import Platform
import Sharding
import Testing

@testable import ClusterRuns

struct RunClaimTests {
  private let cluster: FakeCluster
  private let shards: ShardFolder

  init() throws {
    let cluster = try FakeCluster()
    self.cluster = cluster
    shards = ShardFolder(outputFolder: cluster.path + "/out", script: "book.lua")
  }

  /// Creates a run with its own folder; all runs of these tests write the same files.
  private func record(_ name: String) throws -> RunRecord {
    let folder = try RunFolder.make(try #require(RunName(name)), in: cluster.path)
    var record = RunRecord.example(folder: folder.path) { $0.outputFolder = cluster.path + "/out" }
    record.name = RunName(name)!
    return record
  }

  private func take(_ record: RunRecord, jobs: [String] = []) throws -> String? {
    try RunClaim(record).take { jobs.contains($0.text) }?.text
  }

  /// Writes the record in its state after the submission.
  private func submit(_ record: RunRecord) throws {
    var record = record
    record.mergeJob = "2"
    try RunFolder(path: record.folder).write(RunFolder.record, record.json.line)
  }

  @Test func oneOfTwo() throws {
    let (first, second) = (try record("first"), try record("second"))
    #expect(try take(first) == nil)
    // Its jobs may not be in the queue yet.
    #expect(try take(second) == "first")
    try submit(first)
    #expect(try take(second, jobs: ["first"]) == "first")
    #expect(try take(first, jobs: ["first"]) == nil)
  }

  @Test func jobsAreGone() throws {
    let (first, second) = (try record("first"), try record("second"))
    #expect(try take(first) == nil)
    try submit(first)
    #expect(try take(second) == nil)
    #expect(try take(first, jobs: ["second"]) == "second")
  }

  @Test func mergeHasEnded() throws {
    let (first, second) = (try record("first"), try record("second"))
    #expect(try take(first) == nil)
    try RunFolder(path: first.folder).write(RunFolder.mergeStatus, "0\n")
    #expect(try take(second, jobs: ["first"]) == nil)
  }

  @Test func releaseLeavesNothing() throws {
    let (first, second) = (try record("first"), try record("second"))
    #expect(try take(first) == nil)
    RunClaim(second).release()
    #expect(FileIdentity(at: shards.path) != nil)
    RunClaim(first).release()
    #expect(FileIdentity(at: shards.path) == nil)
    #expect(try take(second) == nil)
  }

  /// The merge removes the claim with the manifests.
  @Test func removedByMerge() throws {
    #expect(try take(try record("first")) == nil)
    shards.remove()
    #expect(FileIdentity(at: shards.path) == nil)
  }
}
