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
