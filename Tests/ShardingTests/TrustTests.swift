import ImageCore
import ImagePipeline
import Platform
import Testing

@testable import Sharding

/// Files of shards that somebody else may have written.
@Suite struct TrustTests {
  private static let isRoot = geteuid() == 0
  private static let stranger: uid_t = 65_534
  private static let identity = RunIdentity(
    version: "1", script: "s.lua", digest: "d", arguments: [], options: ["--on-error stop"])

  private let folder: ShardFolder

  /// Two shards of a book, each with a pack.
  init() throws {
    folder = ShardFolder(
      outputFolder: "/tmp/imghost-trust-\(getpid())-\(UInt64.random(in: .min ... .max))", script: "s.lua")
    try folder.make()
    for number in 0..<2 {
      let shard = try #require(ShardIndex(number, of: 2))
      var manifest = ShardManifest(
        Self.identity, shard, divisions: ["a"], plugins: [], host: "n", seconds: 1, status: 0)
      let pack = folder.pack(shard, ofBook: "b.pdf")
      let file = try OutputFile(path: pack)
      try file.write([1])
      try file.commit()
      // Another test changes the process's mask.
      chmod(pack, 0o644)
      manifest.packs = [
        ShardManifest.Pack(
          book: "b.pdf", file: String(PathName.name(pack)), byteCount: 1, digest: "", pageCount: 1)
      ]
      try manifest.write(to: folder.manifest(shard))
    }
  }

  private func problems() -> [String] {
    do throws(MergedShards.Problem) {
      _ = try MergedShards(folder, Self.identity) { "again \($0)" }
      return []
    } catch { return error.lines }
  }

  private func remove() { _ = try? ChildProcess("rm", ["-rf", folder.outputFolder]).wait() }

  private var first: String { folder.manifest(ShardIndex(0, of: 2)!) }
  private var pack: String { folder.pack(ShardIndex(1, of: 2)!, ofBook: "b.pdf") }

  @Test func ownFilesCount() {
    defer { remove() }
    #expect(problems().isEmpty)
    // Those of a group may write on.
    for path in [folder.path, folder.outputFolder + "/.imghost"] { chmod(path, 0o2775) }
    for path in [first, pack] { chmod(path, 0o664) }
    #expect(problems().isEmpty)
    // The folder of outputs may be open to all: what counts is who owns the folder in it.
    chmod(folder.outputFolder, 0o777)
    #expect(problems().isEmpty)
  }

  @Test func worldWritableFilesDoNot() {
    defer { remove() }
    for path in [folder.path, folder.outputFolder + "/.imghost", first, pack] {
      var status = stat()
      stat(path, &status)
      chmod(path, status.st_mode | S_IWOTH)
      let told = problems()
      #expect(told.count == 1 && told[0].contains("'\(path)' is writable by all users"), "\(told)")
      chmod(path, status.st_mode)
    }
    #expect(problems().isEmpty)
  }

  @Test(.enabled(if: isRoot, "only root can give files to another user")) func strangersFilesDoNot() throws {
    defer { remove() }
    for path in [folder.path, folder.outputFolder + "/.imghost", first, pack] {
      chown(path, Self.stranger, Self.stranger)
      let told = problems()
      #expect(told.count == 1 && told[0].contains("'\(path)' belongs to"), "\(told)")
      #expect(told.first?.contains("--trust-owner") == true)
      chown(path, 0, 0)
    }
    #expect(problems().isEmpty)
    // A shard does not take a stranger's manifest for its own earlier work, either.
    chown(first, Self.stranger, Self.stranger)
    let shard = try #require(ShardIndex(0, of: 2))
    #expect(!ShardWork(shard, folder, Self.identity).isDescribed(divisions: ["a"]))
    chown(first, 0, 0)
    #expect(ShardWork(shard, folder, Self.identity).isDescribed(divisions: ["a"]))
    #expect(!ShardWork(shard, folder, Self.identity).isDescribed(divisions: ["b"]))
  }

  @Test func linksDoNot() throws {
    defer { remove() }
    let other = folder.outputFolder + "/other"
    for path in [first, pack, folder.path] {
      try #require(rename(path, other) == 0)
      symlink(other, path)
      let told = problems()
      #expect(told.count == 1 && told[0].contains("is a link"), "\(told)")
      unlink(path)
      rename(other, path)
    }
    #expect(problems().isEmpty)
  }

  /// Outputs elsewhere, which only a script may name.
  @Test func confinedOutputs() throws {
    defer { remove() }
    let shard = try #require(ShardIndex(0, of: 1))
    for path in ["../x.jpg", "/x.jpg", "a/../../x.jpg", "x.jpg"] {
      var manifest = ShardManifest(
        Self.identity, shard, divisions: ["a"], plugins: [], host: "n", seconds: 1, status: 0)
      manifest.outputs = [ShardManifest.Output(path: path, isCancelled: true)]
      try manifest.write(to: folder.manifest(shard))
      let checked = CheckedManifest(shard, folder.manifest(shard), in: folder, confines: true)
      #expect((checked.refusal == nil) == (path == "x.jpg"), "\(path): \(checked.refusal ?? "")")
      #expect(CheckedManifest(shard, folder.manifest(shard), in: folder, confines: false).refusal == nil)
    }
  }
}
