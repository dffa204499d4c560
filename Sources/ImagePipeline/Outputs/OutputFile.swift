import ImageCore
import Scheduling

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that appears whole or not at all: written under a temporary name in the same folder, checked on
/// close, renamed.
///
/// Dropped without `commit()`, it leaves nothing behind. Belongs to one worker at a time.
///
/// `@unchecked Sendable`: handed from worker to worker, never used by two at once.
public final class OutputFile: ByteSink, @unchecked Sendable {
  public let path: String
  /// Where the file will lie: what `path` points to, where that is a symbolic link.
  private let place: String
  private var temporaryPath: String
  /// The open descriptor, for writers that write to it themselves.
  public private(set) var descriptor: Int32
  private let scheduler: Scheduler?
  /// Bytes given to `write`; what others wrote to the descriptor is not counted.
  public private(set) var byteCount = 0
  /// What waits to be written, and how much of it there is; made with the first byte, which whoever
  /// writes to the descriptor never gives.
  private var buffer: PooledBytes?
  private var pending = 0
  private static let bufferSize = 64 << 10
  /// The process' `umask(2)`, which can only be read by setting it: once, as other threads would see the
  /// value in between.
  private static let fileMask: mode_t = {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }()

  /// Makes the folder where it is missing, and the temporary file.
  ///
  /// - Parameter scheduler: whose workers write it.
  public init(path: String, scheduler: Scheduler? = nil) throws(PictureError) {
    self.path = path
    self.scheduler = scheduler
    // The system would take the part before it for the name.
    guard !path.utf8.contains(0) else {
      throw .file(FileError(.create, path: path, code: EINVAL))
    }
    var status = stat()
    if stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      throw .operation(
        .unsuitable("is a device, a pipe or a socket, which is not replaced; write to another name")
      )
    }
    place = Self.target(of: path)
    let folder = PathName.folder(place) ?? "."
    try Self.makeFolder(folder.isEmpty ? "/" : String(folder))
    do throws(FileError) {
      // Short, so that a name of up to 255 bytes still works.
      (descriptor, temporaryPath) = try TemporaryFiles.make(
        "\(folder)/.imghost-XXXXXX", for: path)
    } catch {
      throw .file(error)
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    fchmod(descriptor, 0o666 & ~Self.fileMask)
  }

  deinit { discard() }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
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

  /// Puts another file in the place of what is written so far.
  ///
  /// - Parameter body: reads the first path and writes the second, which is there and empty.
  public func rewrite(
    _ body: (_ written: String, _ target: String) throws(PictureError) -> Void
  ) throws(PictureError) {
    try flush()
    let (target, targetPath): (Int32, String)
    do throws(FileError) {
      (target, targetPath) = try TemporaryFiles.make(
        (PathName.folder(temporaryPath) ?? ".") + "/.imghost-XXXXXX", for: path)
    } catch {
      throw .file(error)
    }
    _ = fcntl(target, F_SETFD, FD_CLOEXEC)
    fchmod(target, 0o666 & ~Self.fileMask)
    do throws(PictureError) {
      try body(temporaryPath, targetPath)
    } catch {
      close(target)
      unlink(targetPath)
      TemporaryFiles.remove(targetPath)
      throw error
    }
    discard()
    (descriptor, temporaryPath) = (target, targetPath)
  }

  /// Writes what is buffered, closes the file, and gives it its name.
  public func commit() throws(PictureError) {
    try flush()
    buffer = nil
    let closed = close(descriptor)
    descriptor = -1
    guard closed == 0 else { throw failed(.write) }
    guard rename(temporaryPath, place) == 0 else { throw failed(.rename) }
    TemporaryFiles.remove(temporaryPath)
  }

  /// Removes the temporary file. Nothing to do after `commit()`.
  public func discard() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    guard TemporaryFiles.contains(temporaryPath) else { return }
    unlink(temporaryPath)
    TemporaryFiles.remove(temporaryPath)
  }

  private func flush() throws(PictureError) {
    guard let buffer else { return }
    try store(UnsafeRawBufferPointer(start: buffer.base, count: pending))
    pending = 0
  }

  private func store(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    // A disk may be slow: the worker's place is not lost by that.
    let code =
      scheduler?.seldomBlocking { () throws(Never) in writeAll(bytes, to: descriptor) }
      ?? writeAll(bytes, to: descriptor)
    if code != 0 { throw .file(FileError(.write, path: path, code: code)) }
  }

  private func failed(_ action: FileError.Action) -> PictureError {
    .file(FileError(action, path: path, code: errno))
  }

  /// What a symbolic link points to, so that writing changes the file and not the link; other paths as they are, and
  /// links that point to nothing. Wraps `lstat(2)` and `realpath(3)`.
  private static func target(of path: String) -> String {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
      let real = realpath(path, nil)
    else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Wraps `mkdir(2)` for each missing folder of a path.
  private static func makeFolder(_ folder: String) throws(PictureError) {
    if access(folder, F_OK) == 0 { return }
    var made = PathName.isAbsolute(folder) ? "" : "."
    for part in PathName.parts(folder) {
      made += "/" + part
      if mkdir(made, 0o777) != 0 && errno != EEXIST {
        throw .file(FileError(.create, path: made, code: errno))
      }
    }
  }
}
