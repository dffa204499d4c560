import Platform
import Synchronization

/// Pictures from pipes: standard input, whose path is `-`, and named pipes.
///
/// A pipe can be read only once, but pictures are opened several times. So its whole content is copied into an unnamed
/// file, which is kept until the process ends. Up to 32 MiB are kept in memory; a longer input is moved to the folder
/// named by `TMPDIR`, or to `/tmp`.
public enum PipedInput {
  /// The path of standard input.
  public static let standardInput = "-"
  /// The maximum number of bytes that are read from a pipe.
  static let mostBytes = 1 << 30
  private static let mostBytesInMemory = 32 << 20

  typealias Opened = (descriptor: Int32, status: stat)

  /// A pipe, and its content once it has been read.
  private final class Slot: Sendable {
    enum State {
      case unread(Int32)
      case read(Result<Int32, FileError>)
    }
    let state: Mutex<State>
    let isRead = Atomic(false)
    init(_ descriptor: Int32) { state = Mutex(.unread(descriptor)) }
  }

  private static let slots = Mutex<[String: Slot]>([:])
  /// Whether there is any pipe. If there is none, files are opened without a look-up in `slots`.
  private static let isUsed = Atomic(false)

  /// Returns the content of a pipe; nil for a path that is not a pipe, or a pipe that has not been read.
  static func content(of path: String) throws(FileError) -> Opened? {
    guard let slot = slot(of: path), slot.isRead.load(ordering: .acquiring) else { return nil }
    return try take(slot, path)
  }

  /// Opens a file, or waits for the whole content of a pipe. May be called from any thread; if several threads open the
  /// same pipe, one of them reads it.
  ///
  /// - Parameter waits: whether to wait for a pipe that has not been read.
  /// - Returns: nil for a pipe that has not been read, if `waits` is false.
  static func open(_ path: String, waits: Bool) throws(FileError) -> Opened? {
    if let slot = slot(of: path) { return try take(slot, path, waits: waits) }
    if path == standardInput { return try take(adopted(path, STDIN_FILENO), path, waits: waits) }
    let opened = try InputFile.opened(path)
    guard opened.status.st_mode & S_IFMT == S_IFIFO else { return opened }
    // The pipe is not closed before everything is read, because that would end the writing process.
    return try take(adopted(path, opened.descriptor), path, waits: waits)
  }

  /// Returns whether a path has been opened, and led to a pipe or to standard input.
  public static func isPipe(_ path: String) -> Bool { slot(of: path) != nil }

  private static func slot(of path: String) -> Slot? {
    isUsed.load(ordering: .relaxed) ? slots.withLock { $0[path] } : nil
  }

  private static func adopted(_ path: String, _ descriptor: Int32) -> Slot {
    isUsed.store(true, ordering: .relaxed)
    return slots.withLock { slots in
      if let known = slots[path] {
        if descriptor != STDIN_FILENO { close(descriptor) }
        return known
      }
      let slot = Slot(descriptor)
      slots[path] = slot
      return slot
    }
  }

  /// Returns a separate descriptor for the content of a pipe; nil if it has not been read and `waits` is false.
  private static func take(_ slot: Slot, _ path: String, waits: Bool = true) throws(FileError) -> Opened? {
    guard waits || slot.isRead.load(ordering: .acquiring) else { return nil }
    let kept = slot.state.withLock { state -> Result<Int32, FileError> in
      switch state {
      case .read(let result): return result
      case .unread(let descriptor):
        let result = Result { () throws(FileError) in try wholeContent(of: descriptor, path) }
        state = .read(result)
        return result
      }
    }
    slot.isRead.store(true, ordering: .releasing)
    var status = stat()
    let own = fcntl(try kept.get(), F_DUPFD_CLOEXEC, 0)
    guard own >= 0, fstat(own, &status) == 0 else { throw FileError(.open, path: path, code: errno) }
    return (own, status)
  }

  /// Returns a file with everything that can be read from a descriptor. If the descriptor refers to a regular file and
  /// is at its start, as standard input may be, the descriptor itself is returned.
  private static func wholeContent(of descriptor: Int32, _ path: String) throws(FileError) -> Int32 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(.open, path: path, code: errno) }
    if isatty(descriptor) == 1 { throw FileError(.open, path: path, code: ENOTTY) }
    if status.st_mode & S_IFMT == S_IFREG, lseek(descriptor, 0, SEEK_CUR) == 0 { return descriptor }
    if status.st_mode & S_IFMT == S_IFDIR { throw FileError(.open, path: path, code: EISDIR) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var store = makeMemoryFile("pipe")
    guard store >= 0 else { throw FileError(.create, path: path, code: errno) }
    do throws(FileError) {
      try copy(descriptor, to: &store, path)
      return store
    } catch {
      close(store)
      throw error
    }
  }

  private static func copy(_ descriptor: Int32, to store: inout Int32, _ path: String) throws(FileError) {
    let space = PooledBytes(capacity: 256 << 10)
    let buffer = UnsafeMutableRawBufferPointer(start: space.base, count: 256 << 10)
    var total = 0
    while true {
      let count = try next(descriptor, into: buffer, path)
      if count == 0 { return }
      if total <= mostBytesInMemory, total + count > mostBytesInMemory { try moveToDisk(&store) }
      total += count
      guard total <= mostBytes else { throw FileError(.read, path: path, code: EOVERFLOW) }
      let code = writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: store)
      guard code == 0 else {
        throw total > mostBytesInMemory
          ? .temporary(code, byteCount: total) : FileError(.write, path: path, code: code)
      }
    }
  }

  /// Waits for the next bytes; returns 0 at the end. A named pipe has no end before another process has opened it for
  /// writing. Wraps `poll(2)` and `read(2)`.
  private static func next(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, _ path: String
  ) throws(FileError) -> Int {
    while true {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, -1) >= 0 else {
        // To read now would find an end in a named pipe that no process has opened for writing yet.
        if errno == EINTR { continue }
        throw FileError(.read, path: path, code: errno)
      }
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR, errno != EAGAIN { throw FileError(.read, path: path, code: errno) }
    }
  }

  /// Replaces the file in memory with a file on disk that has the same bytes.
  private static func moveToDisk(_ store: inout Int32) throws(FileError) {
    let disk = try NamelessFile.make()
    let space = PooledBytes(capacity: 256 << 10)
    var offset = 0
    while true {
      let count = pread(store, space.base, 256 << 10, off_t(offset))
      if count == 0 { break }
      let code =
        count < 0 ? errno : writeAll(UnsafeRawBufferPointer(start: space.base, count: count), to: disk)
      guard code == 0 else {
        close(disk)
        throw .temporary(code, byteCount: mostBytesInMemory)
      }
      offset += count
    }
    close(store)
    store = disk
  }
}

extension InputFile {
  /// Opens a file, or reads a pipe or standard input to its end: see `PipedInput`.
  public convenience init(pathOrPipe path: String) throws(FileError) {
    guard let opened = try PipedInput.open(path, waits: true) else { preconditionFailure("a pipe has been waited for") }
    try self.init(opened, path: path)
  }

  /// Opens a file, or the content of a pipe; nil for a pipe that has not been read yet.
  public static func atHand(_ path: String) throws(FileError) -> InputFile? {
    guard let opened = try PipedInput.open(path, waits: false) else { return nil }
    return try InputFile(opened, path: path)
  }
}
