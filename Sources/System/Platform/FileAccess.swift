import CPlatform

extension stat {
  /// The time of the last change to the file's bytes, since 1970.
  public var modificationTime: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }

  /// The time of the last change to the file's bytes, name, owner or permissions, since 1970. `utimensat(2)` cannot set
  /// it.
  public var changeTime: timespec {
    #if canImport(Darwin)
      st_ctimespec
    #else
      st_ctim
    #endif
  }
}

/// A flag of `open(2)` for descriptors that only refer to a file or folder: `O_PATH`, which is missing in Swift's
/// module of the C library; `O_RDONLY` where there is no such flag.
public var openPathOnly: Int32 {
  #if os(Linux)
    0o10_000_000
  #else
    O_RDONLY
  #endif
}

/// Creates an empty, unnamed file in memory; wraps `memfd_create(2)`.
///
/// - Parameter label: a name for lists of open files.
/// - Returns: its descriptor, or -1 with `errno` set.
public func makeMemoryFile(_ label: String) -> Int32 { cplatform_memory_file(label) }

/// Exchanges the files or folders with two names in an open folder; wraps `renameat2(2)`.
///
/// - Returns: 0, or the value of `errno`.
public func exchangeFiles(_ name: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>, in folder: Int32) -> Int32 {
  cplatform_exchange(folder, name, other)
}

/// Waits until a file or folder is on the disk; wraps `fsync(2)`.
///
/// - Returns: 0, or the value of `errno`.
public func syncFile(_ descriptor: Int32) -> Int32 {
  let code = cplatform_sync(descriptor)
  guard code == EINVAL else { return code }
  // Some network file systems do not support this call for folders.
  var status = stat()
  return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? 0 : code
}

/// Asks the system to begin writing a file to the disk; wraps `sync_file_range(2)`.
public func beginSync(_ descriptor: Int32) { cplatform_begin_sync(descriptor) }

/// Returns the current folder; wraps `getcwd(3)`. `.` if it was removed.
public func currentFolder() -> String {
  guard let folder = getcwd(nil, 0) else { return "." }
  defer { free(folder) }
  return PathBytes.text(folder)
}

/// The folder for temporary files: the value of `TMPDIR`, or else `/tmp`.
public var temporaryFolder: String {
  guard let folder = getenv("TMPDIR"), folder.pointee != 0 else { return "/tmp" }
  return PathBytes.text(folder)
}

/// Creates a pipe whose ends are not inherited by other programs; wraps `pipe(2)` and `fcntl(2)`.
///
/// - Returns: 0, or -1 with `errno` set.
public func makePipe(_ ends: inout [Int32]) -> Int32 {
  guard pipe(&ends) == 0 else { return -1 }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return 0
}
