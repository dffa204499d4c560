import ImageCore
import Platform
import Scheduling
import Synchronization

/// A folder of files that appears complete or not at all: it is filled under a temporary name in the same parent
/// folder, and renamed.
///
/// It replaces an existing folder only if `owns` returns true for all files in that folder, and the run reads none of
/// them. If the file system supports it, one call exchanges the two folders, and the old one is removed. If the tree is
/// released without `commit`, nothing remains. `write` is called from any thread, the other functions by one thread at
/// a time.
final class OutputTree: Sendable {
  /// Returns whether a file belongs to a tree of this kind, given its path in the folder.
  typealias Test = @Sendable (_ path: String) -> Bool

  private let path: String
  private let place: InternedPath
  private let folder: OutputFolder
  private let temporary: TemporaryTree
  private let owns: Test
  private let scheduler: Scheduler?
  private let written = Atomic(0)
  private let isOver = Atomic(false)

  var byteCount: Int { written.load(ordering: .relaxed) }

  /// Creates the temporary folder, and its parent folder if it does not exist.
  ///
  /// - Parameters:
  ///   - place: the folder's path from `RealPaths`.
  ///   - owns: returns whether a file in an existing folder belongs to an earlier tree.
  init(path: String, place: InternedPath, scheduler: Scheduler?, owns: @escaping Test) throws(PictureError) {
    (self.path, self.place, self.scheduler, self.owns) = (path, place, scheduler, owns)
    do throws(FileError) {
      folder = try OutputFolder.open(place.folderPath, for: path)
      temporary = try TemporaryTree(in: folder, for: path)
    } catch {
      throw .file(error)
    }
    if let reason = reasonNotToReplace(nil) {
      temporary.remove()
      throw .operation(.unsuitable(reason))
    }
  }

  deinit { discard() }

  /// Writes a file at a path inside the folder, and creates the folders in its path.
  func write(_ bytes: UnsafeRawBufferPointer, to name: String) throws(PictureError) {
    // The disk may be slow, so another worker takes over meanwhile.
    let code =
      scheduler?.seldomBlocking { () throws(Never) in temporary.write(bytes, to: name) }
      ?? temporary.write(bytes, to: name)
    guard code == 0 else {
      // The folder was removed because the process is ending.
      if temporary.isRemoved { throw .cancelled }
      throw .file(FileError(.write, path: path + "/" + name, code: code))
    }
    written.wrappingAdd(bytes.count, ordering: .relaxed)
  }

  /// Renames the folder to its final name.
  ///
  /// - Parameter files: the record of the run's files; nil for none. A folder that contains a file that the run reads
  ///   is not replaced.
  func commit(_ files: RunFiles?) throws(PictureError) {
    var journal: Int32?
    let status = temporary.status(of: "info.json") ?? folder.status(of: temporary.name)
    if let records = files?.records, let status { journal = try records.note(key: nil, path: path, at: place, status) }
    try waiting { () throws(FileError) in try sync(journal) }
    if let reason = reasonNotToReplace(files) { throw .operation(.unsuitable(reason)) }
    guard folder.isInPlace else { throw .file(FileError(.rename, path: path, code: ESTALE)) }
    if let records = files?.records, let status { try records.willShow(place, status) }
    let isReplacing = folder.status(of: place.name) != nil
    let code = temporary.rename(to: place.name, replacing: isReplacing)
    guard code == 0 else { throw .file(FileError(.rename, path: path, code: code)) }
    isOver.store(true, ordering: .relaxed)
    // The earlier folder is removed only after the new name is on the disk.
    defer { if isReplacing { temporary.remove() } }
    try waiting { () throws(FileError) in try folder.sync(for: path) }
  }

  /// Waits until all files are on the disk; does nothing without `--durable`.
  private func sync(_ journal: Int32?) throws(FileError) {
    guard DurableWrites.isOn else { return }
    var code = temporary.sync()
    if code == 0, let journal { code = DurableWrites.wait(for: [journal]) }
    guard code == 0 else { throw FileError(.sync, path: path, code: code) }
  }

  /// Calls a function that waits for the disk; does nothing without `--durable`. Another worker takes over meanwhile.
  private func waiting(_ body: () throws(FileError) -> Void) throws(PictureError) {
    guard DurableWrites.isOn else { return }
    do throws(FileError) {
      if let scheduler { try scheduler.blocking(body) } else { try body() }
    } catch { throw .file(error) }
  }

  /// Removes the temporary folder. Does nothing after `commit`.
  func discard() {
    if !isOver.exchange(true, ordering: .relaxed) { temporary.remove() }
  }

  /// Returns the reason why an existing folder with the final name must stay; nil if it may be replaced, or if there is
  /// none.
  private func reasonNotToReplace(_ files: RunFiles?) -> String? {
    guard let status = folder.status(of: place.name) else { return nil }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return "'\(printable(place.name))' exists and is no folder; write to another name"
    }
    var reason: String?
    FolderTree.visit(place.name, in: folder.descriptor) { name, status in
      if !owns(name) {
        reason =
          "the folder '\(printable(place.name))' exists and holds '\(printable(name))', which is no tile; "
          + "remove it, or write to another name"
      } else if let conflict = files?.conflict(
        replacing: FileIdentity(status), at: InternedPath(path + "/" + name), modified: FileVersion(status).modified)
      {
        reason = conflict.text
      }
      return reason == nil
    }
    return reason
  }
}

/// A folder under a temporary name, which is removed when a run ends or is interrupted. If a process is killed, the
/// next run that writes next to the folder removes it.
///
/// It is locked like a `TemporaryFile`.
final class TemporaryTree: Sendable {
  private let folder: OutputFolder
  fileprivate let name: String
  private let descriptor: Int32
  private let removed = Atomic(false)

  private struct Weak { weak var tree: TemporaryTree? }
  /// The temporary folders that exist, by their names.
  private static let all = Monitor<[String: Weak]>([:])

  init(in folder: OutputFolder, for path: String) throws(FileError) {
    self.folder = folder
    while true {
      let name = TemporaryName.make()
      guard mkdirat(folder.descriptor, name, 0o777) == 0 else {
        if errno == EEXIST { continue }
        throw FileError(.create, path: path, code: errno)
      }
      let descriptor = openat(folder.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      var status = stat()
      // Another run that cleans up, or another thread of this run, may lock and remove the folder before it is opened
      // or locked here.
      if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
        fstat(descriptor, &status) == 0, folder.status(of: name).map({ FileIdentity($0) }) == FileIdentity(status)
      {
        (self.name, self.descriptor) = (name, descriptor)
        break
      }
      let code = errno
      if descriptor >= 0 { close(descriptor) }
      unlinkat(folder.descriptor, name, AT_REMOVEDIR)
      guard descriptor >= 0 || code == ENOENT else { throw FileError(.create, path: path, code: code) }
    }
    let tree = Weak(tree: self)
    Self.all.withLock { $0[name] = tree }
  }

  deinit {
    Self.all.withLock { $0[name] = nil }
    close(descriptor)
  }

  /// Returns the status of a file in the folder; nil if there is none.
  fileprivate func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  var isRemoved: Bool { removed.load(ordering: .relaxed) }
  /// The path in the form of `PathBytes`.
  var path: String { folder.path + "/" + name }

  /// Writes a file; returns 0 or the value of `errno`.
  fileprivate func write(_ bytes: UnsafeRawBufferPointer, to name: String) -> Int32 {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    var file = openat(descriptor, name, flags, 0o666)
    if file < 0, errno == ENOENT {
      var made = ""
      for part in PathName.parts(name).dropLast() {
        made += made.isEmpty ? part : "/" + part
        guard mkdirat(descriptor, made, 0o777) == 0 || errno == EEXIST else { return errno }
      }
      file = openat(descriptor, name, flags, 0o666)
    }
    guard file >= 0 else { return errno }
    let code = writeAll(bytes, to: file)
    // The system may report errors only when the file is closed.
    return close(file) == 0 || code != 0 ? code : errno
  }

  /// Waits until the folder and everything in it are on the disk. Returns 0 or the value of `errno`.
  fileprivate func sync() -> Int32 {
    let code = FolderTree.sync(name, in: folder.descriptor)
    return code == 0 ? DurableWrites.wait(for: [descriptor]) : code
  }

  /// Renames the folder. Returns 0 or the value of `errno`. The folder stays locked until this object is released.
  fileprivate func rename(to target: String, replacing isReplacing: Bool) -> Int32 {
    let code = PathBytes.withBytes(of: target) { target in
      guard isReplacing else {
        return renameat(folder.descriptor, name, folder.descriptor, target) == 0 ? 0 : errno
      }
      return exchangeFiles(name, target, in: folder.descriptor)
    }
    // After an exchange, the earlier folder has the temporary name, so that `remove` removes it.
    if code == 0, !isReplacing { removed.store(true, ordering: .relaxed) }
    return code
  }

  func remove() {
    guard !removed.exchange(true, ordering: .relaxed) else { return }
    FolderTree.remove(name, in: folder.descriptor)
  }

  /// Removes all temporary folders. Called when the process ends, from any thread.
  static func removeAll() {
    let trees = all.withLock { $0.values.compactMap(\.tree) }
    for tree in trees { tree.remove() }
  }

  /// Removes a folder of a dead run. Does nothing if the run is alive.
  ///
  /// - Parameter isDead: returns whether the run of an unlocked folder counts as dead, given the folder's status.
  static func removeIfAbandoned(_ name: String, in folder: OutputFolder, isDead: (stat) -> Bool) {
    let descriptor = openat(folder.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0, isDead(status) else { return }
    // Its run may have renamed the folder since it was opened.
    if folder.status(of: name).map({ FileIdentity($0) }) == FileIdentity(status) {
      FolderTree.remove(name, in: folder.descriptor)
    }
  }
}

/// Walks through folders by their descriptors, so that links cannot lead elsewhere.
enum FolderTree {
  /// Calls `body` with the path and the status of each file below a folder, and of each folder that cannot be read,
  /// until `body` returns false.
  static func visit(_ name: String, in folder: Int32, _ body: (String, stat) -> Bool) {
    _ = walk(name, in: folder, prefix: "") { parent, name, path, status in
      let isReadable = status.st_mode & S_IFMT == S_IFDIR && isReadable(name, in: parent)
      return isReadable || body(path, status)
    }
  }

  private static func isReadable(_ name: String, in parent: Int32) -> Bool {
    PathBytes.withBytes(of: name) { faccessat(parent, $0, R_OK | X_OK, AT_EACCESS) } == 0
  }

  /// Removes a folder and its contents, as far as possible.
  static func remove(_ name: String, in folder: Int32) {
    _ = walk(name, in: folder, prefix: "") { parent, name, _, status in
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      _ = PathBytes.withBytes(of: name) { unlinkat(parent, $0, isFolder ? AT_REMOVEDIR : 0) }
      return true
    }
    _ = PathBytes.withBytes(of: name) { unlinkat(folder, $0, AT_REMOVEDIR) }
  }

  /// Waits until everything below a folder is on the disk. Returns 0 or the value of `errno`.
  static func sync(_ name: String, in folder: Int32) -> Int32 {
    func open(_ name: String, in parent: Int32) -> Int32 { openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
    // All files are queued for writing before the first wait, so that the system can write them together.
    _ = walk(name, in: folder, prefix: "") { parent, name, _, _ in
      let file = open(name, in: parent)
      if file >= 0 {
        beginSync(file)
        close(file)
      }
      return true
    }
    var code: Int32 = 0
    _ = walk(name, in: folder, prefix: "") { parent, name, _, _ in
      let file = open(name, in: parent)
      guard file >= 0 else {
        code = errno
        return false
      }
      code = syncFile(file)
      close(file)
      return code == 0
    }
    return code
  }

  /// Calls `body` for everything below a folder, until it returns false. The contents of a folder come before the
  /// folder.
  private static func walk(
    _ name: String, in folder: Int32, prefix: String,
    _ body: (_ parent: Int32, _ name: String, _ path: String, _ status: stat) -> Bool
  ) -> Bool {
    let descriptor = PathBytes.withBytes(of: name) {
      openat(folder, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard descriptor >= 0 else { return true }
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      return true
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = entryName(entry)
      if name == "." || name == ".." { continue }
      var status = stat()
      guard PathBytes.withBytes(of: name, { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
        continue
      }
      let path = prefix + name
      if status.st_mode & S_IFMT == S_IFDIR,
        !walk(name, in: descriptor, prefix: path + "/", body)
      {
        return false
      }
      guard body(descriptor, name, path, status) else { return false }
    }
    return true
  }
}
