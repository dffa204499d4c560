import Platform

/// The memory that this process has, but for what is in files: `/proc/self/statm` (proc(5)).
enum ProcessMemory {
  /// Bytes; 0 where the system does not tell.
  static func bytes() -> Int {
    #if canImport(Glibc)
      let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return 0 }
      defer { close(descriptor) }
      var text = [UInt8](repeating: 0, count: 256)
      let count = read(descriptor, &text, text.count)
      let pages = text.prefix(max(0, count)).split(separator: 32).prefix(3).map { field in
        field.reduce(0) { $0 * 10 + Int($1) - 0x30 }
      }
      return pages.count == 3 ? (pages[1] - pages[2]) * Int(getpagesize()) : 0
    #else
      return 0
    #endif
  }

  /// Gives back what `malloc` keeps for later; wraps `malloc_trim`, which Swift's module of the C library lacks.
  static func trim() {
    #if canImport(Glibc)
      typealias Trim = @convention(c) (Int) -> CInt
      guard let address = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(address, to: Trim.self)(0)
    #endif
  }
}
