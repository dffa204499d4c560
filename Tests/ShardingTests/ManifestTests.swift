import Foundation
import ImageCore
import ImagePipeline
import Testing

@testable import Sharding

@Suite struct ManifestTests {
  static func manifest() throws -> ShardManifest {
    var manifest = ShardManifest(
      RunIdentity(
        version: "1 (ab)", script: "a \"b\".lua", digest: String(repeating: "0", count: 64), arguments: ["x\ny", "é"],
        options: ["--on-error stop"]),
      try #require(ShardIndex(3, of: 8)), divisions: ["d1", "d2"], plugins: [("webp", "1.2.4")], host: "node1",
      seconds: 1.5, status: 1)
    manifest.inputs = [ShardManifest.Input(path: "/in/é.jpg", byteCount: 12, modified: 1 << 60, digest: "aa")]
    var failed = ShardManifest.Output(path: "b.jpg")
    var failure = Diagnostic(
      .output, at: ScriptPosition(file: "a.lua", line: 7, origin: "plugin 'x'"), subject: "save", file: "b.jpg",
      message: "no\nroom")
    failure.cause = "room"
    failure.keepsLines = true
    failed.failure = failure
    manifest.outputs = [
      ShardManifest.Output(path: "t/a.jpg", byteCount: 5, totalByteCount: 9, digest: "bb"), failed,
    ]
    manifest.packs = [ShardManifest.Pack(book: "b.pdf", file: "p.pack", byteCount: 7, digest: "cc", pageCount: 2)]
    manifest.events = [.failed(failure), .note(Diagnostic(.input, at: nil, message: "note"))]
    manifest.losses = [ShardLoss(subject: "save", text: "no place for XMP", files: ["a", "b"])]
    manifest.printed = ["one\ttwo", ""]
    var record = MergeRecord()
    (record.pictureCount, record.sourceCount, record.requestedCount, record.notes) = (9, 8, 7, ["unused setting 'x'"])
    record.documents = [
      RecordedDocument(
        path: "b.pdf", position: ScriptPosition(file: "a.lua", line: 2, origin: "plugin 'x'"), pictureCount: 9,
        lost: [0, 4],
        options: RawArguments(named: [
          ("captions", .list([.text("a\"b"), .list([])])), ("dpi", .number(2)), ("max_dpi", .number(0.1)),
          ("page_multiple", .integer(4)), ("texts", .fields(["a": .boolean(true), "b": .text("{}")])),
        ]))
    ]
    manifest.merge = .packs(record)
    return manifest
  }

  @Test func survivesItsFile() throws {
    let manifest = try Self.manifest()
    let text = manifest.json.line
    let read = try #require(ShardManifest(Array(text.utf8)))
    #expect(read.json.line == text)
    #expect(read.identity == manifest.identity)
    #expect(read.merge == manifest.merge && read.printed == manifest.printed)
    #expect(read.failures == manifest.failures)
    #expect(read.outputs[1].failure?.cause == "room")
  }

  /// A manifest that is cut anywhere is none.
  @Test func cutFiles() throws {
    let text = try Self.manifest().json.line
    for count in 0..<text.utf8.count where count % 7 == 0 {
      #expect(ShardManifest(Array(text.utf8.prefix(count))) == nil)
    }
  }

  @Test(arguments: [
    ("shard-3-of-8.json", "3/8"), ("shard-0-of-1.json", "0/1"), ("shard-8-of-8.json", nil), ("shard-3-of-8.pack", nil),
    ("shard--1-of-8.json", nil), ("shard-3-8.json", nil), ("other.json", nil),
  ])
  func namesOfManifests(_ name: String, _ shard: String?) {
    #expect(ShardFolder.shard(ofManifest: name)?.description == shard)
  }

  @Test(arguments: [
    ("record-ab.3.8", "3/8"), ("journal-ab.0.1", "0/1"), ("record-ab", nil), ("record-ab.8.8", nil),
    ("record-cd.3.8", nil), ("pages-ab.3.8", nil), ("record-ab.3.8-x", nil), ("record-ab.3.8.1", nil),
  ])
  func namesOfRecords(_ name: String, _ shard: String?) {
    #expect(ShardFolder.shard(ofRecord: name, "ab")?.description == shard)
  }

  @Test func pathsLieInTheFolderOfOutputs() {
    let folder = ShardFolder(outputFolder: "out", script: "/home/me/book.lua")
    #expect(folder.path == "out/.imghost/book.lua")
    #expect(folder.relative("out/a/b.jpg") == "a/b.jpg")
    #expect(folder.relative("/elsewhere/b.jpg") == "/elsewhere/b.jpg")
    #expect(folder.relative("outer/b.jpg") == "outer/b.jpg")
    #expect(folder.absolute("a/b.jpg") == "out/a/b.jpg")
    #expect(folder.absolute("/elsewhere/b.jpg") == "/elsewhere/b.jpg")
  }

  /// The merge also removes what a shard was writing when its node died, and nothing else.
  @Test func removal() throws {
    let outputs = FileManager.default.temporaryDirectory.path + "/shards-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: outputs) }
    let folder = ShardFolder(outputFolder: outputs, script: "b.lua")
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let ofShards = [
      "run", "shard-0-of-1.json", "shard-0-of-1.abc.pack", ".imghost-0123abcd-0123456789ab", "journal-ab.0.1",
      "pages-ab.0.1-0123", "pages-ab.0.1-0123-4567", "part-ab.0.1-0123-4567",
    ]
    let others = ["notes", "record-ab", "journal-ab", "pages-ab-0123", "record-ab.1.1", "record-ab.x"]
    for name in ofShards + others + ["record-ab.0.1"] {
      try Data().write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    folder.remove(keepsRecords: true)
    #expect(try names() == (others + ["record-ab.0.1"]).sorted())
    folder.remove()
    #expect(try names() == others.sorted())
    for name in others { unlink(folder.path + "/" + name) }
    folder.remove()
    #expect(try FileManager.default.contentsOfDirectory(atPath: outputs).isEmpty)
  }

  @Test func differencesAreNamed() {
    let identity = RunIdentity(version: "1", script: "a", digest: "d", arguments: [], options: [])
    var other = identity
    #expect(identity.difference(from: other, on: "n") == nil)
    other.options = ["--set x=1"]
    #expect(identity.difference(from: other, on: "n") == "it was made with '--set x=1', and this run has ''")
    other.version = "2"
    #expect(identity.difference(from: other, on: "n") == "it was made by imghost 2 on n, and this is 1")
  }
}
