import ImageCore
import ImagePipeline
import Platform
import Sharding
import Synchronization

/// Runs of shards, whose records whole runs and other shards read: see `RecordFolder+Shards`.
extension RunRecords {
  /// Whether an earlier run of the script has left records.
  ///
  /// - Parameter ofShards: whether those of its shards count.
  package static func exist(outputFolder: String, script: String, isFile: Bool, ofShards: Bool) -> Bool {
    let folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    return folder.exists || ofShards && folder.ofShards.contains { !$0.isEmpty }
  }

  /// Removes what the records have made for a run that does not begin.
  package func abandon() {
    if journal != nil, folder.isEmpty { folder.remove() }
  }

  /// Starts the records of whole runs, so that a merge leaves those of its shards. Reports nothing if they cannot be
  /// written, because the shard meets the same problem.
  package static func begin(outputFolder: String, script: String, isFile: Bool) {
    let folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    if folder.folder.link == nil { _ = try? folder.openJournal() }
  }

  /// Notes documents that a merge has written, so that they do not count as changed by hand. The next whole run makes
  /// them again, because their recipes are unknown. Does nothing without earlier records.
  package static func note(
    _ documents: [(key: String, path: String)], outputFolder: String, script: String, isFile: Bool
  ) {
    let folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    guard !documents.isEmpty, folder.exists, let journal = try? folder.openJournal() else { return }
    if journal.lock(waiting: false) { journal.trim() }
    for (key, path) in documents {
      guard let stamp = FileStamp(path: path) else { continue }
      _ = journal.add(
        RecordedOutput(
          key: folder.folder.relative(key), path: folder.folder.relative(path), recipe: "", sources: [], stamp: stamp,
          digest: FileDigest.file(path), totalByteCount: Int(stamp.byteCount), pages: 0, verification: ""))
    }
  }

  /// How long a shard waits for another run of it that does not seem to go on, in seconds. Slurm takes a node for dead
  /// after as long.
  static let patience = 300

  /// Whether the journal was removed since the run began. A merge does so.
  package var isForgotten: Bool { journal.map { !$0.isAt(folder.journalPath) } ?? false }

  /// Adds what others know of the outputs of a shard: of those that the shard does not know, and of those whose files
  /// are not there as it has written them.
  func askOthers(_ keys: [String]) {
    guard folder.shard != nil else { return }
    let own = earlier
    let doubtful = Set(keys.filter { key in own[key].map { !folder.isThere($0) } ?? true })
    guard !doubtful.isEmpty else { return }
    let found = folder.outputs(doubtful, ofOthersThan: doubtful.compactMap { own[$0] })
    known.withLock { known in for output in found { known.add(output) } }
    state.withLock { state in state.ofOthers.formUnion(found.map(\.key)) }
  }
}
