import ImageCore
import ImagePipeline
import Platform
import Testing

@testable import Sharding

@Suite struct MergedShardsTests {
  private static let identity = RunIdentity(
    version: "1", script: "s.lua", digest: "d", arguments: [], options: ["--on-error stop"])

  /// Writes manifests of shards into a fresh folder.
  private static func folder(_ count: Int, _ change: (inout ShardManifest) -> Void = { _ in }) throws -> ShardFolder {
    let root = "/tmp/imghost-shards-\(getpid())-\(UInt64.random(in: .min ... .max))"
    let folder = ShardFolder(outputFolder: root, script: "s.lua")
    for number in 0..<count {
      let shard = try #require(ShardIndex(number, of: count))
      var manifest = ShardManifest(
        identity, shard, divisions: ["a"], plugins: [("webp", "1.2.4")], host: "node\(number)", seconds: 1, status: 0)
      change(&manifest)
      try manifest.write(to: folder.manifest(shard))
    }
    return folder
  }

  private static func problems(_ folder: ShardFolder) -> [String] {
    defer {
      folder.remove()
      rmdir(folder.outputFolder)
    }
    do throws(MergedShards.Problem) {
      _ = try MergedShards(folder, identity) { "again \($0)" }
      return []
    } catch { return error.lines }
  }

  @Test func agreeingShards() throws { #expect(Self.problems(try Self.folder(3)).isEmpty) }

  @Test func anotherPlugin() throws {
    let folder = try Self.folder(3) { if $0.shard.number == 2 { $0.plugins = [("webp", "1.3.0"), ("avif", "1")] } }
    #expect(
      Self.problems(folder) == [
        "shard 2/3 is outdated: plugin 'webp' was 1.3.0 on node2 and 1.2.4 on node0 (shard 0/3); install the same "
          + "version; run it again: again 2/3"
      ])
  }

  @Test func otherPictures() throws {
    let folder = try Self.folder(2) { if $0.shard.number == 1 { $0.divisions = ["b"] } }
    #expect(
      Self.problems(folder) == [
        "shard 1/2 is outdated: on node1 it was to make other outputs than shard 0/2 on node0 (pictures were added or "
          + "changed, or names differ from run to run); run it again: again 1/2"
      ])
  }

  @Test func lostFiles() throws {
    let input = try Self.folder(1) {
      $0.inputs = [ShardManifest.Input(path: "/nowhere/a.jpg", byteCount: 1, modified: 1, digest: "")]
    }
    #expect(Self.problems(input)[0].contains("'/nowhere/a.jpg' has changed since the shard read it"))
    let output = try Self.folder(1) { $0.outputs = [ShardManifest.Output(path: "a.jpg", byteCount: 1)] }
    #expect(Self.problems(output)[0].contains("a.jpg' is not there as the shard wrote it"))
    let pack = try Self.folder(1) {
      $0.packs = [ShardManifest.Pack(book: "b.pdf", file: "p", byteCount: 1, digest: "", pageCount: 1)]
    }
    #expect(Self.problems(pack)[0].contains("/p' is not there as the shard wrote it"))
  }

  /// The merge does without the script only if all shards have recorded the same, and nothing stopped them.
  @Test func records() throws {
    var meant = MergeRecord()
    meant.documents = [
      RecordedDocument(path: "b.pdf", position: nil, pictureCount: 2, lost: [], options: RawArguments())
    ]
    func record(_ identity: RunIdentity = Self.identity, _ change: (inout ShardManifest) -> Void) throws -> MergeRecord?
    {
      let folder = try Self.folder(2) { manifest in
        manifest.identity = identity
        manifest.merge = .packs(meant)
        manifest.printed = ["line \(manifest.shard.number)"]
        change(&manifest)
      }
      defer {
        folder.remove()
        rmdir(folder.outputFolder)
      }
      let merged = try MergedShards(folder, identity) { "\($0)" }
      #expect(merged.printed == ["line 0"])
      var record = merged.record
      if record != nil {
        #expect(record?.documents[0].path == folder.absolute("b.pdf"))
        record?.documents = meant.documents
      }
      return record
    }
    var others = Self.identity
    others.options = ["--on-error continue"]
    let failure = RunEvent.failed(Diagnostic(.output, at: nil, file: "a", message: "lost"))
    #expect(try record { _ in } == meant)
    #expect(try record { if $0.shard.number == 1 { $0.merge = .script("'on_done' in s.lua:2") } } == nil)
    #expect(try record { if $0.shard.number == 1 { $0.merge = .packs(MergeRecord()) } } == nil)
    #expect(try record { if $0.shard.number == 1 { $0.events = [failure] } } == nil)
    #expect(try record(others) { $0.events = [failure] } == meant)
    #expect(
      try record { manifest in
        var output = ShardManifest.Output(path: "c.jpg")
        output.isCancelled = true
        manifest.outputs = [output]
      } == nil)
  }

  @Test func damagedManifest() throws {
    let folder = try Self.folder(2)
    let file = try OutputFile(path: folder.manifest(try #require(ShardIndex(1, of: 2))))
    try file.write(Array("{\"format\":1".utf8))
    try file.commit()
    #expect(
      Self.problems(folder) == ["shard 1/2 is outdated: its manifest is damaged; run it again: again 1/2"])
  }

  /// Ten are named.
  @Test func manyMissing() throws {
    let folder = try Self.folder(40)
    for number in 5..<40 { unlink(folder.manifest(try #require(ShardIndex(number, of: 40)))) }
    let problems = Self.problems(folder)
    #expect(problems.count == 11)
    #expect(problems.first == "shard 5/40 is missing: it has left no manifest; run it again: again 5/40")
    #expect(problems.last == "25 more shards have to run again")
  }

  /// Manifests of an earlier number of shards stand in nobody's way.
  @Test func otherNumbersOfShards() throws {
    let folder = try Self.folder(3)
    let old = try #require(ShardIndex(0, of: 5))
    var manifest = ShardManifest(
      Self.identity, old, divisions: ["z"], plugins: [], host: "n", seconds: 1, status: 0)
    try manifest.write(to: folder.manifest(old))
    // Complete, and so the one that is meant.
    #expect(Self.problems(folder).isEmpty)
    let both = try Self.folder(1)
    for number in 0..<2 {
      manifest.shard = try #require(ShardIndex(number, of: 2))
      try manifest.write(to: both.manifest(manifest.shard))
    }
    #expect(Self.problems(both).count == 1)
  }
}
