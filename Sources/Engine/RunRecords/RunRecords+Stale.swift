import ImageCore
import ImagePipeline
import Platform
import Synchronization

/// Outputs that a script no longer makes.
extension RunRecords {
  /// An output of an earlier run that the script no longer makes.
  package struct Stale: Sendable {
    package let path: String
    /// The folder with further files of the output; nil if there is none.
    package let folder: String?
    /// Whether the output may be removed: it is unchanged since imghost wrote it, and is in the folder of outputs.
    package let isRemovable: Bool
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
    var past = earlier.all.compactMap { now.isAsked($1.key, $0) ? nil : $1 } + renamed
    guard !past.isEmpty else { return [] }
    // A file whose name contains its digest may be an earlier version of one output, and the present one of another.
    let keys = Set(renamed.map(\.key))
    let present = Set(
      earlier.all.lazy.filter { now.isAsked($1.key, $0) && !keys.contains($1.key) }.map { RealPaths.Path($1.path) })
    var seen: Set<RealPaths.Path> = []
    past.removeAll { present.contains(RealPaths.Path($0.path)) || !seen.insert(RealPaths.Path($0.path)).inserted }
    let foreign = pathsOfOtherScripts()
    let paths = run.jobs.flatMap(\.result.outputs).map(\.path)
    let used = Set((now.stamps.paths + paths).compactMap { FileIdentity(at: $0) })
    let outer = InternedPath(realPathOf: folder.folder.outputFolder + "/x").folderText
    return past.sorted { $0.path < $1.path }.compactMap { output in
      let path = folder.folder.absolute(output.path)
      let inner = output.folder.isEmpty ? nil : folder.folder.absolute(output.folder)
      let hasOwnFolder =
        inner.map {
          (path == $0 + "/info.json" || path.hasSuffix(".dzi") && $0 == path.dropLast(4) + "_files")
            && !FileStamp.isLink($0) && InternedPath(realPathOf: $0).text.hasPrefix(outer)
        } ?? true
      if folderLeft(of: output) != nil, !foreign.contains(RealPaths.Path(output.path)) {
        return Stale(path: path, folder: inner, isRemovable: hasOwnFolder && hasOnlyTiles(output))
      }
      guard let stamp = FileStamp(path: path), let identity = FileIdentity(at: path), !used.contains(identity),
        !run.fileRegister.isRead(identity), !FileStamp.isLink(path), !foreign.contains(RealPaths.Path(output.path))
      else { return nil }
      let found = condition(of: output)
      let isWritten = [.asWritten, .touched(stamp), .touched(stamp.unsettled), .outdated].contains(found)
      // A record may come from an untrusted archive. Therefore, it can cause the removal only of files in the folder of
      // outputs, and of the folder that belongs to such a file.
      let isInside = InternedPath(realPathOf: path).text.hasPrefix(outer)
      return Stale(
        path: path, folder: inner, isRemovable: isWritten && isInside && hasOwnFolder && hasOnlyTiles(output))
    }
  }

  /// Returns whether the folder of an output, if it has one, contains nothing but files whose names are those of tiles.
  func hasOnlyTiles(_ output: RecordedOutput) -> Bool {
    output.folder.isEmpty
      || FileDigest.hasOnly(
        in: folder.folder.absolute(output.folder)
      ) { OutputRemoval.isTile($0, describedBy: output.path) }
  }

  /// Returns the stamp of an output's folder if only the folder is there, and no file in it is newer than the journal:
  /// the run was killed before the file that describes the folder received its name. Nil otherwise.
  func folderLeft(of output: RecordedOutput) -> FileStamp? {
    guard output.tree == nil, !output.folder.isEmpty, FileStamp(path: folder.folder.absolute(output.path)) == nil else {
      return nil
    }
    let inner = folder.folder.absolute(output.folder)
    var status = stat()
    // An earlier folder, which the killed run has not replaced, may be from another program.
    guard PathBytes.withBytes(of: inner, { lstat($0, &status) }) == 0,
      let stamp = ([output.stamp] + output.replaced).first(where: { $0.inode == UInt64(status.st_ino) })
    else { return nil }
    return FileDigest.hasFile(in: inner, newerThan: output.noted) ? nil : stamp.modified(at: output.noted)
  }
}
