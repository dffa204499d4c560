import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Sharding
import Synchronization

extension RunRecords {
  /// Writes the record of the run's outputs, with the digests of all files.
  ///
  /// - Parameter removed: the paths of stale outputs that were removed.
  /// - Returns: the sources that were changed during the run, so that the outputs made from them are due again.
  /// - Throws: an error if the record cannot be written.
  package func finish(_ run: Run, on scheduler: Scheduler, removed: Set<RealPaths.Path>) throws(PictureError)
    -> [String]
  {
    guard let journal, !isLeftUnchanged else { return [] }
    settleDocuments(of: run)
    if wasInterrupted { TemporaryFiles.removeAbandoned(inFoldersOf: run.jobs.flatMap(\.result.outputs).map(\.path)) }
    var now = state.withLock { $0 }
    // Encoded sources need the digests of their pixels, too. The digest of all bytes alone, of a file that was read for
    // another purpose, is dropped here.
    for path in now.planned.values.flatMap(\.encodedSources) { now.read[path] = nil }
    let unreadable = run.fileRegister.unreadablePaths
    let measured = measurements(now).filter { unreadable.isDisjoint(with: $0.sources.map(\.path)) }
    let hasMeasured = measured.contains { earlierMeasurements[$0.key]?.sources != $0.sources }
    let isSame =
      now.planned.isEmpty && now.settled.isEmpty && removed.isEmpty && !hasMeasured && folder.isJournalEmpty
      && now.ofOthers.isEmpty && shards.isEmpty
    if isSame, now.unchanged.count == self.earlier.count {
      keepFacts(of: self.earlier.all.lazy.map(\.output))
      return []
    }
    let earlier = Array(self.earlier.all)
    let past = earlier.filter { !now.isAsked($1.key, $0) }.map(\.output)
    // Outputs that this script no longer makes, but other scripts do, are left to those scripts.
    let foreign = past.isEmpty || options.makesAll || folder.shard != nil ? [] : pathsOfOtherScripts()
    let isLeft = past.contains { foreign.contains(RealPaths.Path($0.path)) }
    if isSame, !isLeft {
      keepFacts(of: earlier.lazy.map(\.output))
      return []
    }
    let kept = earlier.compactMap { number, known in
      now.isAsked(known.key, number) && now.planned[known.key] == nil ? now.settled[known.key] ?? known : nil
    }
    // Outputs from the journal of a killed run have no digests yet.
    func isResumed(_ output: RecordedOutput) -> Bool {
      output.digest == nil && output.stamp.changed != 0 && !now.refused.contains(output.key)
    }
    let resumed = kept.filter(isResumed)
    // The stamps of recent files cannot be trusted, so the next run would read these files again. A short wait makes
    // the stamps reliable.
    let time = FileStamp.now
    let early = now.planned.values.compactMap { output -> Int? in
      FileStamp(path: path(of: output)).flatMap { $0.isSettled(at: time) ? nil : output.byteCount(in: run) }
    }
    let isLong = time > ProgramStart.time && time - ProgramStart.time > Self.secondsOfLongRun * 1_000_000_000
    if !early.isEmpty, isLong || early.reduce(0, +) > Self.mostBytesToReadAgain { usleep(25_000) }
    let late = now.stamps.paths.filter { isLate($0, now) }.sorted()
    var (outputs, measurements) = digested(
      made(now, in: run, unreadable: unreadable) + resumed, measured, late: Set(late), on: scheduler)
    outputs += kept.filter { !isResumed($0) }
    keepFacts(of: outputs)
    let recorded = Set(outputs.map(\.key))
    // The record keeps outputs that the script no longer requests, and outputs that this run could not make.
    let unmade = earlier.map(\.output).filter { now.planned[$0.key] != nil }
    let own = past.filter { !foreign.contains(RealPaths.Path($0.path)) }
    let paths = Set(outputs.map { RealPaths.Path($0.path) })
    let left = (own + unmade).filter { known in
      (!now.ofOthers.contains(known.key) || now.shown[known.key] != nil) && !recorded.contains(known.key)
        // An earlier version whose name contains a digest may be the present one again.
        && !paths.contains(RealPaths.Path(known.path))
        && !removed.contains(RealPaths.Path(folder.folder.absolute(known.path)))
    }
    let all = (outputs + self.left(left, now, on: scheduler) + renamed(outputs, but: paths)).sorted { $0.key < $1.key }
    let keys = Set(all.map(\.key))
    folder.removeIndices(of: earlier.map(\.output.key).filter { !keys.contains($0) })
    // A shard keeps its journal, because without a journal it would count as merged.
    if all.isEmpty, measurements.isEmpty, folder.shard == nil, folder.begunDocuments().isEmpty {
      folder.remove(shards)
      folder.remove()
      return late
    }
    var contents = RecordContents()
    (contents.script, contents.place) = (folder.script, folder.scriptPlace)
    (contents.outputs, contents.measurements) = (all, measurements)
    try folder.write(contents)
    journal.clear()
    folder.remove(shards)
    return late
  }

  /// Returns the records of outputs that this run has not made, without those that have no files left.
  private func left(_ outputs: [RecordedOutput], _ now: State, on scheduler: Scheduler) -> [RecordedOutput] {
    var (left, unfinished): ([RecordedOutput], [RecordedOutput]) = ([], [])
    for known in outputs {
      let found = condition(of: known)
      if found == .missing {
        var output = known
        guard let stamp = folderLeft(of: known) else { continue }
        output.stamp = stamp
        left.append(output)
        continue
      }
      // This run may have written the file without recording it, because a source changed during the run.
      let time = FileStamp.now
      guard let stamp = FileStamp(path: folder.folder.absolute(known.path)), hasOnlyTiles(known),
        found == .outdated || found == .lost || now.shown[known.key].map(stamp.isRenamed) ?? false
      else {
        left.append(known)
        continue
      }
      // It is known that the file is from imghost, but not how it was made.
      var output = known
      (output.stamp, output.isRecent, output.start) = (stamp, !stamp.isSettled(at: time), Self.start)
      (output.recipe, output.pixels, output.sources, output.entries) = ("", nil, [], [])
      unfinished.append(output)
    }
    let digested = digested(unfinished, [], late: [], on: scheduler).0
    // The earlier record of a file that changes at this moment is kept.
    let missing = Set(unfinished.map(\.key)).subtracting(digested.map(\.key))
    return left + digested + outputs.filter { missing.contains($0.key) }
  }

  /// Returns records of the earlier files of outputs that have new paths because their names contain digests. The
  /// earlier files become outputs that the script no longer makes.
  ///
  /// - Parameter paths: the paths of all present outputs.
  private func renamed(_ outputs: [RecordedOutput], but paths: Set<RealPaths.Path>) -> [RecordedOutput] {
    let earlier = self.earlier
    return outputs.compactMap { output in
      guard var known = earlier[output.key], known.path != output.path, !paths.contains(RealPaths.Path(known.path))
      else { return nil }
      let path = folder.folder.absolute(known.path)
      // The document's index belongs to its new file, so the unchanged earlier file is recorded without one.
      if !known.entries.isEmpty, let stamp = FileStamp(path: path),
        stamp == known.stamp || known.stamp.changed == 0 && stamp.isRenamed(from: known.stamp),
        let digest = FileDigest.file(path)
      {
        (known.entries, known.digest) = ([], digest)
      }
      known.key = RecipeText.escaped(known.path)
      return condition(of: known) == .missing ? nil : known
    }
  }

  /// Keeps the facts about files that a shard has read, so that the files need not be read again for its manifest.
  private func keepFacts(of outputs: some Sequence<RecordedOutput>) {
    guard folder.shard != nil else { return }
    var facts: [String: ShardWork.FileFacts] = [:]
    func add(_ path: String, _ stamp: FileStamp?, _ digest: SHA256Digest?) {
      guard let stamp, let digest else { return }
      facts[path] = ShardWork.FileFacts(
        byteCount: Int(clamping: stamp.byteCount), modified: Int(truncatingIfNeeded: stamp.modified),
        digest: digest.description)
    }
    for output in outputs {
      for source in output.sources { add(source.path, source.stamp, source.digest) }
      // The digest of a document with entries is computed from the digests of its parts, not from its bytes.
      if output.entries.isEmpty { add(folder.folder.absolute(output.path), output.stamp, output.digest) }
    }
    state.withLock { $0.facts = facts }
  }

  /// Returns the facts about a file at the end of a shard; nil if the shard has not read the file.
  package func facts(of path: String) -> ShardWork.FileFacts? { state.withLock { $0.facts[path] } }

  /// Returns the path of an output without `..`: in `a/../b.png`, the folder `a` need not exist.
  private func path(of output: PlannedOutput) -> String { folder.folder.absolute(folder.place(of: output.path)) }

  /// Returns the outputs that this run has made, without digests.
  private func made(_ now: State, in run: Run, unreadable: Set<String>) -> [RecordedOutput] {
    now.planned.compactMap { key, output in
      let result = output.job.result
      let made = result.outputs[output.index]
      let packed = output.packedPageCount.flatMap { _ in run.options.part.store?.pageCount(ofPack: output.key) }
      let path = path(of: output)
      let time = FileStamp.now
      guard let byteCount = output.byteCount(in: run), let stamp = FileStamp(path: path) else { return nil }
      // A document that lacks pages or failed verification exists, but must be made again. The same applies to an
      // output whose source could not be read at some time, because a part of the output may be missing.
      let isComplete =
        made.failure == nil && result.verification?.isVerified ?? true && packed == output.packedPageCount
        && unreadable.isDisjoint(with: output.recipe.sources)
      var recorded = RecordedOutput(
        key: key, path: folder.place(of: output.path), recipe: isComplete ? output.recipe.text : "",
        pixels: isComplete ? output.recipe.pixels : nil, sources: sources(output.recipe.sources, now), stamp: stamp,
        digest: nil, totalByteCount: byteCount, pages: packed ?? result.pages,
        verification: result.verification?.summary ?? "")
      recorded.isRecent = !stamp.isSettled(at: time)
      recorded.start = Self.start
      recorded.entries = recordedPages(of: output)
      if let inner = output.folder { recorded.folder = folder.place(of: inner) }
      // If another program has changed the file since, the record keeps the stamp of the file that imghost wrote, so
      // that a later run does not replace the changed file.
      if let shown = now.shown[key], !stamp.isRenamed(from: shown) { recorded.stamp = shown.unsettled }
      return recorded
    }
  }

  private static let mostBytesToReadAgain = 16 << 20
  /// The duration in seconds from which a run is so long that a wait of 25 ms does not matter.
  private static let secondsOfLongRun: UInt64 = 2

  /// Adds the digests of files. Omits outputs and measurements whose sources have changed during the run, and outputs
  /// whose own files have changed since they were written.
  ///
  /// - Parameter late: the sources that are known to have changed.
  private func digested(
    _ outputs: [RecordedOutput], _ measurements: [RecordedMeasurement], late: Set<String>, on scheduler: Scheduler
  ) -> ([RecordedOutput], [RecordedMeasurement]) {
    let sources = outputs.flatMap(\.sources) + measurements.flatMap(\.sources)
    var (all, missing) = (PathTable<Bool>(), PathTable<Bool>())
    for source in sources {
      all[source.path] = true
      if source.stamp != nil, source.digest == nil { missing[source.path] = true }
    }
    let needed = missing.paths.sorted()
    let written = outputs.map { (path: folder.folder.absolute($0.path), parts: parts(of: $0)) }
    let digest = state.withLock { $0.digest }
    let found = Mutex(PathTable<PictureDigest>())
    // If names contain digests, two outputs may have the same file.
    let results = Mutex([SHA256Digest?](repeating: nil, count: outputs.count))
    scheduler.parallelFor(needed.count + written.count, qos: .userInitiated) { index in
      if index < needed.count {
        guard let digest = digest?(needed[index]) else { return }
        found.withLock { $0[needed[index]] = digest }
      } else {
        let (path, parts) = written[index - needed.count]
        guard let digest = FileDigest.file(path, parts) else { return }
        results.withLock { $0[index - needed.count] = digest }
      }
    }
    let (sourceDigests, digests) = (found.withLock { $0 }, results.withLock { $0 })
    var after = PathTable<FileStamp>()
    for path in all.paths { after[path] = FileStamp(path: path) }
    func settled(_ sources: [RecordedSource]) -> [RecordedSource]? {
      var settled = sources
      for (index, source) in sources.enumerated() {
        guard let stamp = source.stamp else { continue }
        guard !late.contains(source.path), let found = after[source.path],
          found == stamp || stamp.changed == 0 && found.isRenamed(from: stamp)
        else { return nil }
        if source.digest == nil {
          settled[index] = RecordedSource(path: source.path, stamp: stamp, sourceDigests[source.path])
        }
      }
      return settled
    }
    let measured = measurements.compactMap { measurement -> RecordedMeasurement? in
      guard let sources = settled(measurement.sources) else { return nil }
      return RecordedMeasurement(recipe: measurement.recipe, sources: sources, value: measurement.value)
    }
    let made = zip(outputs, zip(written, digests)).compactMap { output, found -> RecordedOutput? in
      guard let sources = settled(output.sources) else { return nil }
      var output = output
      output.sources = sources
      let (path, parts) = found.0
      if output.stamp.changed != 0 {
        output.digest = found.1
        // An index is valid for one inode: another document with the same name and bytes has replaced this one.
        if parts.isEmpty { output.entries = [] }
        guard FileStamp(path: path) == output.stamp else { return nil }
        if output.isRecent { output.stamp = output.stamp.unsettled }
      }
      if !output.folder.isEmpty {
        let inner = folder.folder.absolute(output.folder)
        output.tree = FileDigest.tree(inner)
        let bytes = FileDigest.files(in: inner, ofBytes: true)
        (output.treeBytes, output.treeFiles) = (bytes?.digest, bytes?.marks ?? [])
      }
      return output
    }
    return (made, measured)
  }
}
