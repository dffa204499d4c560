import ImageCore
import ImagePipeline
import Platform

/// Checks the manifests of a folder one after another, and collects their results.
///
/// A folder may contain manifests with another number of shards from an earlier attempt.
struct ManifestCheck {
  /// The shards of one total number, such as 8 for shard 3 of 8, whose manifests agree with the run.
  struct Shards {
    /// The manifest of the first of these shards, without its lists. The manifests of the others must agree with it.
    fileprivate var first: ShardManifest?
    /// The reasons why these shards must run again, by the shard's number; nil for a shard that need not.
    fileprivate var reasons: [Int: String?] = [:]
    /// The shards whose manifests list outputs.
    private(set) var listing: [ShardIndex] = []
    /// The paths of packs by the paths of their books.
    private(set) var packs: [String: [String]] = [:]
    /// The failures and notes of all shards, without duplicates.
    private(set) var events: [RunEvent] = []
    private var told: Set<Diagnostic> = []
    private(set) var losses: [ShardLoss] = []
    private(set) var printed: [String] = []
    private var merge: ShardManifest.Merge?
    private var hasFailed = false
    private var hasCancelled = false

    fileprivate mutating func add(_ checked: CheckedManifest, _ manifest: ShardManifest, in folder: ShardFolder) {
      if first == nil {
        first = manifest.withoutLists
        printed = manifest.printed
        merge = manifest.merge
      }
      if checked.hasOutputs { listing.append(checked.shard) }
      for pack in manifest.packs {
        packs[folder.absolute(pack.book), default: []].append(folder.path + "/" + pack.file)
      }
      for event in manifest.events {
        if case .failed(let diagnostic) = event, told.insert(diagnostic).inserted { events.append(event) }
        if case .note(let diagnostic) = event, told.insert(diagnostic).inserted { events.append(event) }
      }
      losses += manifest.losses
      hasFailed = hasFailed || !manifest.failures.isEmpty
      hasCancelled = hasCancelled || checked.hasCancelled
      // Only the script knows which results may differ from run to run.
      if merge != manifest.merge { merge = .script("a script that differs from run to run") }
    }

    /// Returns the manifest that records the books, and their names, for messages; nil if no books are recorded.
    func recordOrigin(in folder: ShardFolder) -> RecordOrigin? {
      guard let first, case .packs(let record)? = merge, !record.documents.isEmpty else { return nil }
      return RecordOrigin(file: folder.manifest(first.shard), books: record.documents.map(\.path))
    }

    /// Returns the record that allows a merge without running the script; nil if the script must run.
    ///
    /// - Throws: the first book outside the folder of outputs.
    func record(_ identity: RunIdentity, in folder: ShardFolder) throws(RefusedDocument) -> MergeRecord? {
      guard case .packs(var record)? = merge, !hasCancelled,
        !hasFailed || identity.options.contains("--on-error continue")
      else { return nil }
      // Only the script may name a book outside the folder: a person who can write a manifest must not be able to
      // choose a file elsewhere.
      if let index = record.documents.firstIndex(where: { !ShardManifest.isInside($0.path) }) {
        throw RefusedDocument(index, "it lies outside '\(printable(folder.outputFolder))'")
      }
      for index in record.documents.indices {
        record.documents[index].path = folder.absolute(record.documents[index].path)
      }
      return record
    }
  }

  private let folder: ShardFolder
  private let identity: RunIdentity
  private var counts: Set<Int> = []
  private var shards: [Int: Shards] = [:]
  private var stale: [ShardIndex: String] = [:]
  /// The time of the latest manifest for each number of shards, in seconds since 1970.
  private var newest: [Int: Int] = [:]

  init(_ folder: ShardFolder, _ identity: RunIdentity) {
    self.folder = folder
    self.identity = identity
  }

  mutating func add(_ checked: CheckedManifest) {
    let shard = checked.shard
    counts.insert(shard.count)
    var status = stat()
    if stat(checked.path, &status) == 0 {
      newest[shard.count] = max(newest[shard.count] ?? 0, Int(status.modificationTime.tv_sec))
    }
    if let refusal = checked.refusal {
      stale[shard] = "is refused: " + refusal
      return
    }
    guard let manifest = checked.manifest else {
      stale[shard] = "is outdated: its manifest is damaged"
      return
    }
    if let difference = identity.difference(from: manifest.identity, on: manifest.host) {
      stale[shard] = "is outdated: " + difference
      return
    }
    shards[shard.count, default: Shards()].add(checked, manifest, in: folder)
    let first = shards[shard.count]?.first ?? manifest
    shards[shard.count]?.reasons[shard.number] = .some(Self.problem(checked, manifest, first))
  }

  /// The candidates for the run's number of shards.
  private var current: [Int] { shards.isEmpty ? counts.sorted() : shards.keys.sorted() }
  private var complete: [Int] { current.filter { shards[$0]?.reasons.count == $0 } }

  /// The run's number of shards: the only one that is complete, or else the only candidate; nil if it is not clear.
  private var count: Int? { complete.count == 1 ? complete[0] : current.count == 1 ? current[0] : nil }

  /// The shards of the run; nil if their number is not clear, or if no manifest agrees with the run.
  var agreeing: Shards? { count.flatMap { shards[$0] } }

  /// Returns the problems that prevent a merge, one per line.
  func problems(_ command: (ShardIndex) -> String) -> [String] {
    guard let count else { return [ambiguity] }
    let reasons = shards[count]?.reasons ?? [:]
    return (0..<count).compactMap { number in
      guard let shard = ShardIndex(number, of: count) else { return nil }
      let reason: String?
      if let known = reasons[number] {
        reason = known.map { "is outdated: " + $0 }
      } else {
        reason = stale[shard] ?? "is missing: it has left no manifest"
      }
      return reason.map { "shard \(shard) \($0); run it again: \(command(shard))" }
    }
  }

  /// The message that the folder has manifests of several runs, with a command that removes all but the latest.
  private var ambiguity: String {
    let numbers = current.map(String.init)
    let last = current.max { (newest[$0] ?? 0) < (newest[$1] ?? 0) } ?? 1
    let name = "'" + printable(folder.path).replacing("'", with: "'\\''") + "'"
    let others = current.filter { $0 != last }.map { "\(name)/shard-*-of-\($0).*" }
    return "\(name) has manifests of runs in \(numbers.dropLast().joined(separator: ", ")) and \(numbers.last ?? "") "
      + "shards, and it is not clear which to merge; name one, such as --shards \(last) for the last one, or remove the "
      + "files of the others: rm \(others.joined(separator: " "))"
  }

  /// Returns why a shard must run again; nil if it need not.
  private static func problem(_ checked: CheckedManifest, _ manifest: ShardManifest, _ first: ShardManifest) -> String?
  {
    if let difference = difference(manifest, first) { return difference }
    if let input = checked.changedInput { return "'\(printable(input))' has changed since the shard read it" }
    if let file = checked.lostFile { return "'\(printable(file))' is not there as the shard wrote it" }
    return nil
  }

  /// Returns the difference, as a clause, between the plugins or the divisions of a shard and those of the first shard;
  /// nil if they agree.
  private static func difference(_ manifest: ShardManifest, _ first: ShardManifest) -> String? {
    for plugin in manifest.plugins {
      guard let other = first.plugins.first(where: { $0.name == plugin.name }), other.version != plugin.version else {
        continue
      }
      return "plugin '\(printable(plugin.name))' was \(printable(plugin.version)) on \(printable(manifest.host)) and "
        + "\(printable(other.version)) on \(printable(first.host)) (shard \(first.shard)); install the same version"
    }
    guard manifest.divisions == first.divisions else {
      return "on \(printable(manifest.host)) it was to make other outputs than shard \(first.shard) on "
        + "\(printable(first.host)) (pictures were added or changed, or names differ from run to run)"
    }
    return nil
  }
}

extension ShardManifest {
  /// The manifest without its lists of packs, events, losses and printed lines. `CheckedManifest` has already removed
  /// the lists of inputs and outputs.
  fileprivate var withoutLists: ShardManifest {
    var brief = self
    (brief.packs, brief.events, brief.losses, brief.printed) = ([], [], [], [])
    return brief
  }
}

/// The manifest from which a record was read, and the names of its books, for messages.
struct RecordOrigin {
  let file: String
  /// The paths as in the manifest.
  let books: [String]

  /// Returns the problem with a record that lacks the book at a path; nil if the record contains the book.
  ///
  /// - Parameter refused: the book that prevented a merge from using the record.
  func problem(besides path: String, in folder: ShardFolder, refused: RefusedDocument?) -> String? {
    guard !books.contains(where: { folder.absolute($0) == path }) else { return nil }
    let index = refused?.index ?? 0
    let reason = refused.map { $0.reason.isEmpty ? ", which is no book" : " (\($0.reason))" } ?? ""
    return "merge.books[\(index)] in '\(printable(file))' is '\(printable(books[index]))'\(reason), and this book is "
      + "not there: the file was changed after the shard had written it; run the shards again"
  }
}
