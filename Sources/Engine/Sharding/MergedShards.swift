import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Synchronization

/// The manifests of all shards of a run, which have been checked against each other. Only a few are in memory at a
/// time, so that a million pictures need little memory.
package final class MergedShards: FinishedShards {
  /// The reason why shards cannot be merged.
  package struct Problem: Error {
    /// The problems, one per line, such as one for each shard that must run again.
    package let lines: [String]
  }

  package let folder: ShardFolder
  /// The shards whose manifests list outputs, in their order.
  private let listing: [ShardIndex]
  private let books: [String: [String]]
  package let events: [RunEvent]
  package let losses: [ShardLoss]
  /// The record that allows a merge without running the script; nil if the script must run.
  package let record: MergeRecord?
  /// The manifest from which the record was read, and the names of its books; nil if no books are recorded.
  private let origin: RecordOrigin?
  private let refused: Mutex<RefusedDocument?>
  /// The lines that the script has printed.
  package let printed: [String]
  /// All outputs by their keys, read when one is first requested.
  private let outputs = Mutex<[String: FinishedOutput]?>(nil)

  /// Reads and checks the manifests in a folder.
  ///
  /// - Parameters:
  ///   - count: the number of shards; nil to take the number from the manifests.
  ///   - confines: whether outputs must be inside the folder of `--out`.
  ///   - command: returns the command that runs a shard again.
  package init(
    _ folder: ShardFolder, _ identity: RunIdentity, count: Int? = nil, confines: Bool = false,
    again command: (ShardIndex) -> String
  ) throws(Problem) {
    self.folder = folder
    let all: [(shard: ShardIndex, path: String)]
    do throws(ShardFileProblem) {
      all = try folder.manifests()
    } catch {
      throw Problem(lines: [error.text])
    }
    let found = all.filter { count == nil || $0.shard.count == count }
    guard !found.isEmpty else {
      throw Problem(lines: [
        "no shard has left a manifest in '\(printable(folder.path))': either none has run, or they are merged already"
      ])
    }
    var check = ManifestCheck(folder, identity)
    let threads = Machine.detect().effectiveCores
    OrderedWork.run(found.count, threads: threads, ahead: threads * 2) { index in
      CheckedManifest(found[index].shard, found[index].path, in: folder, confines: confines)
    } deliver: { checked in
      check.add(checked)
      return true
    }
    let shards = check.agreeing
    let problems = check.problems(command)
    guard problems.isEmpty, let shards else { throw Problem(lines: Self.shortened(problems)) }
    listing = shards.listing
    (books, events, losses) = (shards.packs, shards.events, shards.losses)
    (origin, printed) = (shards.recordOrigin(in: folder), shards.printed)
    do throws(RefusedDocument) {
      record = try shards.record(identity, in: folder)
      refused = Mutex(nil)
    } catch {
      record = nil
      refused = Mutex(error)
    }
  }

  /// Stores the reason why the record is not used. It is reported if the script requests a book that the record lacks.
  package func refuse(_ book: RefusedDocument) { refused.withLock { $0 = book } }

  package func problem(withRecordOf path: String) -> String? {
    origin.flatMap { $0.problem(besides: path, in: folder, refused: refused.withLock { $0 }) }
  }

  package func output(_ key: String) -> FinishedOutput? {
    outputs.withLock { known in
      if let known { return known[key] }
      var all: [String: FinishedOutput] = [:]
      eachOutput { all[$0] = $1 }
      known = all
      return all[key]
    }
  }

  package func eachOutput(_ body: (String, FinishedOutput) -> Void) {
    for shard in listing {
      // If a manifest was lost after the check, its outputs count as missing.
      for output in (try? ShardManifest(shard, in: folder))?.outputs ?? [] {
        body(
          folder.absolute(output.key ?? output.path),
          output.isCancelled
            ? .cancelled
            : output.failure.map { .failed($0) }
              ?? .written(
                byteCount: output.totalByteCount, path: folder.absolute(output.path), isKept: output.isKept))
      }
    }
  }

  package func open(pack path: String) throws(PictureError) -> InputFile {
    do throws(ShardFileProblem) {
      return try folder.open(String(PathName.name(path)))
    } catch {
      throw error.pictureError
    }
  }

  package func packs(of path: String) -> [String] { books[path] ?? [] }

  /// The maximum number of shards that a message lists.
  private static let mostNamed = 10

  private static func shortened(_ problems: [String]) -> [String] {
    let more = problems.count - mostNamed
    guard more > 0 else { return problems }
    return problems.prefix(mostNamed) + ["\(more) more shard\(more == 1 ? " has" : "s have") to run again"]
  }
}
