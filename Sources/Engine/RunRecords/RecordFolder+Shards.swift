import ImageCore
import ImagePipeline
import Platform
import Sharding

/// The knowledge that runs of a script have of each other's outputs.
///
/// A run writes only its own files. It reads those of others as well, because a file that another run has written does
/// not count as changed by hand. A whole run reads all files, and puts them together into its record. There may be
/// thousands of shards, so each reads other files only for outputs that it does not know, and keeps only its own share.
extension RecordFolder {
  /// The size in bytes above which a shard does not read a file of another run. Shards have little memory, and a record
  /// of a million outputs would take more than their pictures.
  private static let mostBytesOfOthers = 64 << 20

  /// The files of a shard, as they were when they were read.
  struct ShardFiles {
    let folder: RecordFolder
    fileprivate let stamps: [FileStamp?]

    fileprivate init(_ folder: RecordFolder) { (self.folder, stamps) = (folder, Self.stamps(folder)) }

    fileprivate var areUnchanged: Bool { Self.stamps(folder) == stamps }

    /// Whether the shard has not completed an output.
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

  /// The files of all shards that have left some, in the order of their numbers.
  var ofShards: [ShardFiles] {
    let names = (try? folder.names()) ?? []
    return Set(names.compactMap { ShardFolder.shard(ofRecord: $0, scriptMark) })
      .sorted { ($0.count, $0.number) < ($1.count, $1.number) }.map { ShardFiles(other($0)) }
  }

  /// Returns what this run and those of shards have recorded.
  ///
  /// - Throws: the reason why the folder or the files of this run are not trusted.
  func read(with shards: [ShardFiles]) throws(ShardFileProblem) -> Contents {
    var contents = try read()
    var gathered = GatheredOutputs(contents.outputs, in: self)
    for shard in shards {
      guard let found = try? shard.folder.read() else { continue }
      for (_, output) in found.outputs.all where !Self.isPack(output) { gathered.add(output) }
      // All shards measure the same.
      if contents.measurements.isEmpty { contents.measurements = found.measurements }
    }
    contents.outputs = gathered.outputs
    return contents
  }

  /// Returns what others than this shard know of outputs, as far as it counts more than what the shard knows. Others are
  /// whole runs, shards of other counts, and the neighbours, between which outputs move when a picture has changed.
  ///
  /// - Parameters:
  ///   - keys: the keys of the outputs.
  ///   - own: what the shard knows of them.
  func outputs(_ keys: Set<String>, ofOthersThan own: [RecordedOutput]) -> [RecordedOutput] {
    let shards = ofShards.map(\.folder).filter { other in
      guard let own = shard, let other = other.shard, own.count == other.count else { return true }
      return abs(own.number - other.number) == 1
    }
    var gathered = GatheredOutputs(EarlierOutputs(own), in: self)
    for other in [other(nil)] + shards {
      guard let found = try? other.read(atMost: Self.mostBytesOfOthers) else { continue }
      for key in keys { if let output = found.outputs[key] { gathered.add(output) } }
    }
    return gathered.added.compactMap { gathered.outputs[$0] }
  }

  /// Returns whether the file of an output is there as it was written.
  func isThere(_ output: RecordedOutput) -> Bool {
    FileStamp(path: folder.absolute(output.path)).map { $0.isRenamed(from: output.stamp) } ?? false
  }

  /// Whether an output is a pack, which concerns its shard alone.
  private static func isPack(_ output: RecordedOutput) -> Bool { output.path.hasPrefix(".imghost/") }

  /// Removes the files of shards that this run has read, now that its record has what they know. Those of shards that
  /// run, or have run meanwhile, stay.
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
  /// The keys of the outputs for which an added record counts.
  private(set) var added: Set<String> = []
  private let folder: RecordFolder

  init(_ outputs: EarlierOutputs, in folder: RecordFolder) { (self.outputs, self.folder) = (outputs, folder) }

  /// Adds an output that another run has recorded. If two runs have recorded it, the record of the file that is there
  /// counts, or else the later one.
  mutating func add(_ output: RecordedOutput) {
    if let known = outputs[output.key] {
      let (isThere, isKnownThere) = (folder.isThere(output), folder.isThere(known))
      guard isThere == isKnownThere ? output.stamp.modified > known.stamp.modified : isThere else { return }
    }
    outputs.add(output)
    added.insert(output.key)
  }
}
