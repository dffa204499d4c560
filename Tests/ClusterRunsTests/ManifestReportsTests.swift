import ImageCore
import ImagePipeline
import Platform
import Sharding
import Testing

@testable import ClusterRuns

struct ManifestReportsTests {
  private let cluster: FakeCluster
  private let record: RunRecord
  private let folder: ShardFolder

  init() throws {
    let cluster = try FakeCluster()
    self.cluster = cluster
    record = .example { $0.outputFolder = cluster.path }
    folder = ShardFolder(outputFolder: cluster.path, script: "book.lua")
  }

  private func leave(_ number: Int, version: String = "0.1.0 x", status: Int = 0, events: [RunEvent] = []) throws {
    var identity = record.identity
    identity.version = version
    var manifest = ShardManifest(
      identity, ShardIndex(number, of: 4)!, divisions: ["d"], plugins: [], host: "n1", seconds: 1, status: status)
    manifest.events = events
    try manifest.write(to: folder.manifest(ShardIndex(number, of: 4)!))
  }

  @Test func manifestsOfThisRunCount() throws {
    var reports = ManifestReports(record)
    #expect(reports.scan().isEmpty)
    try leave(1)
    try leave(2, version: "0.0.9 y")
    #expect(reports.scan().keys.sorted() == [1])
    // The shard has replaced the stale one.
    try leave(2)
    #expect(reports.scan().keys.sorted() == [1, 2])
  }

  @Test func failuresAreRead() throws {
    let failure = Diagnostic(
      .output, at: ScriptPosition(file: "book.lua", line: 3), subject: "save", file: "a.jpg", message: "truncated file")
    try leave(0, status: 1, events: [.failed(failure)])
    var reports = ManifestReports(record)
    #expect(reports.scan()[0] == ShardReport(status: 1, failures: [failure], host: "n1"))
  }

  /// A run in the folder of an earlier failed run must not report its failures.
  @Test func failuresOfAnEarlierTry() throws {
    try leave(0)
    try leave(1, status: 1)
    var reports = ManifestReports(record)
    reports.removeFailed()
    #expect(try folder.manifests().map(\.shard.number) == [0])
    #expect(reports.scan().keys.sorted() == [0])
  }

  /// `merge` removes the folder; manifests that were already read must stay known.
  @Test func removedFolder() throws {
    try leave(0)
    var reports = ManifestReports(record)
    _ = reports.scan()
    folder.remove()
    #expect(reports.scan().count == 1)
  }

  @Test func whatIsLeft() throws {
    try leave(0)
    try leave(1, status: 1)
    try leave(2, version: "other")
    var reports = ManifestReports(record)
    #expect(reports.left(of: ["d"]) == [1, 2, 3])
    // A picture was added: every shard is to make other outputs.
    #expect(reports.left(of: ["e"]) == [0, 1, 2, 3])
    reports.remove([1, 2])
    #expect(try folder.manifests().map(\.shard.number) == [0])
  }
}
