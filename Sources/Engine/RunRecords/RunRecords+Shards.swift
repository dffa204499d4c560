import ImageCore
import ImagePipeline
import Platform
import Sharding
import Synchronization

/// Support for shards, whose records are read by whole runs and by other shards: see `RecordFolder+Shards`.
extension RunRecords {
  /// Returns whether an earlier run of the script has left records, or may have, because another user has closed their
  /// folder.
  ///
  /// - Parameter ofShards: whether records of the script's shards count, too.
  package static func exist(outputFolder: String, script: String, isFile: Bool, ofShards: Bool) -> Bool {
    let folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    return folder.exists || folder.isClosed || folder.movedMark != nil
      || ofShards && folder.ofShards.contains { !$0.isEmpty }
  }

  /// Removes the files that the records have created for a run that does not begin after all.
  package func abandon() {
    if journal != nil, folder.isEmpty { folder.remove() }
  }

  /// Creates the records of whole runs, whose existence tells a merge to keep the records of its shards. Reports
  /// nothing if they cannot be created, because the shard then encounters the same problem.
  package static func begin(outputFolder: String, script: String, isFile: Bool) {
    let folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    if folder.folder.link == nil { _ = try? folder.openJournal() }
  }

  /// Records documents that a merge has written, so that they do not count as changed by hand. The next whole run makes
  /// them again, because their recipes are unknown.
  package static func note(
    _ documents: [(key: String, path: String)], outputFolder: String, script: String, isFile: Bool
  ) {
    var folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    if let moved = folder.movedMark { folder.scriptMark = moved }
    guard !documents.isEmpty, let journal = try? folder.openJournal() else { return }
    // `MergeRecords` has trimmed and locked the journal, if there were records.
    for (key, path) in documents {
      guard let stamp = FileStamp(path: path) else { continue }
      _ = journal.add(
        RecordedOutput(
          ofMerge: folder.key(key), path: folder.place(of: path), stamp, digest: FileDigest.file(path)))
    }
  }

  /// The time in seconds that a shard waits for another run of the same shard that seems to make no progress. Slurm
  /// considers a node dead after the same time.
  static let patience = 300

  /// Whether the journal was removed or replaced since the run began. A merge removes it.
  package var isForgotten: Bool { journal.map { !$0.isAt(folder.journalPath) } ?? false }

  /// Adds other runs' records of the shard's outputs if the shard has no record of them, or if their files are missing
  /// or differ from what the shard has written.
  func askOthers(_ keys: [String]) {
    guard folder.shard != nil else { return }
    let own = earlier
    let doubtful = Set(keys.filter { key in own[key].map { !folder.isThere($0) } ?? true })
    guard !doubtful.isEmpty else { return }
    let found = folder.outputs(doubtful, ofOthersThan: doubtful.compactMap { own[$0] })
    known.withLock { known in for output in found.others + found.own { known.add(output) } }
    state.withLock { state in state.ofOthers.formUnion(found.others.map(\.key)) }
  }
}
