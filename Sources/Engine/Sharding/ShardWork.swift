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
  /// The manifest that an earlier run has left with the same script and options; nil if there is none.
  private let earlier: ShardManifest?

  private struct State {
    var packs: [(book: String, path: String, pageCount: Int, isKept: Bool)] = []
    var events: [RunEvent] = []
    var losses: [ShardLoss] = []
    var printed: [String] = []
    var books: [RecordedDocument] = []
    /// The reason why the merge must run the script; nil if it need not.
    var scriptReason: String?
    /// The notes about losses. They are left out of `events`, because the merge reports the losses of all shards
    /// together.
    var told: Set<Diagnostic> = []
  }
  private let state = Mutex(State())

  /// Creates the work of a shard, and looks for a manifest that an earlier run has left.
  package init(_ shard: ShardIndex, _ folder: ShardFolder, _ identity: RunIdentity) {
    self.shard = shard
    self.folder = folder
    self.identity = identity
    found = FileIdentity(at: folder.path)
    // A manifest whose owner is not trusted is ignored.
    let manifest = try? ShardManifest(shard, in: folder)
    earlier = manifest.flatMap { $0.identity == identity ? $0 : nil }
  }

  /// Whether a merge has removed the folder since this run began. This happens if the shard is run twice and the other
  /// run ends first.
  package var isMerged: Bool { found != nil && FileIdentity(at: folder.path) != found }

  package func pack(of path: String) -> String {
    // A missing folder is reported when the pack is written.
    try? folder.make()
    return folder.pack(shard, ofBook: path)
  }

  package func wrote(pack: String, of path: String, pageCount: Int) {
    state.withLock { $0.packs.append((path, pack, pageCount, false)) }
  }

  package func kept(pack: String, of path: String, pageCount: Int) {
    state.withLock { $0.packs.append((path, pack, pageCount, true)) }
  }

  package func pageCount(ofPack path: String) -> Int? {
    state.withLock { $0.packs.first { $0.path == path }?.pageCount }
  }

  package func planned(_ book: RecordedDocument) {
    var book = book
    book.path = folder.relative(book.path)
    state.withLock { $0.books.append(book) }
  }

  package func needScript(_ reason: String) { state.withLock { $0.scriptReason = $0.scriptReason ?? reason } }

  /// Keeps a line that the script prints. Only the first shard keeps lines, because all shards print the same ones.
  package func printed(_ line: String) {
    if shard.number == 0 { state.withLock { $0.printed.append(line) } }
  }

  /// Returns whether the manifest of an earlier run still describes the shard. Called if this run has made nothing.
  package func isDescribed(divisions: [String]) -> Bool {
    guard let earlier else { return false }
    return earlier.status == 0 && earlier.divisions == divisions && earlier.holds(in: folder)
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

  package var madePageCount: Int { state.withLock { $0.packs.reduce(0) { $0 + ($1.isKept ? 0 : $1.pageCount) } } }

  /// Writes the manifest after all outputs are complete.
  ///
  /// - Parameters:
  ///   - scheduler: the scheduler whose workers compute the digests.
  ///   - status: the exit status of the run.
  ///   - notes: likely mistakes that are reported at the end of a run.
  ///   - known: returns the facts of a file that has been read already; nil for any other.
  /// - Throws: `PictureError` if an input or an output can no longer be read, or the manifest cannot be written.
  package func finish(
    _ run: Run, on scheduler: Scheduler, plugins: [(name: String, version: String)], seconds: Double, status: Int,
    notes: [String], known: @escaping @Sendable (String) -> FileFacts?
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
    let files = try digests(of: inputs + written + kept.packs.map(\.path), known, on: scheduler)
    manifest.inputs = zip(inputs, files).map { path, file in
      ShardManifest.Input(path: path, byteCount: file.byteCount, modified: file.modified, digest: file.digest)
    }
    manifest.outputs = zip(made, files.dropFirst(inputs.count)).map { output, file in
      ShardManifest.Output(
        path: folder.relative(output.path), key: key(output), byteCount: file.byteCount,
        totalByteCount: output.byteCount ?? 0, digest: file.digest, isKept: output.isKept)
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
    keepTold(in: &manifest, of: run)
    do throws(FileError) { try folder.make() } catch { throw .file(error) }
    try manifest.write(to: folder.manifest(shard))
  }

  /// Adds the losses that an earlier run has recorded for unchanged inputs, and its notes about unchanged inputs and
  /// kept outputs, so that a merge reports them. Adds nothing if plugins or scripts have changed.
  private func keepTold(in manifest: inout ShardManifest, of run: Run) {
    guard let earlier, earlier.plugins.elementsEqual(manifest.plugins, by: ==) else { return }
    let before = Dictionary(earlier.inputs.map { ($0.path, $0.digest) }, uniquingKeysWith: { first, _ in first })
    let unchanged = Set(manifest.inputs.filter { before[$0.path] == $0.digest }.map(\.path))
    guard unchanged.isSuperset(of: run.graph.inputs.scripts) else { return }
    for loss in earlier.losses {
      let told = manifest.losses.filter { $0.subject == loss.subject && $0.text == loss.text }.flatMap(\.files)
      let files = loss.files.filter { unchanged.contains($0) && !told.contains($0) }
      if !files.isEmpty { manifest.losses.append(ShardLoss(subject: loss.subject, text: loss.text, files: files)) }
    }
    let kept = Set(run.jobs.flatMap(\.result.outputs).filter(\.isKept).map(\.path))
    for case .note(let note) in earlier.events {
      guard let file = note.file, unchanged.contains(file) || kept.contains(file) else { continue }
      let isTold = manifest.events.contains { if case .note(note) = $0 { true } else { false } }
      if !isTold { manifest.events.append(.note(note)) }
    }
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

  /// The facts that a manifest states about a file.
  package struct FileFacts: Sendable {
    var byteCount = 0
    var modified = 0
    var digest = ""

    package init(byteCount: Int, modified: Int, digest: String) {
      (self.byteCount, self.modified, self.digest) = (byteCount, modified, digest)
    }

    fileprivate init() {}

    fileprivate func areCurrent(for path: String) -> Bool {
      FileVersion(path: path).map { Int($0.byteCount) == byteCount && Int($0.modified) == modified } ?? false
    }
  }

  private func digests(
    of paths: [String], _ known: @escaping @Sendable (String) -> FileFacts?, on scheduler: Scheduler
  ) throws(PictureError) -> [FileFacts] {
    let results = Mutex([Result<FileFacts, PictureError>](repeating: .success(FileFacts()), count: paths.count))
    scheduler.parallelFor(paths.count, qos: .userInitiated) { index in
      let path = paths[index]
      let result = Result { () throws(PictureError) in
        if let facts = known(path), facts.areCurrent(for: path) { return facts }
        return try Self.facts(of: path)
      }
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

  static let host: String = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    return PathBytes.text(name)
  }()
}

extension ShardManifest {
  /// Returns whether all inputs in the manifest are unchanged, and all outputs and packs have the same sizes.
  package func holds(in folder: ShardFolder) -> Bool {
    changedInput == nil && lostFile(in: folder) == nil
  }

  var changedInput: String? { inputs.first { !$0.isSame }?.path }

  /// Returns the first output or pack that is missing or has another size; nil if there is none.
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
