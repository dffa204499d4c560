import ImageCore
import ImagePipeline
import Platform
import Synchronization

extension RunRecords {
  /// An output of an earlier run that the script no longer makes.
  package struct Stale: Sendable {
    package let path: String
    /// The folder with further files of the output; nil if there is none.
    package let folder: String?
    /// Whether the output may be removed: it is unchanged since imghost wrote it, and is in the folder of outputs.
    package let isRemovable: Bool
    /// Whether the folder also has outputs that this script or another one still makes.
    package var isShared = false
  }

  /// Returns the paths of the outputs that other scripts have recorded. The records are read only once in a run.
  func pathsOfOtherScripts() -> Set<RealPaths.Path> {
    state.withLock { state in
      let paths = state.foreign ?? StoredRecords.paths(butOf: folder)
      state.foreign = paths
      return paths
    }
  }

  /// Returns the outputs of earlier runs that the script no longer makes, except files that it reads, that it writes by
  /// another name, or that other scripts make.
  package func stale(after run: Run) -> [Stale] {
    let now = state.withLock { $0 }
    // Usually, the script has requested all earlier outputs again, unchanged.
    if now.unchanged.count == earlier.count { return [] }
    // If the name of an output contains a digest, the changed output has another name.
    let renamed = now.planned.compactMap { key, planned -> RecordedOutput? in
      guard planned.place == nil, planned.byteCount(in: run) != nil, let known = earlier[key] else { return nil }
      return known.path == folder.place(of: planned.path) ? nil : known
    }
    let cancelled = now.planned.compactMap { key, planned in
      planned.job.result.outputs[planned.index].isCancelled ? earlier[key] : nil
    }
    var past = earlier.all.compactMap { now.isAsked($1.key, $0) ? nil : $1 } + renamed + cancelled
    if !run.failures.isEmpty {
      // The script still makes the outputs of jobs that a failure has cancelled.
      let left = Set(run.jobs.flatMap(\.result.outputs).filter(\.isCancelled).map { folder.key($0.key) })
      past.removeAll { left.contains($0.key) }
    }
    if !now.protected.isEmpty {
      past.removeAll { now.protected.contains(InternedPath(realPathOf: folder.folder.absolute($0.path))) }
    }
    guard !past.isEmpty else { return [] }
    // A file whose name contains its digest may be an earlier version of one output, and the present one of another.
    let present = PresentOutputs(self, now, run, but: Set((renamed + cancelled).map(\.key)))
    var seen: Set<RealPaths.Path> = []
    past.removeAll { present.has($0.path) || !seen.insert(RealPaths.Path($0.path)).inserted }
    let foreign = pathsOfOtherScripts()
    let outer = InternedPath(realPathOf: folder.folder.outputFolder + "/x").folderText
    lazy var parents = Set(
      present.paths.union(foreign).flatMap { PresentOutputs.parents(of: $0.text) }.map(RealPaths.Path.init))
    return past.sorted { $0.path < $1.path }.compactMap { output in
      let path = folder.folder.absolute(output.path)
      let inner = output.folder.isEmpty ? nil : folder.folder.absolute(output.folder)
      guard !foreign.contains(RealPaths.Path(output.path)) else { return nil }
      let hasOwnFolder =
        inner.map {
          (path == $0 + "/info.json" || path.hasSuffix(".dzi") && $0 == path.dropLast(4) + "_files")
            && !FileStamp.isLink($0) && InternedPath(realPathOf: $0).text.hasPrefix(outer) && hasOnlyTiles(output)
        } ?? true
      if inner != nil, isShared(output, by: { present.has($0) || foreign.contains(RealPaths.Path($0)) }) {
        return Stale(path: path, folder: inner, isRemovable: false, isShared: true)
      }
      if folderLeft(of: output) != nil { return Stale(path: path, folder: inner, isRemovable: hasOwnFolder) }
      guard let stamp = FileStamp(path: path), let identity = FileIdentity(at: path), !FileStamp.isLink(path) else {
        // A link, a folder or a pipe has replaced the file.
        var status = stat()
        return lstat(path, &status) == 0 && !parents.contains(RealPaths.Path(output.path))
          ? Stale(path: path, folder: nil, isRemovable: false) : nil
      }
      guard !present.identities.contains(identity), !run.fileRegister.isRead(identity) else { return nil }
      let found = condition(of: output)
      let isWritten = [.asWritten, .touched(stamp), .touched(stamp.unsettled), .outdated].contains(found)
      // A record may come from an untrusted archive. Therefore, it can cause the removal only of files in the folder of
      // outputs, and of the folder that belongs to such a file.
      let isInside = InternedPath(realPathOf: path).text.hasPrefix(outer)
      return Stale(path: path, folder: inner, isRemovable: isWritten && isInside && hasOwnFolder)
    }
  }

  /// The outputs that the script makes now.
  private struct PresentOutputs {
    /// The paths of files, as in records.
    private(set) var paths: Set<RealPaths.Path> = []
    /// The paths of folders with further files.
    private var folders: Set<RealPaths.Path> = []
    /// The files that the run has written, kept or read.
    let identities: Set<FileIdentity>

    /// - Parameter keys: the keys of earlier outputs to leave out: those of outputs that now have another name or were
    ///   cancelled.
    init(_ records: RunRecords, _ now: State, _ run: Run, but keys: Set<String>) {
      for (number, output) in records.earlier.all where now.isAsked(output.key, number) && !keys.contains(output.key) {
        paths.insert(RealPaths.Path(output.path))
        if !output.folder.isEmpty { folders.insert(RealPaths.Path(output.folder)) }
      }
      for planned in now.planned.values where !planned.job.result.outputs[planned.index].isCancelled {
        paths.insert(RealPaths.Path(records.folder.place(of: planned.path)))
        // A pyramid of tiles that was not written does not own the files in its folder.
        guard let folder = planned.folder, planned.byteCount(in: run) != nil else { continue }
        folders.insert(RealPaths.Path(records.folder.place(of: folder)))
      }
      let written = run.jobs.flatMap(\.result.outputs).filter { !$0.isCancelled }.map(\.path)
      identities = Set((now.stamps.paths + written).compactMap { FileIdentity(at: $0) })
    }

    /// Returns the folders that contain a file, from the innermost to the outermost.
    static func parents(of path: String) -> [String] {
      Array(sequence(first: path) { PathName.folder($0).map(String.init) }.dropFirst())
    }

    /// Returns whether a path is that of an output's file, or is inside an output's folder.
    func has(_ path: String) -> Bool {
      if paths.contains(RealPaths.Path(path)) { return true }
      guard !folders.isEmpty else { return false }
      return Self.parents(of: path).contains { folders.contains(RealPaths.Path($0)) }
    }
  }

  /// Returns whether the folder of an output, if it has one, contains nothing but files whose names are those of tiles.
  func hasOnlyTiles(_ output: RecordedOutput) -> Bool {
    output.folder.isEmpty
      || FileDigest.hasOnly(
        in: folder.folder.absolute(output.folder)
      ) { OutputRemoval.isTile($0, describedBy: output.path) }
  }

  /// Returns whether the folder of an output contains a file of another output.
  ///
  /// - Parameter isOther: returns whether a file, by its path as in records, belongs to another output.
  private func isShared(_ output: RecordedOutput, by isOther: (String) -> Bool) -> Bool {
    var isFound = false
    _ = FileDigest.hasOnly(in: folder.folder.absolute(output.folder)) { name in
      isFound = isOther(output.folder + "/" + name)
      return !isFound
    }
    return isFound
  }

  /// Returns the stamp of an output's folder if only the folder is there, and no file in it is newer than `noted`: the
  /// run was killed before the file that describes the folder received its name. Nil otherwise.
  func folderLeft(of output: RecordedOutput) -> FileStamp? {
    guard output.tree == nil, !output.folder.isEmpty, FileStamp(path: folder.folder.absolute(output.path)) == nil else {
      return nil
    }
    let inner = folder.folder.absolute(output.folder)
    var status = stat()
    // An earlier folder, which the killed run has not replaced, may be from another program.
    guard lstat(inner, &status) == 0,
      let stamp = ([output.stamp] + output.replaced).first(where: { $0.inode == UInt64(status.st_ino) })
    else { return nil }
    return FileDigest.hasFile(in: inner, newerThan: output.noted) ? nil : stamp.modified(at: output.noted)
  }
}
