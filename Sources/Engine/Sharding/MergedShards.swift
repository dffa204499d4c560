import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Synchronization

/// The manifests of all shards of a run, which have been checked against each other. A few are in memory at a time, so
/// that a million pictures need little.
public final class MergedShards: FinishedShards {
  /// The reason why shards cannot be merged.
  public struct Problem: Error {
    /// Whole sentences, one for each shard that has to run again.
    public let lines: [String]
  }

  public let folder: ShardFolder
  /// The paths of the manifests that list outputs, in the order of the shards.
  private let paths: [String]
  private let books: [String: [String]]
  public let events: [RunEvent]
  public let losses: [ShardLoss]
  /// The work of a merge without the script; nil if it has to run it.
  public let record: MergeRecord?
  /// The lines that the script has printed.
  public let printed: [String]
  /// All outputs by their keys, once somebody asks for one.
  private let outputs = Mutex<[String: FinishedOutput]?>(nil)

  /// Reads and checks the manifests in a folder.
  ///
  /// - Parameters:
  ///   - command: returns the command that runs a shard again.
  ///   - count: the number of shards; nil for that of the manifests.
  public init(
    _ folder: ShardFolder, _ identity: RunIdentity, count: Int? = nil, again command: (ShardIndex) -> String
  ) throws(Problem) {
    self.folder = folder
    let found = folder.manifests.filter { count == nil || $0.shard.count == count }
    guard !found.isEmpty else {
      throw Problem(lines: [
        "no shard has left a manifest in '\(printable(folder.path))': either none has run, or they are merged already"
      ])
    }
    var check = ManifestCheck(folder, identity)
    let threads = Machine.detect().effectiveCores
    OrderedWork.run(found.count, threads: threads, ahead: threads * 2) { index in
      CheckedManifest(found[index].shard, found[index].path, in: folder)
    } deliver: { checked in
      check.add(checked)
      return true
    }
    let shards = check.agreeing
    let problems = check.problems(command)
    guard problems.isEmpty, let shards else { throw Problem(lines: Self.shortened(problems)) }
    paths = shards.paths
    (books, events, losses) = (shards.packs, shards.events, shards.losses)
    (record, printed) = (shards.record(identity, in: folder), shards.printed)
  }

  public func output(_ key: String) -> FinishedOutput? {
    outputs.withLock { known in
      if let known { return known[key] }
      var all: [String: FinishedOutput] = [:]
      eachOutput { all[$0] = $1 }
      known = all
      return all[key]
    }
  }

  public func eachOutput(_ body: (String, FinishedOutput) -> Void) {
    for path in paths {
      // The outputs of a manifest that has been lost since it was checked count as not made.
      for output in ShardManifest(path: path)?.outputs ?? [] {
        body(
          folder.absolute(output.key ?? output.path),
          output.isCancelled
            ? .cancelled
            : output.failure.map { .failed($0) }
              ?? .written(byteCount: output.totalByteCount, path: folder.absolute(output.path)))
      }
    }
  }

  public func packs(ofBook path: String) -> [String] { books[path] ?? [] }

  /// The most shards that are named.
  private static let mostNamed = 10

  private static func shortened(_ problems: [String]) -> [String] {
    let more = problems.count - mostNamed
    guard more > 0 else { return problems }
    return problems.prefix(mostNamed) + ["\(more) more shard\(more == 1 ? " has" : "s have") to run again"]
  }
}
