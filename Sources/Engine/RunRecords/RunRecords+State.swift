import ImageCore
import ImagePipeline
import Sharding

extension RunRecords {
  /// The facts that this run has collected so far.
  struct State {
    /// The keys of the outputs that the script has requested in this run, except those in `unchanged`.
    var asked: Set<String> = []
    /// The numbers, in the record, of requested outputs whose files, recipes and sources are all unchanged.
    var unchanged: Set<Int> = []
    /// The facts about files that a shard has read, collected at its end for its manifest.
    var facts: [String: ShardWork.FileFacts] = [:]
    /// The keys of earlier outputs whose records this shard has taken from other runs.
    var ofOthers: Set<String> = []
    /// The outputs that this run makes, by key.
    var planned: [String: PlannedOutput] = [:]
    /// The keys of the outputs in `planned`, by the paths of their files and folders.
    var keys: [InternedPath: String] = [:]
    /// The paths of files that this run has written, and whose names contain digests.
    var hashed: Set<InternedPath> = []
    /// The paths, as in records, of outputs that are kept or refused, and whose names contain digests.
    var keptPaths: Set<RealPaths.Path> = []
    /// Updated records of outputs that are kept or refused, by key.
    var settled: [String: RecordedOutput] = [:]
    /// The values of the measurements that the script has requested in this run.
    var measured: [RecordedMeasurement.Key: ParameterValue] = [:]
    /// The stamps of sources before they were decoded; nil for a source that did not exist.
    var stamps = PathTable<FileStamp?>()
    /// The paths of sources whose stamps are too recent, or in the future, so that a change may go unnoticed.
    var unsettled = PathTable<Bool>()
    /// The paths of sources that have changed since the script read them.
    var late = PathTable<Bool>()
    /// The known digests of sources, by path.
    var digests = PathTable<PictureDigest>()
    /// The digests of sources that were read for another purpose, by path; see `OutputRecords.read`.
    var read = PathTable<SHA256Digest>()
    /// Computes the digests of a source. Set with the first lookup of sources.
    var digest: (@Sendable (String) -> PictureDigest?)?
    /// An index of the outputs of earlier runs. Set when it is first needed.
    var lookup: RecordLookup?
    /// The keys of complete documents of earlier runs, by their pages; nil until they are needed.
    var documents: [PageKey: [String]]?
    /// The paths, with links followed, of changed files that outputs with digests in their names would have replaced.
    var protected: Set<InternedPath> = []
    /// The keys of outputs whose files must not be replaced.
    var refused: Set<String> = []
    /// The stamps of recorded outputs at the time of their verdicts; nil for a missing file.
    var found: [String: FileStamp?] = [:]
    /// The stamps of files that received their final names in this run, by key.
    var shown: [String: FileStamp] = [:]
    /// Unfinished documents of earlier runs.
    var begun: Set<RecordFolder.BegunDocument> = []
    /// The outputs of earlier runs by the paths of their files; nil until they are needed.
    var owners: OutputOwners?
    /// The paths of other scripts' outputs; nil until they are needed.
    var foreign: Set<RealPaths.Path>?
    /// Whether at least one output has to be made by every run.
    var hasAlwaysDue = false
    /// Whether the run keeps everything without running the script, see `unchangedRun`.
    var isLeftUnchanged = false
    /// Documents that this run has started, by key.
    var journals: [String: RecordFolder.BegunDocument] = [:]

    /// Returns whether a file is an output of this run, which the run may also read.
    func isOwn(_ place: InternedPath) -> Bool { keys[place] != nil || hashed.contains(place) }

    /// Returns whether the script has requested an output.
    ///
    /// - Parameter number: the output's number in the record; nil if it is not from there.
    func isAsked(_ key: String, _ number: Int?) -> Bool {
      asked.contains(key) || number.map(unchanged.contains) ?? false
    }
  }
}

/// A dictionary whose keys are paths, which are compared by their bytes; see `RealPaths.Path`.
struct PathTable<Value: Sendable>: Sendable {
  private var values: [RealPaths.Path: Value] = [:]

  subscript(path: String) -> Value? {
    get { values[RealPaths.Path(path)] }
    set { values[RealPaths.Path(path)] = newValue }
  }

  var paths: [String] { values.keys.map(\.text) }
}
