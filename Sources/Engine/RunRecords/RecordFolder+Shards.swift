import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The records that let runs of a script, and the shards of a run, know of each other's outputs.
///
/// A run writes only its own files. It also reads those of other runs, because an output that another run has written
/// does not count as changed by hand. A whole run reads all files, and combines them in its record. A shard, of which
/// there may be thousands, reads other runs' files only for outputs that it does not know, or that have changed.
extension RecordFolder {
  /// The size in bytes above which a shard does not read a file of another run. A record of a million outputs would
  /// take more memory than the shard's pictures.
  private static let mostBytesOfOthers = 64 << 20

  /// The files of a shard, as they were when they were read.
  struct ShardFiles {
    let folder: RecordFolder
    fileprivate let stamps: [FileStamp?]

    fileprivate init(_ folder: RecordFolder) { (self.folder, stamps) = (folder, Self.stamps(folder)) }

    fileprivate var areUnchanged: Bool { Self.stamps(folder) == stamps }

    /// Whether the shard has completed no output.
    var isEmpty: Bool { stamps.allSatisfy { $0?.byteCount ?? 0 == 0 } }

    private static func stamps(_ folder: RecordFolder) -> [FileStamp?] {
      [FileStamp(path: folder.path(folder.recordName)), FileStamp(path: folder.journalPath)]
    }
  }

  private func other(_ shard: ShardIndex?) -> RecordFolder {
    var other = self
    other.shard = shard
    return other
  }

  /// The record files of all shards that have left any, in the order of the shards' numbers.
  var ofShards: [ShardFiles] {
    let names = (try? folder.names()) ?? []
    return Set(names.compactMap { ShardFolder.shard(ofRecord: $0, scriptMark) })
      .sorted { ($0.count, $0.number) < ($1.count, $1.number) }.map { ShardFiles(other($0)) }
  }

  /// Returns the contents of this run's files, combined with those of the given shards.
  ///
  /// - Throws: the reason why the folder or the files of this run are not trusted, or why files cannot be read. Shards
  ///   whose files are not trusted are left out.
  func read(with shards: [ShardFiles]) throws(ShardFileProblem) -> Contents {
    var contents = try read()
    var gathered = GatheredOutputs(contents.outputs, in: self)
    for shard in shards {
      let found: Contents
      do throws(ShardFileProblem) {
        found = try shard.folder.read()
      } catch {
        if case .missing = error.reason { throw error }
        continue
      }
      for (_, output) in found.outputs.all where !Self.isPack(output) { gathered.add(output) }
      // All shards make the same measurements.
      if contents.measurements.isEmpty { contents.measurements = found.measurements }
    }
    contents.outputs = gathered.outputs
    return contents
  }

  /// Returns other runs' records of outputs, if they take precedence over the shard's own. Other runs are whole runs,
  /// shards of runs with another number of shards, and the neighbouring shards: if a picture has changed, outputs may
  /// move between neighbours.
  ///
  /// - Parameters:
  ///   - keys: the keys of the outputs.
  ///   - own: the shard's own records of them.
  /// - Returns: the other runs' records, and those of `own` with an added stamp of another run's unfinished file.
  func outputs(_ keys: Set<String>, ofOthersThan own: [RecordedOutput]) -> (
    others: [RecordedOutput], own: [RecordedOutput]
  ) {
    let shards = ofShards.map(\.folder).filter { other in
      guard let own = shard, let other = other.shard, own.count == other.count else { return true }
      return abs(own.number - other.number) == 1
    }
    var gathered = GatheredOutputs(EarlierOutputs(own), in: self)
    for other in [other(nil)] + shards {
      guard let found = try? other.read(atMost: Self.mostBytesOfOthers) else { continue }
      for key in keys { if let output = found.outputs[key] { gathered.add(output) } }
    }
    let (added, noted) = (gathered.added, gathered.noted.subtracting(gathered.added))
    return (added.compactMap { gathered.outputs[$0] }, noted.compactMap { gathered.outputs[$0] })
  }

  /// The outputs of whole runs, except those in a file that is too large for a shard; nil if their files are not
  /// trusted, or cannot be read.
  var outputsOfWholeRuns: EarlierOutputs? { (try? other(nil).read(atMost: Self.mostBytesOfOthers))?.outputs }

  /// Returns whether the file of an output exists, and is unchanged since it was recorded.
  func isThere(_ output: RecordedOutput) -> Bool {
    FileStamp(path: folder.absolute(output.path)).map { $0.isRenamed(from: output.stamp) } ?? false
  }

  /// Returns whether the file of an output has the recorded bytes, even if it is a copy.
  fileprivate func hasBytes(of output: RecordedOutput) -> Bool {
    let path = folder.absolute(output.path)
    guard let digest = output.digest, FileStamp(path: path)?.byteCount == output.stamp.byteCount else { return false }
    return FileDigest.file(path) == digest
  }

  /// Returns whether an output is a pack, which only its own shard uses.
  private static func isPack(_ output: RecordedOutput) -> Bool { output.path.hasPrefix(".imghost/") }

  /// Removes the files of shards that this run has read, after their contents have been added to its record. The files
  /// of a shard that is running, or has run in the meantime, stay.
  func remove(_ shards: [ShardFiles]) {
    for shard in shards where shard.areUnchanged {
      guard let descriptor = try? folder.openForAppending(shard.folder.journalName) else { continue }
      let journal = RunJournal(descriptor)
      if journal.lock(waiting: false) { folder.remove([shard.folder.recordName, shard.folder.journalName]) }
    }
  }
}

/// The outputs that several runs have recorded, by key.
private struct GatheredOutputs {
  private(set) var outputs: EarlierOutputs
  /// The keys of the outputs whose records were added.
  private(set) var added: Set<String> = []
  /// The keys of the outputs whose records have received the stamp of another run's unfinished file.
  private(set) var noted: Set<String> = []
  private let folder: RecordFolder

  init(_ outputs: EarlierOutputs, in folder: RecordFolder) { (self.outputs, self.folder) = (outputs, folder) }

  /// Adds an output that another run has recorded. If two runs have recorded it, the record that matches the existing
  /// file counts, or else the record of the later file.
  mutating func add(_ output: RecordedOutput) {
    var output = output
    if let known = outputs[output.key] {
      let (isThere, isKnownThere) = (folder.isThere(output), folder.isThere(known))
      if isThere != isKnownThere {
        guard isThere else { return note(output, for: known) }
      } else {
        let (isRight, isKnownRight) = isThere ? (true, true) : (folder.hasBytes(of: output), folder.hasBytes(of: known))
        guard isRight == isKnownRight ? output.stamp.modified > known.stamp.modified : isRight else {
          return note(output, for: known)
        }
      }
      output.add(unfinished: known)
    }
    outputs.add(output)
    added.insert(output.key)
  }

  /// Adds the stamp of another run's unfinished file, if any, to the known record of an output. The known record stays.
  private mutating func note(_ other: RecordedOutput, for known: RecordedOutput) {
    var known = known
    guard known.add(unfinished: other) else { return }
    outputs.add(known)
    noted.insert(known.key)
  }
}

extension RecordedOutput {
  /// Adds the stamp of the file that another run was about to complete when it was killed, because this file, or some
  /// of its tiles, may exist. Returns false if the other run has completed the file, or if this record describes it.
  @discardableResult fileprivate mutating func add(unfinished other: RecordedOutput) -> Bool {
    guard other.digest == nil, !other.stamp.mayBeCopy(of: stamp) else { return false }
    replaced += other.replaced + [other.stamp]
    return true
  }
}
