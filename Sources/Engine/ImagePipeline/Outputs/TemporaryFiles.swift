import CExitCleanup
import ImageCore
import Platform

/// The temporary files of this process, which are removed even if a signal ends it, and those that dead processes left.
package enum TemporaryFiles {
  /// Seconds without a write after which a run whose locks are not visible counts as dead.
  private static let longestSilence = 86_400

  /// Makes a temporary file that is registered here from its first moment.
  ///
  /// - Parameters:
  ///   - path: the path of the file it is for, for the error.
  ///   - mode: its permissions, before the process's mask.
  static func make(in folder: OutputFolder, for path: String, mode: mode_t) throws(FileError) -> TemporaryFile {
    try TemporaryFile(in: folder, for: path, mode: mode)
  }

  /// Makes a temporary file for this user alone, in the folder that `TMPDIR` names, else `/tmp`.
  package static func make() throws(FileError) -> TemporaryFile {
    let folder = temporaryFolder
    var paths = RealPaths()
    do throws(FileError) {
      return try make(in: OutputFolder.open(paths.folder(folder), for: folder), for: folder, mode: 0o600)
    } catch { throw .temporary(error.code) }
  }

  /// Closes a temporary file, and removes it unless it has been renamed.
  package static func end(_ file: TemporaryFile, isRenamed: Bool = false) {
    if !isRenamed { file.unlink() }
    file.forget()
    close(file.descriptor)
  }

  /// Names temporary files after a shard, or a merge, rather than this machine. If its node dies, the same shard or
  /// merge begins again on another node, which can then recognise and remove what the dead one left. Called before the
  /// first file is made.
  package static func setShard(_ text: String) { TemporaryName.setShard(text) }

  /// Digits for this machine since its last start.
  package static var machine: String { TemporaryName.machine }

  /// Whether a file's name is one of a temporary file, of any machine.
  package static func isTemporary(_ name: String) -> Bool { TemporaryName.origin(of: name).isOurs }

  /// Whether as many temporary files are open as one picture may have: half of what the system allows. The rest is for
  /// pictures that are read or begin.
  static var areMany: Bool { Int(cexitcleanup_file_count()) >= mostFiles }

  /// Standard streams, workers of plugins and the like take 32.
  private static let mostFiles = max(1, (ResourceLimit.openFiles.soft - 32) / 2)

  /// Removes all temporary files, after which no more are made, and the folders that were made for outputs that have
  /// failed. Called when a process ends, from any thread.
  package static func removeAll() {
    cexitcleanup_remove_files()
    TemporaryTree.removeAll()
    OutputFolder.removeEmpty()
  }

  /// Removes the files of killed runs, and none of a living run.
  static func removeAbandoned(in folder: OutputFolder) {
    let listed = openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listed >= 0 else { return }
    guard let stream = fdopendir(listed) else {
      close(listed)
      return
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      // The first byte already tells most other files from temporary ones.
      guard entry.pointee.d_name.0 == CChar(UInt8(ascii: ".")) else { continue }
      let name = entryName(entry)
      let origin = TemporaryName.origin(of: name)
      if origin.isOurs { removeIfAbandoned(name, isOfThisOwner: origin.isOfThisOwner, folder) }
    }
  }

  private static func removeIfAbandoned(_ name: String, isOfThisOwner: Bool, _ folder: OutputFolder) {
    let descriptor = openat(
      folder.descriptor, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == EISDIR else { return }
      return TemporaryTree.removeIfAbandoned(name, in: folder) { isDead($0, isOfThisOwner) }
    }
    defer { close(descriptor) }
    var status = stat()
    // A file system without locks does not tell which runs are alive, so its files stay.
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      flock(descriptor, LOCK_EX | LOCK_NB) == 0, isDead(status, isOfThisOwner)
    else { return }
    // Its writer may have renamed it since it was opened.
    if let now = folder.status(of: name), FileIdentity(now) == FileIdentity(status) {
      unlinkat(folder.descriptor, name, 0)
    }
  }

  private static func isDead(_ status: stat, _ isOfThisOwner: Bool) -> Bool {
    isOfThisOwner || time(nil) - Int(status.modificationTime.tv_sec) > longestSilence
  }
}
