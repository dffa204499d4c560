import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Synchronization

/// The work of one shard: the location of its packs, and the content of its manifest. Used from any thread.
package final class ShardWork: ShardStore {
  package let shard: ShardIndex
  package let folder: ShardFolder
  private let identity: RunIdentity
  /// The folder's identity at the beginning; nil if it did not exist.
  private let found: FileIdentity?
  /// The manifest of an earlier run that is still valid; nil if there is none.
  private let earlier: ShardManifest?

  private struct State {
    var packs: [(book: String, path: String, pageCount: Int)] = []
    var events: [RunEvent] = []
    var losses: [ShardLoss] = []
    var printed: [String] = []
    var books: [RecordedDocument] = []
    /// The reason why the merge must run the script; nil if it need not.
    var scriptReason: String?
    /// Notes about losses, which the merge combines for all shards.
    var told: Set<Diagnostic> = []
  }
  private let state = Mutex(State())

  /// Looks for a valid manifest of an earlier run.
  package init(_ shard: ShardIndex, _ folder: ShardFolder, _ identity: RunIdentity) {
    self.shard = shard
    self.folder = folder
    self.identity = identity
    found = FileIdentity(at: folder.path)
    // A manifest whose owner is not trusted is ignored, so that the shard runs again.
    let manifest = try? ShardManifest(shard, in: folder)
    earlier = manifest.flatMap { manifest in
      manifest.status == 0 && manifest.identity == identity && manifest.holds(in: folder) ? manifest : nil
    }
  }

  /// Whether a merge has removed the folder since this run began, because the shard was run twice and the other run was
  /// faster.
  package var isMerged: Bool { found != nil && FileIdentity(at: folder.path) != found }

  package func pack(of path: String) -> String {
    // A missing folder is reported when the pack is written.
    try? folder.make()
    return folder.pack(shard, ofBook: path)
  }

  package func wrote(pack: String, of path: String, pageCount: Int) {
    state.withLock { $0.packs.append((path, pack, pageCount)) }
  }

  package func planned(_ book: RecordedDocument) {
    var book = book
    book.path = folder.relative(book.path)
    state.withLock { $0.books.append(book) }
  }

  package func needScript(_ reason: String) { state.withLock { $0.scriptReason = $0.scriptReason ?? reason } }

  /// Keeps a line that the script prints. Only one shard does, because all print the same lines.
  package func printed(_ line: String) {
    if shard.number == 0 { state.withLock { $0.printed.append(line) } }
  }

  package func isDone(division: String, batch: Int) -> Bool {
    guard let earlier, batch < earlier.divisions.count else { return false }
    return earlier.divisions[batch] == division
  }

  /// Keeps a failure or a note for the merge.
  package func observe(_ event: RunEvent) {
    switch event {
    case .failed: state.withLock { $0.events.append(event) }
    case .note(let note): state.withLock { if !$0.told.contains(note) { $0.events.append(event) } }
    default: break
    }
  }

  package func lost(_ loss: ShardLoss, told note: Diagnostic) {
    state.withLock { state in
      state.losses.append(loss)
      state.told.insert(note)
    }
  }

  package var packedPageCount: Int { state.withLock { $0.packs.reduce(0) { $0 + $1.pageCount } } }

  /// Writes the manifest after all outputs are complete.
  ///
  /// - Parameters:
  ///   - scheduler: the scheduler whose workers compute the digests.
  ///   - status: the exit status of the run.
  ///   - notes: likely mistakes that are reported at the end of a run.
  /// - Throws: `PictureError` if an input or an output can no longer be read, or the manifest cannot be written.
  package func finish(
    _ run: Run, on scheduler: Scheduler, plugins: [(name: String, version: String)], seconds: Double, status: Int,
    notes: [String]
  ) throws(PictureError) {
    var manifest = ShardManifest(
      identity, shard, divisions: run.division.digests, plugins: plugins, host: Self.host, seconds: seconds,
      status: status)
    let kept = state.withLock { $0 }
    manifest.events = kept.events
    manifest.losses = kept.losses
    manifest.keepPrinted(kept.printed)
    manifest.merge = merge(of: run, kept, notes)
    let outputs = run.jobs.flatMap(\.result.outputs)
    let made = outputs.filter { $0.byteCount != nil }
    let written = made.map(\.path)
    let inputs = run.shardInputs.sorted()
    let files = try digests(of: inputs + written + kept.packs.map(\.path), on: scheduler)
    manifest.inputs = zip(inputs, files).map { path, file in
      ShardManifest.Input(path: path, byteCount: file.byteCount, modified: file.modified, digest: file.digest)
    }
    manifest.outputs = zip(made, files.dropFirst(inputs.count)).map { output, file in
      ShardManifest.Output(
        path: folder.relative(output.path), key: key(output), byteCount: file.byteCount,
        totalByteCount: output.byteCount ?? 0,
        digest: file.digest)
    }
    manifest.outputs += outputs.compactMap { output in
      output.failure.map { ShardManifest.Output(path: folder.relative(output.path), key: key(output), failure: $0) }
    }
    for output in outputs where output.isCancelled {
      manifest.outputs.append(
        ShardManifest.Output(path: folder.relative(output.path), key: key(output), isCancelled: true))
    }
    manifest.packs = zip(kept.packs, files.dropFirst(inputs.count + written.count)).map { pack, file in
      ShardManifest.Pack(
        book: folder.relative(pack.book), file: String(PathName.name(pack.path)), byteCount: file.byteCount,
        digest: file.digest, pageCount: pack.pageCount)
    }
    do throws(FileError) { try folder.make() } catch { throw .file(error) }
    try manifest.write(to: folder.manifest(shard))
  }

  private func merge(of run: Run, _ kept: State, _ notes: [String]) -> ShardManifest.Merge {
    if let reason = kept.scriptReason { return .script(reason) }
    if run.jobs.isEmpty { return .script("a script without outputs") }
    var record = MergeRecord()
    (record.documents, record.notes) = (kept.books, notes)
    record.pictureCount = run.division.pictureCount
    record.sourceCount = run.graph.sourceCount
    record.requestedCount = run.options.requested.value
    return .packs(record)
  }

  private func key(_ output: Job.Output) -> String? { output.key == output.path ? nil : folder.relative(output.key) }

  private struct FileFacts: Sendable {
    var byteCount = 0
    var modified = 0
    var digest = ""
  }

  private func digests(of paths: [String], on scheduler: Scheduler) throws(PictureError) -> [FileFacts] {
    let results = Mutex([Result<FileFacts, PictureError>](repeating: .success(FileFacts()), count: paths.count))
    scheduler.parallelFor(paths.count, qos: .userInitiated) { index in
      let result = Result { () throws(PictureError) in try Self.facts(of: paths[index]) }
      results.withLock { $0[index] = result }
    }
    var facts: [FileFacts] = []
    for result in results.withLock({ $0 }) { facts.append(try result.get()) }
    return facts
  }

  private static func facts(of path: String) throws(PictureError) -> FileFacts {
    let file: InputFile
    do throws(FileError) { file = try InputFile(path: path) } catch { throw .file(error) }
    return FileFacts(
      byteCount: file.byteCount, modified: Int(file.version.modified),
      digest: try SHA256.digest(of: file, count: file.byteCount).description)
  }

  /// The name of this machine.
  static let host: String = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    return PathBytes.text(name)
  }()
}

extension ShardManifest {
  /// Returns whether all files in the manifest are unchanged.
  package func holds(in folder: ShardFolder) -> Bool {
    changedInput == nil && lostFile(in: folder) == nil
  }

  /// The first input that has changed since the shard read it; nil if all are unchanged.
  var changedInput: String? { inputs.first { !$0.isSame }?.path }

  /// Returns the first output or pack that is missing or has changed; nil if there is none.
  func lostFile(in folder: ShardFolder) -> String? {
    for output in outputs where output.failure == nil && !output.isCancelled {
      let path = folder.absolute(output.path)
      if FileVersion(path: path).map({ Int($0.byteCount) }) != output.byteCount { return path }
    }
    for pack in packs {
      let path = folder.path + "/" + pack.file
      if FileVersion(path: path).map({ Int($0.byteCount) }) != pack.byteCount { return path }
    }
    return nil
  }
}

extension ShardManifest.Input {
  /// Whether the file's bytes are unchanged. The file is read again only if its modification time has changed.
  fileprivate var isSame: Bool {
    guard let version = FileVersion(path: path), Int(version.byteCount) == byteCount else { return false }
    if Int(version.modified) == modified { return true }
    guard let file = try? InputFile(path: path) else { return false }
    return (try? SHA256.digest(of: file, count: file.byteCount))?.description == digest
  }
}
