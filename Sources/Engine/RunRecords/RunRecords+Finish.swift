import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Synchronization

/// The end of a run: what it has made is recorded.
extension RunRecords {
  /// Records what the run has made, with digests of all files.
  ///
  /// - Parameter removed: the paths of stale outputs that are gone.
  /// - Throws: an error if the record cannot be written.
  package func finish(_ run: Run, on scheduler: Scheduler, removed: Set<String>) throws(PictureError) {
    guard let journal else { return }
    let now = state.withLock { $0 }
    if now.planned.isEmpty, now.settled.isEmpty, removed.isEmpty, folder.isJournalEmpty { return }
    let kept = earlier.values.filter { now.asked.contains($0.key) && now.planned[$0.key] == nil }.map {
      now.settled[$0.key] ?? $0
    }
    // The journal of a run that was killed has no digests.
    func isResumed(_ output: RecordedOutput) -> Bool {
      output.digest == nil && output.stamp.changed != 0 && !now.refused.contains(output.key)
    }
    let resumed = kept.filter(isResumed)
    var outputs = digested(made(now) + resumed, on: scheduler)
    outputs += kept.filter { !isResumed($0) }
    let recorded = Set(outputs.map(\.key))
    // Outputs that the script has not asked for stay known, and so do those that could not be made.
    let left = earlier.values.compactMap { known -> RecordedOutput? in
      let isPast = now.planned[known.key] != nil || !now.asked.contains(known.key)
      guard isPast, !recorded.contains(known.key), !removed.contains(folder.folder.absolute(known.path)) else {
        return nil
      }
      let found = condition(of: known)
      var known = known
      // The file may be one that this run has written and that is not recorded, because a source has changed meanwhile.
      let isOurs = found == .outdated || now.shown[known.key] != nil
      if isOurs, let stamp = FileStamp(path: folder.folder.absolute(known.path)) {
        (known.stamp, known.digest, known.recipe) = (stamp, nil, "")
      }
      return found == .missing ? nil : known
    }
    // A name with a digest changes with the file: the earlier file is an output that the script no longer makes.
    let renamed = outputs.compactMap { output -> RecordedOutput? in
      guard var known = earlier[output.key], known.path != output.path else { return nil }
      known.key = known.path
      return condition(of: known) == .missing ? nil : known
    }
    let all = (outputs + left + renamed).sorted { $0.key < $1.key }
    let keys = Set(all.map(\.key))
    folder.removeIndices(of: earlier.keys.filter { !keys.contains($0) })
    if all.isEmpty { return folder.remove() }
    try folder.write(all)
    journal.clear()
  }

  /// Returns the outputs that this run has made, without digests.
  private func made(_ now: State) -> [RecordedOutput] {
    now.planned.compactMap { key, output in
      let result = output.job.result
      let made = result.outputs[output.index]
      guard let byteCount = made.byteCount, let stamp = FileStamp(path: made.path) else { return nil }
      // A document that lacks pages or did not verify is there, and has to be made again.
      let isComplete = made.failure == nil && result.verification?.isVerified ?? true
      var recorded = RecordedOutput(
        key: key, path: folder.folder.relative(made.path), recipe: isComplete ? output.recipe.text : "",
        pixels: isComplete ? output.recipe.pixels : nil, sources: sources(of: output, now), stamp: stamp, digest: nil,
        totalByteCount: byteCount, pages: result.pages,
        verification: result.verification?.summary ?? "")
      let places = Dictionary(output.recipe.sources.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
      recorded.entries = output.pages.map { page in
        RecordedPage(
          index: page.index, recipe: page.recipe.digest, sources: page.recipe.sources.compactMap { places[$0] })
      }
      if let inner = output.folder { recorded.folder = folder.folder.relative(inner) }
      // If somebody has changed the file since, the record keeps what was written, so that it is not replaced later.
      if let shown = now.shown[key], !stamp.isRenamed(from: shown) { recorded.stamp = shown.unsettled }
      return recorded
    }
  }

  private static let mostBytesToReadAgain = 16 << 20

  /// Adds the digests of files. Leaves out outputs whose sources have changed since the run looked at them.
  private func digested(_ outputs: [RecordedOutput], on scheduler: Scheduler) -> [RecordedOutput] {
    let needed = Set(outputs.flatMap(\.sources).filter { $0.stamp != nil && $0.digest == nil }.map(\.path)).sorted()
    let made = outputs.map { (path: folder.folder.absolute($0.path), parts: parts(of: $0)) }
    let digest = state.withLock { $0.digest }
    let results = Mutex([String: SHA256Digest](minimumCapacity: made.count))
    let sourceResults = Mutex([String: PictureDigest](minimumCapacity: needed.count))
    scheduler.parallelFor(needed.count + made.count, qos: .userInitiated) { index in
      if index < needed.count {
        guard let digest = digest?(needed[index]) else { return }
        sourceResults.withLock { $0[needed[index]] = digest }
      } else {
        let (path, parts) = made[index - needed.count]
        guard let digest = FileDigest.file(path, parts) else { return }
        results.withLock { $0[path] = digest }
      }
    }
    let (digests, sources) = (results.withLock { $0 }, sourceResults.withLock { $0 })
    // A large output whose times cannot be trusted yet would be read by the next run.
    let early = outputs.filter { !$0.stamp.isSettled(at: FileStamp.now) }.reduce(0) { $0 + $1.totalByteCount }
    if early > Self.mostBytesToReadAgain { usleep(25_000) }
    let now = FileStamp.now
    var after: [String: FileStamp] = [:]
    for path in Set(outputs.flatMap(\.sources).map(\.path)) { after[path] = FileStamp(path: path) }
    return outputs.compactMap { output in
      var output = output
      for (index, source) in output.sources.enumerated() {
        guard let stamp = source.stamp else { continue }
        guard after[source.path] == stamp else { return nil }
        if source.digest == nil {
          output.sources[index] = RecordedSource(path: source.path, stamp: stamp, sources[source.path])
        }
        if !stamp.isSettled(at: now) { output.sources[index].stamp = stamp.unsettled }
      }
      let path = folder.folder.absolute(output.path)
      if output.stamp.changed != 0 {
        output.digest = digests[path]
        guard FileStamp(path: path) == output.stamp else { return nil }
        if !output.stamp.isSettled(at: now) { output.stamp = output.stamp.unsettled }
      }
      if !output.folder.isEmpty {
        let inner = folder.folder.absolute(output.folder)
        (output.tree, output.treeBytes) = (FileDigest.tree(inner), FileDigest.tree(inner, ofBytes: true))
      }
      return output
    }
  }
}
