import ImageCore
import Platform
import Scheduling

/// A file that appears whole or not at all: written under a temporary name in the same folder, checked, renamed.
///
/// An output that is a pipe gets the bytes of the whole file at the end: see `OutputPipe`.
///
/// Dropped without `commit()`, it leaves nothing behind. Belongs to one worker at a time.
///
/// `@unchecked Sendable`: handed from worker to worker, never used by two at once.
package final class OutputFile: ByteSink, @unchecked Sendable {
  /// The path. If there is a `hashed` name, the path contains `{hash}` until the file is committed.
  package private(set) var path: String
  /// The place where the file will lie. Links were followed when it was looked up.
  private var place: InternedPath
  /// The name, with the file's digest, that the file gets when it is complete; nil if its name is known before.
  private let hashed: HashedName?
  private let folder: OutputFolder
  /// The pipe that the file goes into; nil for a file with a name.
  private let pipe: OutputPipe?
  /// Nil once the file has its name or is given up.
  private var temporary: TemporaryFile?
  private let scheduler: Scheduler?
  /// Bytes given to `write`; bytes that others wrote to the descriptor are not counted.
  package private(set) var byteCount = 0
  /// The identity of the committed file; nil before.
  private(set) var identity: FileIdentity?
  /// Bytes that wait to be written, and their number. The buffer is made with the first byte: writers that use the
  /// descriptor need none.
  private var buffer: PooledBytes?
  private var pending = 0
  private static let bufferSize = 64 << 10

  /// Makes the temporary file, and the folder if it is missing.
  package convenience init(path: String) throws(PictureError) {
    var paths = RealPaths()
    let place = paths.place(of: path)
    if paths.strangersLink(in: place) != nil { throw .file(FileError(.create, path: path, code: strangersLink)) }
    try self.init(path: path, place: place)
  }

  /// - Parameters:
  ///   - place: the file's place by `RealPaths`. Links that are made later are not followed.
  ///   - hashed: the name with the file's digest, in the folder of `place`; nil if `place` has the name.
  ///   - scheduler: the scheduler whose workers write it.
  package init(path: String, place: InternedPath, hashed: HashedName? = nil, scheduler: Scheduler? = nil)
    throws(PictureError)
  {
    self.path = path
    self.hashed = hashed
    self.place = place
    self.scheduler = scheduler
    do throws(FileError) {
      // The system would take the part before the NUL for the name.
      guard !path.utf8.contains(0) else { throw FileError(.create, path: path, code: EINVAL) }
      guard path.utf8.last != UInt8(ascii: "/") else { throw FileError(.create, path: path, code: EISDIR) }
      // A link to '/dev/stdout' leads to no file where '/proc' is not mounted.
      pipe = OutputPipe(path) ?? heldDescriptor(place.text).map { .descriptor($0) }
      if pipe != nil {
        let store = try TemporaryFiles.make()
        (folder, temporary) = (store.folder, store)
        return
      }
      folder = try OutputFolder.open(place.folderPath, for: path)
      temporary = try TemporaryFiles.make(in: folder, for: path, mode: 0o666)
    } catch {
      throw .file(error)
    }
    if let status = folder.status(of: place.name), ![S_IFREG, S_IFDIR, S_IFLNK].contains(status.st_mode & S_IFMT) {
      throw .operation(.unsuitable("is a device, a pipe or a socket, which is not replaced; write to another name"))
    }
  }

  deinit { discard() }

  /// The open descriptor, for writers that write to it themselves; −1 when it is closed.
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

  /// Removes write permission for all but the owner and the group, even under an empty mask. Wraps `fchmod(2)`.
  package func removeWorldWrite() {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IWOTH != 0 else { return }
    fchmod(descriptor, status.st_mode & 0o777 & ~S_IWOTH)
  }

  /// Replaces the file that is written so far by another one.
  ///
  /// - Parameter body: reads the first path and writes the second, which is an empty file. Both are as `PathBytes` has
  ///   them.
  package func rewrite(_ body: (_ written: String, _ target: String) throws(PictureError) -> Void) throws(PictureError)
  {
    try flush()
    guard let written = temporary else { preconditionFailure("a file is rewritten before it ends") }
    let target: TemporaryFile
    do throws(FileError) {
      target = try TemporaryFiles.make(in: folder, for: path, mode: 0o666)
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

  /// Writes what is buffered, and gives the file its name.
  ///
  /// - Parameter files: the files that it must not replace; the new file is added.
  package func commit(_ files: RunFiles? = nil) throws(PictureError) {
    try flush()
    buffer = nil
    guard let temporary else { preconditionFailure("a file is committed once") }
    if let pipe { return try send(temporary, to: pipe, files) }
    try settle(temporary.descriptor)
    var status = stat()
    guard fstat(temporary.descriptor, &status) == 0 else { throw failed(.write) }
    let digest = try nameByDigest(temporary)
    let journal = try files?.records?.note(path, at: place, status)
    try sync([temporary.descriptor] + (journal.map { [$0] } ?? []))
    // Checked last, so that files made since the script was checked are not replaced.
    if let there = folder.status(of: place.name),
      let conflict = files?.conflict(replacing: FileIdentity(there), at: place, modified: FileVersion(there).modified)
    {
      throw .operation(.unsuitable(conflict.text))
    }
    if let digest, let files, !files.claim(place, for: digest, replacing: folder.status(of: place.name)) {
      throw .operation(.unsuitable("another output has this name; use more digits of {hash}"))
    }
    guard folder.isInPlace else { throw .file(FileError(.rename, path: path, code: ESTALE)) }
    if hashed == nil { try files?.records?.willShow(place, status) }
    let code = PathBytes.withBytes(of: place.name) {
      renameat(folder.descriptor, temporary.name, folder.descriptor, $0)
    }
    guard code == 0 else { throw failed(.rename) }
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

  /// Waits until files are on the disk, with `--durable`.
  private func sync(_ descriptors: [Int32]) throws(PictureError) {
    guard DurableWrites.isOn else { return }
    let code = waiting { () throws(Never) in DurableWrites.wait(for: descriptors) }
    if code != 0 { throw .file(FileError(.sync, path: path, code: code)) }
  }

  /// Runs a body that waits for the disk. Another worker runs meanwhile.
  private func waiting<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    if let scheduler { try scheduler.blocking(body) } else { try body() }
  }

  /// Adds bytes that depend on the whole file so far, and gives the file its name.
  ///
  /// - Parameter end: returns the bytes, for the path of the file so far.
  func commit(adding end: (String) throws(PictureError) -> [UInt8]) throws(PictureError) {
    try flush()
    guard let temporary else { preconditionFailure("a file is committed once") }
    try write(end(temporary.path))
    try commit()
  }

  /// Writes the whole file into a pipe. The pipe's reader may take long, so another worker runs meanwhile.
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

  /// Puts the file's digest into its path, and returns the digest; nil if the name was known before.
  private func nameByDigest(_ temporary: TemporaryFile) throws(PictureError) -> SHA256Digest? {
    guard let hashed else { return nil }
    let file: InputFile
    do throws(FileError) { file = try InputFile(path: temporary.path) } catch { throw .file(error) }
    let digest = try SHA256.digest(of: file, count: file.byteCount)
    place = place.renamed(hashed.name(digest))
    path = InternedPath(path).renamed(hashed.name(digest)).text
    return digest
  }

  /// Makes the system report errors that it delays until the file is closed. The descriptor itself stays open to keep
  /// the lock: without it another run would take the file for that of a dead run.
  private func settle(_ descriptor: Int32) throws(PictureError) {
    let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    let code = other >= 0 ? close(other) : fsync(descriptor)
    if code != 0 { throw failed(.write) }
  }

  /// Whether the file at its place is still the one that was written.
  package var isInPlace: Bool {
    identity != nil && folder.status(of: place.name).map { FileIdentity($0) } == identity
  }

  /// The file's size as the system has it, once it is committed; 0 if it is gone.
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

  private func flush() throws(PictureError) {
    guard let buffer else { return }
    try store(UnsafeRawBufferPointer(start: buffer.base, count: pending))
    pending = 0
  }

  private func store(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    // The disk may be slow: another worker runs meanwhile.
    let code =
      scheduler?.seldomBlocking { () throws(Never) in writeAll(bytes, to: descriptor) }
      ?? writeAll(bytes, to: descriptor)
    if code != 0 { throw told(.file(FileError(.write, path: path, code: code))) }
  }

  /// Returns an error of writing an output for a pipe as an error of the temporary file that holds its bytes until the
  /// end. Any other error is returned unchanged.
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
