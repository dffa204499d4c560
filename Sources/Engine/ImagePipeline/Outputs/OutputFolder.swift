import ImageCore
import Platform
import Scheduling
import Synchronization

/// A folder for outputs. It stays open, so that a link that is inserted into its path later cannot redirect files.
final class OutputFolder: Sendable {
  /// The path in the form of `PathBytes`, without links; empty for the root folder.
  let path: String
  let descriptor: Int32
  private let identity: FileIdentity

  private struct State {
    /// The folders in use. Outputs in one folder share its descriptor. The folder that was opened last stays open.
    var open: [RealPaths.Path: Weak] = [:]
    var last: OutputFolder?
    /// The paths of folders that this process has created, the outermost first.
    var made: [(path: String, identity: FileIdentity)] = []
    /// The folders that were already searched for files of dead runs.
    var tidied: Set<FileIdentity> = []
    /// With `--durable`, the folders whose own names are known to be on the disk.
    var durable: Set<FileIdentity> = []
  }
  private struct Weak { weak var folder: OutputFolder? }
  private static let state = Monitor(State())
  /// With `--durable`, only one thread at a time creates folders. Otherwise, a second thread could use a folder whose
  /// name is not yet on the disk.
  private static let making = Mutex(())

  private init(path: String, descriptor: Int32, identity: FileIdentity) {
    self.path = path
    self.descriptor = descriptor
    self.identity = identity
  }

  deinit { close(descriptor) }

  /// Whether the path still leads to this folder.
  var isInPlace: Bool { FileIdentity(at: path.isEmpty ? "/" : path) == identity }

  /// Opens a folder, and creates missing parts of its path.
  ///
  /// - Parameters:
  ///   - path: a path without links, from `RealPaths`.
  ///   - file: the output file, for the error.
  static func open(_ path: String, for file: String) throws(FileError) -> OutputFolder {
    let key = RealPaths.Path(path)
    if let known = state.withLock({ $0.open[key]?.folder }), known.isInPlace { return known }
    let (descriptor, status) =
      DurableWrites.isOn
      ? try making.withLock { _ throws(FileError) in try descend(path, for: file) } : try descend(path, for: file)
    let folder = OutputFolder(path: path, descriptor: descriptor, identity: FileIdentity(status))
    let (isNew, before) = state.withLock { state in
      if state.open.count > 64 { state.open = state.open.filter { $0.value.folder != nil } }
      state.open[key] = Weak(folder: folder)
      // Keeps the previous folder alive until the lock is released.
      let before = state.last
      state.last = folder
      return (state.tidied.insert(folder.identity).inserted, before)
    }
    _ = before
    if isNew { TemporaryFiles.removeAbandoned(in: folder) }
    return folder
  }

  /// Opens the path part by part, and creates missing parts. No part may be a link. Wraps `openat(2)` and `mkdirat(2)`.
  private static func descend(_ path: String, for file: String) throws(FileError) -> (Int32, stat) {
    // These flags also open a folder that may be written but not listed.
    let flags = openPathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    var descriptor = openat(AT_FDCWD, "/", flags)
    guard descriptor >= 0 else { throw FileError(.create, path: file, code: errno) }
    var made = ""
    for part in PathName.parts(path).map(String.init) {
      made += "/" + part
      let (next, code) = PathBytes.withBytes(of: part) { name in
        var next = openat(descriptor, name, flags)
        if next < 0, errno == ENOENT {
          let isNew = mkdirat(descriptor, name, 0o777) == 0
          if isNew || errno == EEXIST { next = openat(descriptor, name, flags) }
          if isNew { note(made, next) }
        }
        let code = errno
        return (next, next < 0 && code == ENOTDIR && isLink(name, in: descriptor) ? ELOOP : code)
      }
      let problem = DurableWrites.isOn && next >= 0 ? waitForName(of: next, in: descriptor) : 0
      close(descriptor)
      guard next >= 0 else { throw FileError(.create, path: made, code: code) }
      descriptor = next
      guard problem == 0 else {
        close(descriptor)
        throw FileError(.sync, path: made, code: problem)
      }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw FileError(.create, path: file, code: code)
    }
    return (descriptor, status)
  }

  /// Waits until the name of a folder is on the disk, once per folder and process. This includes existing folders,
  /// because a run that was killed may have created them. Returns 0 or the value of `errno`.
  private static func waitForName(of folder: Int32, in parent: Int32) -> Int32 {
    var status = stat()
    guard fstat(folder, &status) == 0 else { return errno }
    let identity = FileIdentity(status)
    if state.withLock({ $0.durable.contains(identity) }) { return 0 }
    let readable = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // If this user may not list the parent, another user created the folder, probably long ago.
    guard readable >= 0 else { return errno == EACCES ? 0 : errno }
    defer { close(readable) }
    let code = DurableWrites.wait(for: [readable])
    if code == 0 { state.withLock { _ = $0.durable.insert(identity) } }
    return code
  }

  /// Waits until the names in the folder are on the disk; does nothing without `--durable`.
  ///
  /// - Parameter file: the file whose name must be on the disk, for the error.
  func sync(for file: String) throws(FileError) {
    guard DurableWrites.isOn else { return }
    let readable = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard readable >= 0 else { throw FileError(.sync, path: file, code: errno) }
    defer { close(readable) }
    let code = DurableWrites.wait(for: [readable])
    guard code == 0 else { throw FileError(.sync, path: file, code: code) }
  }

  /// Records a folder that this process has created.
  private static func note(_ path: String, _ descriptor: Int32) {
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return }
    state.withLock { $0.made.append((path, FileIdentity(status))) }
  }

  /// Removes folders that this process has created and that are empty because their outputs failed. Does nothing in a
  /// divided run, because its other processes may be about to write into them. Wraps `unlinkat(2)`.
  static func removeEmpty() {
    guard !TemporaryName.isOfShard else { return }
    let made = state.withLock { state in
      defer { state.made = [] }
      return state.made
    }
    for folder in made.reversed() {
      // The folder is looked up again part by part, because a link may have replaced it.
      guard let (parent, name) = parent(of: folder.path) else { continue }
      defer { close(parent) }
      var status = stat()
      PathBytes.withBytes(of: name) { name in
        if fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0, FileIdentity(status) == folder.identity {
          unlinkat(parent, name, AT_REMOVEDIR)
        }
      }
    }
  }

  /// Opens the parent of a folder. No part of its path may be a link.
  private static func parent(of path: String) -> (descriptor: Int32, name: String)? {
    var parts = PathName.parts(path).map(String.init)
    guard let name = parts.popLast() else { return nil }
    let flags = openPathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    var descriptor = openat(AT_FDCWD, "/", flags)
    for part in parts where descriptor >= 0 {
      let next = PathBytes.withBytes(of: part) { openat(descriptor, $0, flags) }
      close(descriptor)
      descriptor = next
    }
    return descriptor >= 0 ? (descriptor, name) : nil
  }

  private static func isLink(_ name: UnsafePointer<CChar>, in folder: Int32) -> Bool {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Returns the status of the file with this name without following links; nil if there is none. Wraps `fstatat(2)`.
  func status(of name: String) -> stat? {
    var status = stat()
    let code = PathBytes.withBytes(of: name) {
      fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
    }
    return code == 0 ? status : nil
  }
}
