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
