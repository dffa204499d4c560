import CExitCleanup
import ImageCore
import Platform

/// The temporary files of this process, and those that dead processes have left behind. The files of this process are
/// removed even if a signal other than SIGKILL ends it.
package enum TemporaryFiles {
  /// The number of seconds without a write after which a run whose locks are not visible counts as dead.
  private static let longestSilence = 86_400

  /// Creates a temporary file that only this user can read, in the folder named by `TMPDIR`, or else in `/tmp`.
  package static func make() throws(FileError) -> TemporaryFile {
    let folder = temporaryFolder
    var paths = RealPaths()
    do throws(FileError) {
      return try TemporaryFile(in: OutputFolder.open(paths.folder(folder), for: folder), for: folder, mode: 0o600)
    } catch { throw .temporary(error.code) }
  }

  /// Closes a temporary file, and removes it unless it has been renamed.
  package static func end(_ file: TemporaryFile, isRenamed: Bool = false) {
    if !isRenamed { file.unlink() }
    file.forget()
    close(file.descriptor)
  }

  /// Adds eight digits for a shard or merge to the names of temporary files. If the machine of a shard or merge dies,
  /// the same shard or merge is started on another machine, which can then recognise and remove the files that were
  /// left behind. Called before the first file is created.
  package static func setShard(_ text: String) { TemporaryName.setShard(text) }

  /// Digits that identify the machine and its current boot.
  package static var machine: String { TemporaryName.machine }

  /// Returns whether a file has the name of a temporary file, of this or another machine.
  package static func isTemporary(_ name: String) -> Bool { TemporaryName.origin(of: name).isOurs }

  /// Whether this process's temporary files take half of the open files that the system allows. A picture then starts
  /// no file after its first until another pass. The other half is for files that are read, and for first files.
  static var areMany: Bool { Int(cexitcleanup_file_count()) >= mostFiles }

  /// Standard streams, plugin workers and similar uses take 32 descriptors.
  private static let mostFiles = max(1, (ResourceLimit.openFiles.soft - 32) / 2)

  /// Removes all temporary files and prevents new ones, and removes the folders that were created for failed outputs.
  /// Called when the process ends, from any thread.
  package static func removeAll() {
    cexitcleanup_remove_files()
    TemporaryTree.removeAll()
    OutputFolder.removeEmpty()
  }

  /// Removes the files of dead runs in the folders of outputs, even if this run writes into none of them.
  package static func removeAbandoned(inFoldersOf outputs: [String]) {
    var paths = RealPaths()
    for path in Set(outputs.map { PathName.folder($0).map(String.init) ?? "" }) {
      let folder = paths.folder(path)
      guard FileIdentity(at: folder.isEmpty ? "/" : folder) != nil else { continue }
      _ = try? OutputFolder.open(folder, for: path)
    }
  }

  /// Removes the temporary files that dead runs have left in a folder, but not those of living runs.
  static func removeAbandoned(in folder: OutputFolder) {
    let listed = openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listed >= 0 else { return }
    guard let stream = fdopendir(listed) else {
      close(listed)
      return
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      // The first byte already rules out most other files.
      guard entry.pointee.d_name.0 == CChar(UInt8(ascii: ".")) else { continue }
      let name = entryName(entry)
      let origin = TemporaryName.origin(of: name)
      if origin.isOurs { removeIfAbandoned(name, isKnown: origin.isKnown, folder) }
    }
  }

  private static func removeIfAbandoned(_ name: String, isKnown: Bool, _ folder: OutputFolder) {
    let descriptor = openat(
      folder.descriptor, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == EISDIR else { return }
      return TemporaryTree.removeIfAbandoned(name, in: folder) { isDead($0, isKnown) }
    }
    defer { close(descriptor) }
    var status = stat()
    // On a file system without locks, it is unknown which runs are alive, so the files stay.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      flock(descriptor, LOCK_EX | LOCK_NB) == 0, isDead(status, isKnown)
    else { return }
    // Its writer may have renamed the file since it was opened.
    if let now = folder.status(of: name), FileIdentity(now) == FileIdentity(status) {
      unlinkat(folder.descriptor, name, 0)
    }
  }

  private static func isDead(_ status: stat, _ isKnown: Bool) -> Bool {
    isKnown || time(nil) - Int(status.modificationTime.tv_sec) > longestSilence
  }
}

/// A folder for temporary files, in the folder named by `TMPDIR`, or else in `/tmp`. It is removed with its contents,
/// even if a signal ends the process. If the process is killed, a later run removes it.
package final class ScratchFolder: Sendable {
  /// The path, without links.
  package let path: String
  private let tree: TemporaryTree

  package init() throws(FileError) {
    let place = temporaryFolder
    var paths = RealPaths()
    do throws(FileError) {
      let parent = try OutputFolder.open(paths.folder(place), for: place)
      tree = try TemporaryTree(in: parent, for: place)
    } catch { throw .temporary(error.code) }
    path = tree.path
  }

  deinit { remove() }

  /// Removes the folder now.
  package func remove() { tree.remove() }
}
