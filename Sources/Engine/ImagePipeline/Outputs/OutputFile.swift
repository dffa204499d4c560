import ImageCore
import Platform
import Scheduling

/// A file that appears complete or not at all: it is written under a temporary name in the same folder, checked, and
/// renamed.
///
/// An output that is a pipe receives the bytes of the whole file at the end: see `OutputPipe`.
///
/// If the object is released without `commit()`, nothing remains. Only one worker uses it at a time.
///
/// `@unchecked Sendable`: passed from worker to worker, and never used by two of them at the same time.
package final class OutputFile: ByteSink, @unchecked Sendable {
  /// The path. If there is a `hashed` name, the path contains `{hash}` until the file is committed.
  package private(set) var path: String
  /// The real path of the file. Links were followed when it was looked up.
  private var place: InternedPath
  /// The name that will contain the digest of the complete file; nil if the name is known from the beginning.
  private let hashed: HashedName?
  /// The key of the output in records, if its name contains a digest; otherwise nil.
  private let key: String?
  private let folder: OutputFolder
  /// The pipe that receives the file; nil for a file with a name.
  private let pipe: OutputPipe?
  /// The temporary file; nil once it has been renamed or abandoned.
  private var temporary: TemporaryFile?
  private let scheduler: Scheduler?
  /// The number of bytes given to `write`. Bytes that others wrote to the descriptor are not counted. Once a pipe has
  /// received the file, this is the number of bytes sent.
  package private(set) var byteCount = 0
  /// The identity of the committed file; nil before that.
  private(set) var identity: FileIdentity?
  /// The bytes still to be written, and their number. The buffer is created for the first byte, because writers that
  /// use the descriptor do not need one.
  private var buffer: PooledBytes?
  private var pending = 0
  private static let bufferSize = 64 << 10

  /// Creates the temporary file, and its folder if it does not exist.
  package convenience init(path: String) throws(PictureError) {
    var paths = RealPaths()
    let place = paths.place(of: path)
    if paths.strangersLink(in: place) != nil { throw .file(FileError(.create, path: path, code: strangersLink)) }
    try self.init(path: path, place: place)
  }

  /// - Parameters:
  ///   - place: the file's path from `RealPaths`. Links that are created later are not followed.
  ///   - hashed: the name that contains the file's digest, in the folder of `place`; nil if `place` is the final path.
  ///   - key: the key of the file in records; nil if `hashed` is nil, or if the file is recorded only when the run
  ///     ends.
  ///   - scheduler: the scheduler whose workers write the file.
  package init(
    path: String, place: InternedPath, hashed: HashedName? = nil, key: String? = nil, scheduler: Scheduler? = nil
  ) throws(PictureError) {
    self.path = path
    (self.hashed, self.key) = (hashed, key)
    self.place = place
    self.scheduler = scheduler
    do throws(FileError) {
      // The system would treat the part before the NUL as the name.
      guard !path.utf8.contains(0) else { throw FileError(.create, path: path, code: EINVAL) }
      guard path.utf8.last != UInt8(ascii: "/") else { throw FileError(.create, path: path, code: EISDIR) }
      // Without '/proc', a link to '/dev/stdout' leads to no file. Only the target's path then tells the descriptor.
      pipe = OutputPipe(path) ?? heldDescriptor(place.text).map { .descriptor($0) }
      if pipe != nil {
        let store = try TemporaryFiles.make()
        (folder, temporary) = (store.folder, store)
        return
      }
      folder = try OutputFolder.open(place.folderPath, for: path)
      temporary = try TemporaryFile(in: folder, for: path, mode: 0o666)
    } catch {
      throw .file(error)
    }
    if let status = folder.status(of: place.name), ![S_IFREG, S_IFDIR, S_IFLNK].contains(status.st_mode & S_IFMT) {
      throw .operation(.unsuitable("is a device, a pipe or a socket, which is not replaced; write to another name"))
    }
  }

  deinit { discard() }

  /// The open descriptor, for writers that use it directly; −1 when it is closed.
  package var descriptor: Int32 { temporary?.descriptor ?? -1 }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    guard let start = bytes.baseAddress else { return }
    byteCount += bytes.count
    if pending + bytes.count > Self.bufferSize { try flush() }
    if bytes.count >= Self.bufferSize {
      try store(bytes)
    } else {
      let buffer = self.buffer ?? PooledBytes(capacity: Self.bufferSize)
      self.buffer = buffer
      (buffer.base + pending).copyMemory(from: start, byteCount: bytes.count)
      pending += bytes.count
    }
  }

  /// Removes other users' permission to write, which the file has if the umask allows it. Wraps `fchmod(2)`.
  package func removeWorldWrite() {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IWOTH != 0 else { return }
    fchmod(descriptor, status.st_mode & 0o777 & ~S_IWOTH)
  }

  /// Replaces the file written so far with another one.
  ///
  /// - Parameter body: reads the first path and writes the second, which is an empty file. Both have the form of
  ///   `PathBytes`.
  package func rewrite(_ body: (_ written: String, _ target: String) throws(PictureError) -> Void) throws(PictureError)
  {
    try flush()
    guard let written = temporary else { preconditionFailure("a file is rewritten before it ends") }
    let target: TemporaryFile
    do throws(FileError) {
      target = try TemporaryFile(in: folder, for: path, mode: 0o666)
    } catch {
      throw .file(error)
    }
    do throws(PictureError) {
      try body(written.path, target.path)
    } catch {
      TemporaryFiles.end(target)
      throw error
    }
    TemporaryFiles.end(written)
    temporary = target
  }

  /// Writes the buffer, and renames the file to its final name, or sends the file to the pipe.
  ///
  /// - Parameter files: the record of the run's files; nil for none. A file that the run reads, or has written under
  ///   another path, is not replaced. The new file is added to the record.
  package func commit(_ files: RunFiles? = nil) throws(PictureError) {
    try flush()
    buffer = nil
    guard let temporary else { preconditionFailure("a file is committed once") }
    if let pipe { return try send(temporary, to: pipe, files) }
    try settle(temporary.descriptor)
    var status = stat()
    guard fstat(temporary.descriptor, &status) == 0 else { throw failed(.write) }
    let digest = try nameByDigest(temporary)
    let journal = try files?.records?.note(key: key, path: path, at: place, status)
    try sync([temporary.descriptor] + (journal.map { [$0] } ?? []))
    // Checked as late as possible, because the path may lead to a file that the run has read or written meanwhile.
    if let there = folder.status(of: place.name),
      let conflict = files?.conflict(replacing: FileIdentity(there), at: place, modified: FileVersion(there).modified)
    {
      throw .operation(.unsuitable(conflict.text))
    }
    if hashed != nil { try files?.records?.checkName(place) }
    if let files, !files.claim(place, path, for: digest, replacing: { folder.status(of: place.name) }) {
      throw .operation(.unsuitable("another output has this name; use more digits of {hash}"))
    }
    guard folder.isInPlace else { throw .file(FileError(.rename, path: path, code: ESTALE)) }
    if hashed == nil { try files?.records?.willShow(place, status) }
    let code = PathBytes.withBytes(of: place.name) {
      renameat(folder.descriptor, temporary.name, folder.descriptor, $0)
    }
    guard code == 0 else { throw failed(.rename) }
    files?.records?.hasShown(place)
    let identity = FileIdentity(status)
    files?.wrote(identity, at: place, modified: FileVersion(status).modified)
    self.identity = identity
    TemporaryFiles.end(temporary, isRenamed: true)
    self.temporary = nil
    guard DurableWrites.isOn else { return }
    do throws(FileError) {
      try waiting { () throws(FileError) in try folder.sync(for: path) }
    } catch { throw .file(error) }
  }

  /// Waits until files are on the disk; does nothing without `--durable`.
  private func sync(_ descriptors: [Int32]) throws(PictureError) {
    guard DurableWrites.isOn else { return }
    let code = waiting { () throws(Never) in DurableWrites.wait(for: descriptors) }
    if code != 0 { throw .file(FileError(.sync, path: path, code: code)) }
  }

  /// Calls a function that waits for the disk. Another worker takes over meanwhile.
  private func waiting<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if let scheduler { try scheduler.blocking(body) } else { try body() }
  }

  /// Creates a hard link to the file. The link remains even if the file is abandoned. Returns false if no link can be
  /// created. Wraps `linkat(2)`.
  package func link(as name: String, in other: Int32) -> Bool {
    guard pipe == nil, let temporary else { return false }
    return linkat(folder.descriptor, temporary.name, other, name, 0) == 0
  }

  /// Writes the whole file to a pipe. Its reader may be slow, so another worker takes over meanwhile.
  private func send(_ written: TemporaryFile, to pipe: OutputPipe, _ files: RunFiles?) throws(PictureError) {
    let send = { [path] () throws(FileError) -> Int in try pipe.send(written.descriptor, path: path) }
    do throws(FileError) {
      if let scheduler { byteCount = try scheduler.seldomBlocking(send) } else { byteCount = try send() }
    } catch {
      if error.code == EPIPE { files?.standardOutput.breakOff() }
      throw .file(error)
    }
    TemporaryFiles.end(written)
    temporary = nil
  }

  /// Puts the file's digest into its path, and returns the digest; nil if the name has no digest.
  private func nameByDigest(_ temporary: TemporaryFile) throws(PictureError) -> SHA256Digest? {
    guard let hashed else { return nil }
    let file: InputFile
    do throws(FileError) { file = try InputFile(path: temporary.path) } catch { throw .file(error) }
    let digest = try SHA256.digest(of: file, count: file.byteCount)
    place = place.renamed(hashed.name(digest))
    path = InternedPath(path).renamed(hashed.name(digest)).text
    return digest
  }

  /// Makes the system report errors that it would otherwise delay until the file is closed. The descriptor stays open
  /// to keep the lock, without which another run would consider the file abandoned.
  private func settle(_ descriptor: Int32) throws(PictureError) {
    let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    let code = other >= 0 ? close(other) : fsync(descriptor)
    if code != 0 { throw failed(.write) }
  }

  /// Whether the path still leads to the file that was written.
  package var isInPlace: Bool {
    identity != nil && folder.status(of: place.name).map { FileIdentity($0) } == identity
  }

  /// The file's size according to the system, once it is committed; 0 if it no longer exists. For a pipe, the number of
  /// bytes sent.
  package var byteCountOnDisk: Int {
    if pipe != nil { return byteCount }
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Removes the temporary file. Does nothing after `commit()`.
  package func discard() {
    if let temporary { TemporaryFiles.end(temporary) }
    temporary = nil
  }

  /// Writes the buffered bytes to the file.
  package func flush() throws(PictureError) {
    guard let buffer else { return }
    try store(UnsafeRawBufferPointer(start: buffer.base, count: pending))
    pending = 0
  }

  private func store(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    // The disk may be slow, so another worker takes over meanwhile.
    let code =
      scheduler?.seldomBlocking { () throws(Never) in writeAll(bytes, to: descriptor) }
      ?? writeAll(bytes, to: descriptor)
    if code != 0 { throw told(.file(FileError(.write, path: path, code: code))) }
  }

  /// Converts a write error of a pipe's output to one about the temporary file, which stores the bytes until the end.
  /// Returns other errors unchanged.
  package func told(_ error: PictureError) -> PictureError {
    guard pipe != nil, case .file(let file) = error, file.action == .write, file.path == path else { return error }
    var status = stat()
    let stored = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    return .file(.temporary(file.code, byteCount: max(stored, byteCount)))
  }

  private func failed(_ action: FileError.Action) -> PictureError {
    .file(FileError(action, path: path, code: errno))
  }
}
