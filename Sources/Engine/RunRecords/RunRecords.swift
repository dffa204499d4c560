import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Sharding
import Synchronization

/// The records of a run: decides which outputs are due, and remembers what is made. Used from any thread.
package final class RunRecords: OutputRecords {
  /// How a run uses its records.
  package struct Options: Sendable {
    /// Whether every output is made, as without `--only-changed`.
    package var makesAll = false
    /// Whether the bytes of all files are looked at, and not only their sizes and times.
    package var hashesAll = false
    /// Whether files that were changed by somebody else are replaced.
    package var overwrites = false
    /// Whether nothing is written.
    package var isDryRun = false
    /// The number of threads that compute digests.
    package var threads = 1

    package init() {}
  }

  /// Why records cannot be used.
  package enum Problem: Error, Sendable {
    /// Another run of the script writes into the folder.
    case locked
    /// - Parameter reason: a clause.
    case unusable(path: String, reason: String)
  }

  let options: Options
  let folder: RecordFolder
  let journal: RunJournal?
  /// The machine's start for files that are written now; empty if a power cut does not lose their bytes.
  static var start: String { DurableWrites.isOn ? "" : TemporaryFiles.machine }
  /// The outputs of earlier runs by key.
  let earlier: [String: RecordedOutput]
  private let explain: @Sendable (_ path: String, _ reason: String?) -> Void

  struct State {
    /// The outputs that the script has asked for in this run.
    var asked: Set<String> = []
    /// The outputs that are made, by key.
    var planned: [String: PlannedOutput] = [:]
    /// The keys of these outputs by the places of their files and folders.
    var keys: [InternedPath: String] = [:]
    /// Outputs that are kept or refused and of which more is known now.
    var settled: [String: RecordedOutput] = [:]
    /// The stamps of sources as they were before they were decoded; nil for a source that did not exist.
    var stamps: [String: FileStamp?] = [:]
    /// The digests of sources, as far as they are known.
    var digests: [String: SHA256Digest] = [:]
    /// Outputs whose files must not be replaced.
    var refused: Set<String> = []
    /// The stamps of recorded outputs when the run decided about them; nil for a missing file.
    var found: [String: FileStamp?] = [:]
    /// The stamps of files that got their names in this run.
    var shown: [String: FileStamp] = [:]
  }
  let state = Mutex(State())

  /// Whether an earlier run of the script has left records.
  package static func exist(outputFolder: String, script: String, isFile: Bool) -> Bool {
    RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile).exists
  }

  /// Reads the records of a script, and locks them.
  ///
  /// - Parameters:
  ///   - script: the path of the script, or a name if it is not in a file.
  ///   - onWait: called before waiting for another run of the script; nil not to wait.
  ///   - explain: called on the script's thread, with the path of each output and the reason why it is made; with nil for one that is kept.
  /// - Throws: the reason why they cannot be used.
  package init(
    outputFolder: String, script: String, isFile: Bool, _ options: Options, onWait: (() -> Void)?,
    explain: @escaping @Sendable (_ path: String, _ reason: String?) -> Void
  ) throws(Problem) {
    self.options = options
    self.explain = explain
    folder = RecordFolder(outputFolder: outputFolder, script: script, isFile: isFile)
    if let link = folder.folder.link { throw .unusable(path: link, reason: "is a link") }
    do throws(FileError) {
      journal = options.isDryRun ? nil : try folder.openJournal()
    } catch {
      throw .unusable(path: folder.journalPath, reason: "cannot be written: \(error)")
    }
    if let journal, !journal.lock(waiting: false) {
      guard let onWait else { throw .locked }
      onWait()
      _ = journal.lock(waiting: true)
    }
    journal?.trim()
    do throws(ShardFileProblem) {
      earlier = Dictionary(try folder.read().map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    } catch {
      throw .unusable(path: error.path, reason: "is not trusted: it is a link, or another user may write to it")
    }
  }

  // MARK: - What is due

  package func verdicts(on outputs: [PlannedOutput]) -> [OutputVerdict] {
    let outputs = outputs.map { (key: folder.folder.relative($0.key), output: $0) }
    look(at: outputs.map(\.output))
    return outputs.map { key, output in
      let (known, made) = (earlier[key], reasonToMake(output, earlier[key]))
      let found = known.map(condition) ?? .missing
      var (verdict, reason) = verdict(known, found, reason: made)
      if case .make = verdict, let known, !options.makesAll, found != .missing, found != .edited, found != .outdated,
        found != .lost,
        let pages = earlierPages(output, known)
      {
        verdict = .complete(pages)
      }
      state.withLock { state in
        state.asked.insert(key)
        if case .refuse = verdict { state.refused.insert(key) }
        if known != nil, let place = output.place { state.found[key] = .some(FileStamp(path: place.text)) }
        switch verdict {
        case .make, .complete:
          state.planned[key] = output
          if let place = output.place { state.keys[place] = key }
          if let inner = output.folder { state.keys[InternedPath(realPathOf: inner)] = key }
        case .keep, .refuse: if let known { state.settled[key] = refreshed(known, output, found, state) }
        }
      }
      if case .refuse = verdict { return verdict }
      explain(output.job.result.outputs[output.index].path, reason)
      return verdict
    }
  }

  private func verdict(_ known: RecordedOutput?, _ found: Condition, reason: String?) -> (OutputVerdict, String?) {
    guard let known else { return (.make, reason ?? "it is new") }
    switch found {
    case .edited where !options.overwrites:
      return (
        .refuse(
          "the file was changed since imghost wrote it, and stays; replace it with --overwrite, or save elsewhere"),
        nil
      )
    case .edited: return (.make, "the file was changed")
    case .missing: return (.make, reason ?? "the file is missing")
    case .outdated: return (.make, "an earlier run was interrupted")
    case .lost: return (.make, "the machine stopped before the file was on the disk")
    case .asWritten, .touched:
      if let reason { return (.make, reason) }
      let kept = KeptOutput(
        path: folder.folder.absolute(known.path), byteCount: known.totalByteCount, pages: known.pages,
        verification: known.verification.isEmpty ? nil : known.verification)
      return (.keep(kept), nil)
    }
  }

  /// The state of an earlier output's file.
  enum Condition: Equatable {
    /// An earlier file is there, because a run was killed before it replaced that.
    case outdated
    case asWritten
    /// The bytes are the same, but not the times.
    case touched(FileStamp)
    case edited
    /// The file that was written, without its bytes: the machine stopped before they were on the disk.
    case lost
    case missing
  }

  func condition(of output: RecordedOutput) -> Condition {
    let path = folder.folder.absolute(output.path)
    guard let stamp = FileStamp(path: path) else { return .missing }
    // A file system may have shown a name before the bytes were on the disk.
    let isInDoubt = !output.start.isEmpty && output.start != TemporaryFiles.machine
    let readsAll = options.hashesAll || isInDoubt
    // A run that was killed may have replaced any of these files.
    if output.replaced.contains(where: stamp.isRenamed) { return .outdated }
    if output.recipe.isEmpty, !output.folder.isEmpty {
      return stamp.isRenamed(from: output.stamp) ? .outdated : .edited
    }
    if let tree = output.tree {
      let inner = folder.folder.absolute(output.folder)
      guard let now = FileDigest.tree(inner) else { return .missing }
      if now != tree || readsAll, FileDigest.tree(inner, ofBytes: true) != output.treeBytes {
        return isInDoubt && now == tree ? .lost : .edited
      }
    }
    if stamp == output.stamp, !readsAll { return .asWritten }
    // A journal is written before the file gets its name, and does not know when that was. Nor does it know the bytes.
    if output.digest == nil {
      return !stamp.isRenamed(from: output.stamp) ? .edited : isInDoubt ? .outdated : .touched(stamp)
    }
    guard stamp.byteCount == output.stamp.byteCount,
      FileDigest.file(path, parts(of: output), verifies: true) == output.digest
    else { return isInDoubt && stamp.isUntouched(since: output.stamp) ? .lost : .edited }
    return .touched(stamp)
  }

  /// Returns the record of an output that is kept, with what is known of its files now; nil if nothing has changed.
  private func refreshed(
    _ known: RecordedOutput, _ planned: PlannedOutput, _ found: Condition, _ state: State
  ) -> RecordedOutput? {
    var output = known
    if case .touched(let stamp) = found {
      // The index of a document belongs to one file, not to a copy of it.
      if !output.entries.isEmpty, !stamp.isRenamed(from: output.stamp) {
        (output.entries, output.digest) = ([], FileDigest.file(folder.folder.absolute(output.path)))
      }
      output.stamp = stamp.isSettled(at: FileStamp.now) ? stamp : stamp.unsettled
    }
    // Bytes that were read after a start of the machine are on the disk.
    if output.start != TemporaryFiles.machine { output.start = "" }
    var isChanged = output.stamp != known.stamp || output.start != known.start
    // The sources of an output that is kept have the bytes of those before, in their order, but may have other names.
    guard found != .edited, known.sources.count == planned.recipe.sources.count else { return isChanged ? output : nil }
    for (index, (source, path)) in zip(known.sources, planned.recipe.sources).enumerated() {
      guard case .some(.some(let stamp)) = state.stamps[path], let digest = source.digest,
        stamp != source.stamp || path != source.path
      else { continue }
      let settled = stamp.isSettled(at: FileStamp.now) ? stamp : stamp.unsettled
      output.sources[index] = RecordedSource(path: path, stamp: settled, digest: digest)
      isChanged = true
    }
    return isChanged ? output : nil
  }

  /// Returns why an output is made although its file is there; nil if it need not be.
  private func reasonToMake(_ output: PlannedOutput, _ known: RecordedOutput?) -> String? {
    if options.makesAll { return "everything is made" }
    if let reason = output.recipe.reasonToMake { return reason }
    guard let known else { return "it is new" }
    if known.recipe.isEmpty { return "an earlier run was interrupted" }
    if known.recipe != output.recipe.text {
      return OutputRecipe.differences(known.recipe, output.recipe.text).joined(separator: ", ")
    }
    guard known.sources.count == output.recipe.sources.count else { return "it is made of other files" }
    for (source, path) in zip(known.sources, output.recipe.sources) where !isUnchanged(source, at: path) {
      return "'\(printable(path))' has changed"
    }
    return nil
  }

  private func isUnchanged(_ source: RecordedSource, at path: String) -> Bool {
    let (stamp, digest) = state.withLock { ($0.stamps[path] ?? nil, $0.digests[path]) }
    if let digest { return digest == source.digest }
    return stamp == source.stamp
  }

  /// Looks up the sources of outputs, and computes the digests of those that may be files that an earlier run knew.
  private func look(at outputs: [PlannedOutput]) {
    var doubtful: Set<String> = []
    state.withLock { state in
      for output in outputs {
        let known = earlier[folder.folder.relative(output.key)]?.sources.filter { $0.digest != nil } ?? []
        let digests = Dictionary(known.map { ($0.stamp, $0.digest) }, uniquingKeysWith: { $1 })
        let sizes = Set(known.map { $0.stamp?.byteCount })
        for path in output.recipe.sources {
          let stamp = state.stamps[path] ?? FileStamp(path: path)
          state.stamps[path] = .some(stamp)
          guard let stamp, state.digests[path] == nil else { continue }
          if let digest = digests[stamp], !options.hashesAll {
            state.digests[path] = digest
          } else if sizes.contains(stamp.byteCount) {
            doubtful.insert(path)
          }
        }
      }
    }
    let paths = doubtful.sorted()
    let digests = OrderedWork.map(paths, threads: options.threads) { FileDigest.file($0) }
    state.withLock { state in for (path, digest) in zip(paths, digests) { state.digests[path] = digest } }
  }

  // MARK: - While it runs

  package func note(_ path: String, at place: InternedPath, _ file: stat) throws(PictureError) -> Int32? {
    let stamp = FileStamp(file)
    let output = state.withLock { state -> RecordedOutput? in
      guard let key = state.keys[place], let planned = state.planned[key] else { return nil }
      let now = FileStamp.now
      var sources = sources(of: planned, state)
      for (index, source) in sources.enumerated() {
        if let stamp = source.stamp, !stamp.isSettled(at: now) { sources[index].stamp = stamp.unsettled }
      }
      var output = RecordedOutput(
        key: key, path: key,
        // The number of a document's pages and the files of a folder are known only at the end.
        recipe: planned.isDocument ? "" : planned.recipe.text, sources: planned.isDocument ? [] : sources, stamp: stamp,
        digest: nil,
        totalByteCount: Int(stamp.byteCount), pages: 0, verification: "")
      if let inner = planned.folder { output.folder = folder.folder.relative(inner) }
      return output
    }
    guard let output, let journal else { return nil }
    if !journal.add(output) { throw .file(FileError(.write, path: folder.journalPath, code: errno)) }
    return journal.descriptor
  }

  package func willShow(_ place: InternedPath, _ file: stat) throws(PictureError) {
    let now = FileStamp(path: place.text)
    let isLate = state.withLock { state in
      guard let key = state.keys[place], let planned = state.planned[key] else { return false }
      if planned.place == place, let found = state.found.removeValue(forKey: key), found != now, !options.overwrites {
        return true
      }
      state.shown[key] = FileStamp(file)
      return false
    }
    if isLate {
      throw .operation(
        .unsuitable("the file was changed while the run made another, and stays; run again, or use --overwrite"))
    }
  }

  func sources(of output: PlannedOutput, _ state: State) -> [RecordedSource] {
    output.recipe.sources.map { path in
      RecordedSource(path: path, stamp: state.stamps[path] ?? nil, digest: state.digests[path])
    }
  }
}
