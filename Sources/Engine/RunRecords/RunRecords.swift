import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Sharding
import Synchronization

/// The records of a script in one run. They decide which outputs have to be made, and receive those that the run makes.
/// Used from any thread.
package final class RunRecords: OutputRecords {
  /// The options for the use of records.
  package struct Options: Sendable {
    /// Whether every output is made, as without `--only-changed`.
    package var makesAll = false
    /// Whether sources and earlier outputs are compared by their bytes even if their sizes and times are unchanged.
    package var hashesAll = false
    /// Whether to replace output files that another program has changed.
    package var overwrites = false
    /// Whether the run writes no files.
    package var isDryRun = false
    /// Whether a whole run also reads the records of shards.
    var readsShards = true
    /// The number of threads that compute digests.
    package var threads = 1

    package init() {}
  }

  /// The reason why records cannot be used.
  package enum Problem: Error, Sendable {
    /// Another run of the script writes into the folder.
    case locked
    /// - Parameter reason: a clause.
    case unusable(path: String, reason: String)
    case unwritable(FileError)
  }

  let options: Options
  let folder: RecordFolder
  /// The path of the record.
  package var path: String { folder.path(folder.recordName) }
  let journal: RunJournal?
  /// The identifier of the machine's current boot. A power cut may lose the bytes of files written since then.
  static var start: String { TemporaryFiles.machine }
  /// The outputs of earlier runs. A shard adds other runs' records when it needs them for a decision.
  let known: Mutex<EarlierOutputs>
  var earlier: EarlierOutputs { known.withLock { $0 } }
  /// The shards whose records a whole run takes over.
  let shards: [RecordFolder.ShardFiles]
  /// Whether an earlier run ended early, or a merge has added books to the journal.
  let wasInterrupted: Bool
  let earlierMeasurements: [RecordedMeasurement.Key: RecordedMeasurement]
  private let explain: @Sendable (_ path: String, _ reason: String?) -> Void

  let state = Mutex(State())
  /// The time at which the run started, before it looked up any source.
  let started = FileStamp.now

  /// Reads the records of a script, and locks them unless this is a dry run.
  ///
  /// - Parameters:
  ///   - script: the path of the script, or a name if it is not in a file.
  ///   - shard: the shard that the run makes; nil for a whole run.
  ///   - aroundWait: called with a function that waits for another run of the script; nil to fail instead of waiting.
  ///   - explain: called on the script's thread with the path of each output, and the reason why it has to be made; nil
  ///     if it is kept. In a dry run, also called with the reason for each refusal.
  /// - Throws: the reason why the records cannot be used.
  package init(
    outputFolder: String, script: String, isFile: Bool, shard: ShardIndex? = nil, _ options: Options,
    aroundWait: ((_ wait: () -> Void) -> Void)?,
    explain: @escaping @Sendable (_ path: String, _ reason: String?) -> Void
  ) throws(Problem) {
    self.options = options
    self.explain = explain
    var folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    folder.shard = shard
    if let link = folder.folder.link { throw .unusable(path: link, reason: "is a link") }
    if let path = folder.pathOfNonFile { throw .unusable(path: path, reason: "is no file") }
    journal = options.isDryRun ? nil : try folder.lockedJournal(aroundWait)
    if let moved = folder.movedMark {
      if let journal { folder.take(moved, journal) } else { folder.scriptMark = moved }
    }
    self.folder = folder
    let begun = folder.begunDocuments()
    wasInterrupted = !folder.isJournalEmpty || !begun.isEmpty
    journal?.trim()
    do throws(ShardFileProblem) {
      shards = shard == nil && options.readsShards ? folder.ofShards : []
      try folder.checkInputs()
      let contents = try folder.read(with: shards)
      known = Mutex(contents.outputs)
      earlierMeasurements = Dictionary(contents.measurements.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    } catch {
      let reason =
        if case .missing(let code) = error.reason {
          "cannot be read: \(FileError(.open, path: error.path, code: code).reason)"
        } else {
          "is not trusted: it is a link, or another user may write to it"
        }
      throw .unusable(path: error.path, reason: reason)
    }
    if !options.isDryRun { ProgramStart.waitForFileClock() }
    state.withLock { $0.begun = begun }
  }

  // MARK: - Verdicts

  package func verdicts(
    on outputs: PlannedOutputs, digest: @escaping @Sendable (String) -> PictureDigest?
  ) -> [OutputVerdict] {
    // Most outputs of a large run are unchanged. The others are collected here, and examined more closely below.
    var verdicts: [OutputVerdict] = []
    verdicts.reserveCapacity(outputs.count)
    var others: [(key: String, output: PlannedOutput)] = []
    var places: [Int] = []
    for (place, output) in outputs.enumerated() {
      let key = folder.key(output.key)
      if let (number, kept) = unchanged(output, key) {
        verdicts.append(.keep(kept))
        state.withLock { _ = $0.unchanged.insert(number) }
      } else {
        verdicts.append(.make)
        others.append((key, output))
        places.append(place)
      }
    }
    var reasons: [Int: String] = [:]
    for (place, (verdict, reason)) in zip(places, decisions(on: others, digest)) {
      verdicts[place] = verdict
      reasons[place] = reason
    }
    for (place, verdict) in verdicts.enumerated() {
      if case .refuse(let reason) = verdict {
        // A run that writes files reports the refusal as a failure.
        if options.isDryRun { explain(outputs.path(at: place), reason) }
        continue
      }
      explain(outputs.path(at: place), reasons[place])
    }
    return verdicts
  }

  /// Returns the result of an output that is kept because nothing has changed, and its number in the record; nil if
  /// something has changed, or if files have to be read for the decision.
  private func unchanged(_ output: PlannedOutput, _ key: String) -> (number: Int, kept: KeptOutput)? {
    guard !options.makesAll, !options.hashesAll, output.packedPageCount == nil, output.recipe.reasonToMake == nil,
      case let (number?, known)? = self.known.withLock({ $0.find(key) }),
      known.recipe == output.recipe.text, known.sources.count == output.recipe.sources.count,
      zip(known.sources, output.recipe.sources).allSatisfy({ $0.path.utf8.elementsEqual($1.utf8) }), isUnchanged(known)
    else { return nil }
    return (number, kept(known))
  }

  private func kept(_ output: RecordedOutput) -> KeptOutput {
    keepPath(of: output)
    return KeptOutput(
      path: output.path == output.key ? nil : folder.folder.absolute(output.path), byteCount: output.totalByteCount,
      pages: output.pages, verification: output.verification.isEmpty ? nil : output.verification)
  }

  /// Keeps the path of an output whose file stays, if its name contains a digest.
  private func keepPath(of output: RecordedOutput) {
    if output.path != output.key { state.withLock { _ = $0.keptPaths.insert(RealPaths.Path(output.path)) } }
  }

  private func decisions(
    on outputs: [(key: String, output: PlannedOutput)], _ digest: @escaping @Sendable (String) -> PictureDigest?
  ) -> [(verdict: OutputVerdict, reason: String?)] {
    askOthers(outputs.filter { $0.output.packedPageCount == nil }.map(\.key))
    let earlier = self.earlier
    let outputs = outputs.map { (key: $0.key, output: $0.output, known: earlier[$0.key]) }
    look(at: outputs.map { ($0.output.recipe, $0.known?.sources ?? []) }, digest)
    state.withLock { state in state.asked.formUnion(outputs.map(\.key)) }
    let verdicts = outputs.map { key, output, known in
      if output.recipe.reasonToMake != nil { state.withLock { $0.hasAlwaysDue = true } }
      let made = reasonToMake(output, known)
      let found = known.map(condition) ?? .missing
      var (verdict, reason) = verdict(known, found, reason: made, output)
      if known == nil, let place = output.place, isEdited(place) || holdsEdited(output.folder) {
        (verdict, reason) = (.refuse(Self.refusal), nil)
      }
      if case .make = verdict, !options.makesAll {
        if let pages = earlierPages(output, key, known, isThere: found.isIntact) {
          verdict = .complete(pages)
          reason = reason.map {
            "\($0); \(pages.pages.count) of \(output.pages.count) pages are taken from earlier runs"
          }
        } else if output.recipe.reasonToMake == nil, let (file, origin) = earlierFile(output, known) {
          verdict = .take(file)
          if known == nil {
            reason = "\(isAsked(origin) ? "equal to" : "renamed from") '\(printable(file.path))'"
          }
        }
      }
      state.withLock { state in
        if case .refuse = verdict { state.refused.insert(key) }
        switch verdict {
        case .make, .complete, .take:
          state.planned[key] = output
          if let place = output.place {
            state.keys[place] = key
            if known != nil, output.packedPageCount == nil { state.found[key] = .some(FileStamp(path: place.text)) }
          }
          if let inner = output.folder { state.keys[InternedPath(realPathOf: inner)] = key }
        case .keep, .refuse: if let known { state.settled[key] = refreshed(known, output, found, state) }
        }
      }
      return (verdict: verdict, reason: reason)
    }
    return zip(held(zip(outputs, verdicts).map { ($0.output, $1.verdict) }), verdicts).map { ($0, $1.reason) }
  }

  func isAsked(_ key: String) -> Bool {
    let number = earlier.find(key)?.number
    return state.withLock { $0.isAsked(key, number) }
  }

  private func verdict(_ known: RecordedOutput?, _ found: Condition, reason: String?, _ output: PlannedOutput) -> (
    OutputVerdict, String?
  ) {
    guard let known else { return (.make, reason ?? "it is new") }
    switch found {
    // If the name contains a digest, the new file has another name than the edited one. A killed run may have noted a
    // path that still has the unchanged file of another output.
    case .edited where output.place == nil && (reason != nil || isUnchanged(known.path)):
      return (.make, reason ?? "an earlier run did not finish it")
    case .edited where !options.overwrites && output.packedPageCount == nil:
      keepPath(of: known)
      return (.refuse(output.place == nil ? refusal(of: known.path) : Self.refusal), nil)
    case .edited: return (.make, "the file was changed")
    case .missing: return (.make, reason ?? "the file is missing")
    case .outdated: return (.make, "an earlier run did not finish it")
    case .lost: return (.make, "the machine stopped before the file was on the disk")
    case .asWritten, .touched:
      if let reason { return (.make, reason) }
      return (.keep(kept(known)), nil)
    }
  }

  /// The reason why an output that another program has changed is not replaced.
  static let refusal =
    "the file was changed since imghost wrote it, and stays; replace it with --overwrite, or save elsewhere"

  /// The state of an earlier output's file.
  enum Condition: Equatable {
    /// The file is from imghost, but has to be made again: a run was killed before it replaced or recorded the file, or
    /// the index of a document is missing.
    case outdated
    case asWritten
    /// The bytes are as recorded, but the times differ. The stamp is the current one, marked as unsettled if it is too
    /// recent.
    case touched(FileStamp)
    case edited
    /// The file has lost its bytes, because the machine stopped before they reached the disk.
    case lost
    case missing

    /// Whether the file has the recorded bytes.
    var isIntact: Bool { ![.outdated, .edited, .lost, .missing].contains(self) }
  }

  func condition(of output: RecordedOutput) -> Condition {
    let tiles = output.tree == nil ? .asWritten : conditionOfTree(output)
    let own = conditionOfFile(output)
    // If the file or its folder was edited, neither may be replaced.
    for condition in [.edited, .outdated, .lost, .missing] as [Condition] where tiles == condition || own == condition {
      return condition
    }
    return own
  }

  private func conditionOfTree(_ output: RecordedOutput) -> Condition {
    let inner = folder.folder.absolute(output.folder)
    guard let now = FileDigest.files(in: inner) else { return .missing }
    if now.digest == output.tree, !options.hashesAll, !isInDoubt(output) { return .asWritten }
    guard let bytes = FileDigest.files(in: inner, ofBytes: true) else { return .edited }
    if bytes.digest == output.treeBytes { return .asWritten }
    // Another run that was killed may have replaced the folder, but not the file that describes it.
    if !output.replaced.isEmpty, !FileDigest.hasFile(in: inner, newerThan: output.noted) { return .outdated }
    if Set(bytes.marks).isSubset(of: output.treeFiles) { return .missing }
    return isInDoubt(output) && now.digest == output.tree ? .lost : .edited
  }

  /// Returns whether the machine was restarted since the file was written. After a crash, some file systems show a
  /// file's name although its bytes never reached the disk.
  func isInDoubt(_ output: RecordedOutput) -> Bool { !output.start.isEmpty && output.start != Self.start }

  private func conditionOfFile(_ output: RecordedOutput) -> Condition {
    let path = folder.folder.absolute(output.path)
    let time = FileStamp.now
    guard let stamp = FileStamp(path: path) else { return .missing }
    let trusted = stamp.isSettled(at: time) ? stamp : stamp.unsettled
    let readsAll = options.hashesAll || isInDoubt(output)
    // The file may still be one that a killed run was about to replace.
    let isOutdated = output.replaced.contains(where: stamp.mayBeCopy)
    if output.tree == nil, !output.folder.isEmpty {
      // The output is from a journal, and its folder is the earlier one or the new one, which was complete when the
      // journal was written.
      let isEdited = FileDigest.hasFile(in: folder.folder.absolute(output.folder), newerThan: output.noted)
      return (isOutdated || stamp.mayBeCopy(of: output.stamp)) && !isEdited ? .outdated : .edited
    }
    if isOutdated { return .outdated }
    if stamp == output.stamp, !readsAll { return .asWritten }
    // The digest of a document cannot be computed without its index. A document that is untouched is made again.
    if !output.entries.isEmpty, !readsAll, index(of: output) == nil, stamp.mayBeCopy(of: output.stamp) {
      return .outdated
    }
    // An output that is known only from a journal has no digest, and its time of change is unknown, because the journal
    // is written before the file receives its name.
    if output.digest == nil {
      if stamp.isRenamed(from: output.stamp), !isInDoubt(output) { return .touched(trusted) }
      return stamp.mayBeCopy(of: output.stamp) ? .outdated : .edited
    }
    guard stamp.byteCount == output.stamp.byteCount,
      FileDigest.file(path, parts(of: output), verifies: true) == output.digest
    else { return isInDoubt(output) && stamp.isUntouched(since: output.stamp) ? .lost : .edited }
    return .touched(trusted)
  }

  /// Returns the updated record of an output that is kept, with the current facts about its files; nil if nothing has
  /// changed.
  private func refreshed(
    _ known: RecordedOutput, _ planned: PlannedOutput, _ found: Condition, _ state: State
  ) -> RecordedOutput? {
    var output = known
    if case .touched(let stamp) = found {
      // An index is valid for one inode, so a copy of the document has no index.
      if !output.entries.isEmpty, !stamp.isRenamed(from: output.stamp) {
        (output.entries, output.digest) = ([], FileDigest.file(folder.folder.absolute(output.path)))
      }
      output.stamp = stamp
    }
    // The bytes were read back after a restart, so they had reached the disk.
    if output.start != Self.start { output.start = "" }
    var isChanged = output.stamp != known.stamp || output.start != known.start
    // The sources may have been renamed. If the output ignores metadata, the metadata may have changed.
    guard found != .edited, known.sources.count == planned.recipe.sources.count else { return isChanged ? output : nil }
    for (index, (source, path)) in zip(known.sources, planned.recipe.sources).enumerated() {
      guard let stamp = state.stamps[path], let known = source.known, stamp != source.stamp || path != source.path
      else { continue }
      let trusted = state.unsettled[path] == true ? stamp?.unsettled : stamp
      let digest = state.digests[path].flatMap { $0.whole == known.whole ? nil : $0 } ?? known
      output.sources[index] = RecordedSource(path: path, stamp: trusted, digest)
      isChanged = true
    }
    return isChanged ? output : nil
  }

  // MARK: - During the run

  package func note(key: String?, path: String, at place: InternedPath, _ file: stat) throws(PictureError) -> Int32? {
    // The files in the folder of an output must not be newer than the noted stamp.
    let stamp = file.st_mode & S_IFMT == S_IFDIR ? FileStamp(file).modified(at: FileStamp.now) : FileStamp(file)
    let output = state.withLock { state -> RecordedOutput? in
      if key != nil { state.hashed.insert(place) }
      guard let key = key.map(folder.key) ?? state.keys[place], let planned = state.planned[key] else {
        return nil
      }
      // The number of a document's pages is known only at the end. If a source has changed, the output is due again.
      let isKnown = !planned.isDocument && !planned.recipe.sources.contains { isLate($0, state) }
      var output = RecordedOutput(
        // The folder of an output is noted, too, but the output keeps the path of its file.
        key: key, path: folder.place(of: place == planned.place || planned.folder == nil ? path : planned.path),
        recipe: isKnown ? planned.recipe.text : "", pixels: planned.recipe.pixels,
        sources: isKnown ? sources(planned.recipe.sources, state) : [], stamp: stamp, digest: nil,
        totalByteCount: Int(stamp.byteCount), pages: 0, verification: "")
      if let inner = planned.folder { output.folder = folder.place(of: inner) }
      return output
    }
    guard let output, let journal else { return nil }
    if !journal.add(output) { throw .file(FileError(.write, path: folder.journalPath, code: errno)) }
    return journal.descriptor
  }
}
