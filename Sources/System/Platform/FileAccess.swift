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
}

/// A flag of `open(2)` for descriptors that only name a file or folder: `O_PATH`, which Swift's module of the C library
/// lacks; `O_RDONLY` where there is no such flag.
public var openPathOnly: Int32 {
  #if os(Linux)
    0o10_000_000
  #else
    O_RDONLY
  #endif
}

/// Makes an empty file without a name that takes memory only; wraps `memfd_create(2)`.
///
/// - Parameter label: a name for lists of open files.
/// - Returns: its descriptor, or -1 with `errno` set.
public func makeMemoryFile(_ label: String) -> Int32 { cplatform_memory_file(label) }

/// Exchanges the files, or folders, of two names in an open folder; wraps `renameat2(2)`.
///
/// - Returns: 0, or the value of `errno`.
public func exchangeFiles(_ name: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>, in folder: Int32) -> Int32 {
  cplatform_exchange(folder, name, other)
}

/// Returns the current folder; wraps `getcwd(3)`. `.` where it was removed.
public func currentFolder() -> String {
  guard let folder = getcwd(nil, 0) else { return "." }
  defer { free(folder) }
  return String(cString: folder)
}

/// Makes a folder that only this user may enter, below that for temporary files; wraps `mkdtemp(3)`.
///
/// - Returns: its path, or nil with `errno` set.
public func makeTemporaryFolder(_ name: String) -> String? {
  let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
  var path = Array(((parent.isEmpty ? "/tmp" : parent) + "/" + name + "-XXXXXX").utf8CString)
  return path.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } }
}
