import ImageCore
import ImagePipeline
import Platform
import Synchronization

/// Detects changes of the files from which outputs and measurements are made.
extension RunRecords {
  /// The part of a source that has changed.
  enum Change { case metadata, pixels }

  /// Returns which part of a source has changed since it was recorded; nil if it is unchanged.
  func change(of source: RecordedSource, at path: String) -> Change? {
    let (stamp, digest) = state.withLock { ($0.stamps[path] ?? nil, $0.digests[path]) }
    guard let digest else { return stamp == source.stamp ? nil : .pixels }
    if digest.whole == source.digest { return nil }
    return digest.pixels != nil && digest.pixels == source.pixels ? .metadata : .pixels
  }

  /// Takes the stamps of sources. Computes digests for files that may equal a recorded source, so that renamed and
  /// touched files are recognised.
  func look(
    at sources: [(recipe: OutputRecipe, known: [RecordedSource])],
    _ digest: @escaping @Sendable (String) -> PictureDigest?
  ) {
    var doubtful = PathTable<Bool>()
    state.withLock { state in
      state.digest = digest
      for (recipe, known) in sources {
        let known = known.filter { $0.digest != nil }
        let digests = Dictionary(known.map { ($0.stamp, $0.known) }, uniquingKeysWith: { $1 })
        let sizes = Set(known.map { $0.stamp?.byteCount })
        // If the digest of the pixels is recorded, it shows whether only metadata have changed, even if the file now
        // has another size.
        let isReadable = known.contains { $0.pixels != nil }
        for (index, path) in recipe.sources.enumerated() {
          if state.stamps[path] == nil {
            let found = FileStamp.settled(path: path)
            state.stamps[path] = .some(found?.stamp)
            if found?.isSettled == false { state.unsettled[path] = true }
          }
          guard let stamp = state.stamps[path] ?? nil else {
            state.digests[path] = .missing
            continue
          }
          if recipe.versions.indices.contains(index), let version = recipe.versions[index], !stamp.has(version) {
            state.late[path] = true
          }
          guard state.digests[path] == nil else { continue }
          if let digest = digests[stamp], !options.hashesAll {
            state.digests[path] = digest
          } else if sizes.contains(stamp.byteCount) || isReadable {
            doubtful[path] = true
          } else if !earlier.isEmpty, !options.makesAll {
            // An earlier output may have been made from this file under another name.
            let lookup = self.lookup(&state)
            if let digest = lookup.sources[stamp], !options.hashesAll {
              state.digests[path] = digest
            } else if lookup.sizes.contains(stamp.byteCount) {
              doubtful[path] = true
            }
          }
        }
      }
    }
    let paths = doubtful.paths.sorted()
    let digests = OrderedWork.map(paths, threads: options.threads, digest)
    state.withLock { state in for (path, digest) in zip(paths, digests) { state.digests[path] = digest } }
  }

  /// Returns the reason why an output has to be made even if its file is unchanged; nil if it can be kept.
  func reasonToMake(_ output: PlannedOutput, _ known: RecordedOutput?) -> String? {
    if options.makesAll { return "everything is made" }
    if let reason = output.recipe.reasonToMake { return reason }
    guard let known else { return "it is new" }
    if known.recipe.isEmpty { return "an earlier run did not finish it" }
    if known.recipe != output.recipe.text {
      // A changed picture may change the recipe, too: for example, its new profile has to be converted.
      let changed = zip(known.sources, output.recipe.sources).first { change(of: $0, at: $1) == .pixels }
      let isComparable = known.sources.count == output.recipe.sources.count
      let file = isComparable ? changed.map { [Self.text(of: .pixels, $0, at: $1)] } : nil
      return ((file ?? []) + output.recipe.differences(from: known.recipe)).joined(separator: ", ")
    }
    guard known.sources.count == output.recipe.sources.count else { return "it is made of other files" }
    let changes = zip(known.sources, output.recipe.sources).compactMap { source, path in
      change(of: source, at: path).map { ($0, source, path) }
    }.filter { $0.0 == .pixels || !output.recipe.ignoresMetadata }
    guard let (change, source, path) = changes.first(where: { $0.0 == .pixels }) ?? changes.first else { return nil }
    return Self.text(of: change, source, at: path)
  }

  /// Returns the reason to make an output again after a source has changed, or has become another file.
  private static func text(of change: Change, _ source: RecordedSource, at path: String) -> String {
    switch change {
    case .metadata: "the metadata of '\(printable(path))' has changed"
    case .pixels where RealPaths.Path(source.path) == RealPaths.Path(path): "'\(printable(path))' has changed"
    case .pixels: "it is made of '\(printable(path))' instead of '\(printable(source.path))'"
    }
  }

  package func read(_ path: String, _ version: FileVersion, _ digest: SHA256Digest) {
    state.withLock { state in
      // No check of the inode is needed here: the end of the run compares the whole stamp again.
      guard state.digests[path] == nil, let stamp = state.stamps[path] ?? nil, stamp.has(version) else { return }
      state.read[path] = digest
    }
  }

  /// Returns whether another program has changed a source since this process began, or has made the source's path lead
  /// to another file. The run may have read some facts before the change, and others after it. Files that the run
  /// itself writes are complete before it reads them.
  func isLate(_ path: String, _ state: State) -> Bool {
    guard let stamp = state.stamps[path] ?? nil,
      state.late[path] == true || stamp.changed > ProgramStart.time && stamp.changed <= FileStamp.now
    else { return false }
    return !state.isOwn(InternedPath(realPathOf: path))
  }

  func sources(_ paths: [String], _ state: State) -> [RecordedSource] {
    paths.map { path in
      let stamp = state.stamps[path] ?? nil
      // A digest computed for another purpose covers all bytes, and does not show whether only metadata have changed.
      let digest = state.digests[path] ?? state.read[path].map { PictureDigest(whole: $0, pixels: nil) }
      return RecordedSource(path: path, stamp: state.unsettled[path] == true ? stamp?.unsettled : stamp, digest)
    }
  }
}

extension PlannedOutput {
  /// The sources whose pixels are encoded. If only metadata have changed, a later run can keep the output or reuse the
  /// encoded pixels.
  var encodedSources: [String] {
    (recipe.pixels == nil && !recipe.ignoresMetadata ? [] : recipe.sources)
      + pages.filter(\.isEncoded).flatMap(\.recipe.sources)
  }
}
