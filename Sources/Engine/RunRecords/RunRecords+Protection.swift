import ImageCore
import ImagePipeline
import Platform
import Sharding

/// Files that outputs must not replace.
extension RunRecords {
  /// Returns the reason for a refusal, with the file's path: the script does not know a name that contains a digest.
  ///
  /// - Parameter path: the path as in records.
  func refusal(of path: String) -> String {
    "'\(printable(folder.folder.absolute(path)))': \(Self.refusal)"
  }

  /// Returns whether the file at a path, with links followed, was changed since an earlier run wrote an output to it;
  /// false with `--overwrite`. Outputs are found even if the script now spells the path in another way.
  func isEdited(_ place: InternedPath) -> Bool {
    guard !options.overwrites else { return false }
    let known = outputs(at: place)
    return !known.isEmpty && known.allSatisfy { condition(of: $0) == .edited }
  }

  /// Returns whether the file at a path, as in records, exists, and is unchanged since one of the outputs recorded for
  /// this path was written.
  func isUnchanged(_ path: String) -> Bool {
    outputs(at: InternedPath(realPathOf: folder.folder.absolute(path))).contains { condition(of: $0) != .edited }
  }

  /// Returns whether a folder that an output would replace contains a file that was changed since an earlier run wrote
  /// it, or that cannot be examined; false with `--overwrite`.
  func holdsEdited(_ inner: String?) -> Bool {
    guard let inner, !options.overwrites, !earlier.isEmpty, FileIdentity(at: inner) != nil else { return false }
    return !FileDigest.hasOnly(in: inner) { !isEdited(InternedPath(realPathOf: inner + "/" + $0)) }
  }

  /// Returns the earlier outputs that were written to an existing file, or have it in their folders. A shard also knows
  /// those of whole runs.
  private func outputs(at place: InternedPath) -> [RecordedOutput] {
    guard !earlier.isEmpty || folder.shard != nil, FileStamp(path: place.text) != nil else { return [] }
    let owners: OutputOwners
    if let known = state.withLock({ $0.owners }) {
      owners = known
    } else {
      owners = OutputOwners(earlier, folder.shard == nil ? nil : folder.outputsOfWholeRuns, in: folder.folder)
      state.withLock { $0.owners = owners }
    }
    return owners.keys(of: place).compactMap { earlier[$0] ?? owners.ofWholeRuns?[$0] }
  }

  package func keeps(_ place: InternedPath, _ path: String) -> Bool {
    // Usually, an output replaces its own earlier file.
    if state.withLock({ $0.keptPaths.isEmpty && $0.keys[place] != nil }) { return false }
    let path = folder.place(of: path)
    let key = RecipeText.escaped(path)
    let number = earlier.find(key)?.number
    return state.withLock { state in
      state.keptPaths.contains(RealPaths.Path(path)) || state.isAsked(key, number) && state.planned[key] == nil
    }
  }

  package func checkName(_ place: InternedPath) throws(PictureError) {
    guard isEdited(place) else { return }
    state.withLock { _ = $0.protected.insert(place) }
    throw .operation(.protected(refusal(of: folder.place(of: place.text))))
  }

  package func willShow(_ place: InternedPath, _ file: stat) throws(PictureError) {
    let now = FileStamp(path: place.text)
    let isLate = state.withLock { state in
      guard let key = state.keys[place], let planned = state.planned[key] else { return false }
      // If the run has replaced another name of the file, only the time of change differs.
      if planned.place == place, let found = state.found.removeValue(forKey: key), found != now, !options.overwrites,
        !(found.flatMap { now?.isRenamed(from: $0) } ?? false)
      {
        state.shown[key] = nil
        return true
      }
      state.shown[key] = FileStamp(file)
      return false
    }
    if isLate {
      throw .operation(
        .protected("the file was changed while the run made another, and stays; run again, or use --overwrite"))
    }
  }
}

/// The keys of recorded outputs by the paths of their files and folders, with links followed.
struct OutputOwners: Sendable {
  private var files: [InternedPath: [String]] = [:]
  private var folders: [InternedPath: [String]] = [:]
  /// The outputs of whole runs, for a shard; otherwise nil.
  let ofWholeRuns: EarlierOutputs?

  init(_ outputs: EarlierOutputs, _ ofWholeRuns: EarlierOutputs?, in folder: ShardFolder) {
    self.ofWholeRuns = ofWholeRuns
    var paths = RealPaths()
    for (_, output) in [outputs, ofWholeRuns ?? EarlierOutputs()].flatMap({ Array($0.all) }) {
      files[paths.place(of: folder.absolute(output.path)), default: []].append(output.key)
      guard !output.folder.isEmpty else { continue }
      folders[paths.place(of: folder.absolute(output.folder)), default: []].append(output.key)
    }
  }

  /// Returns the keys of the outputs that were written to a file, or have it in their folders.
  func keys(of file: InternedPath) -> [String] {
    if let keys = files[file] { return keys }
    guard !folders.isEmpty else { return [] }
    return sequence(first: file.text) { PathName.folder($0).map(String.init) }.lazy
      .compactMap { folders[InternedPath($0)] }.first ?? []
  }
}
