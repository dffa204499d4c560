import CPlatform

/// Requests large pages for memory that is about to be filled, if the system supports them; wraps `madvise(2)` with
/// `MADV_HUGEPAGE`.
public func preferHugePages(_ base: UnsafeMutableRawPointer, byteCount: Int) {
  #if os(Linux)
    madvise(base, byteCount, MADV_HUGEPAGE)
  #endif
}

/// Returns unused memory of `malloc(3)` to the system; wraps `malloc_trim(3)`.
public func trimMemory() { cplatform_trim_memory() }

/// The peak of this process's resident memory in bytes; wraps `getrusage(2)`.
public var peakByteCount: Int {
  var usage = rusage()
  #if os(Linux)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Int(usage.ru_maxrss) << 10
  #else
    getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss)
  #endif
}

/// Returns the resident memory of a process in bytes, without shared pages; nil if it is unknown.
///
/// Reads `/proc/PID/statm` of proc(5); without a process, that of the caller.
public func residentByteCount(of process: pid_t? = nil) -> Int? {
  guard let text = shortText(of: "/proc/\(process.map(String.init) ?? "self")/statm") else { return nil }
  let pages = text.split(separator: 32).prefix(3).map { field in field.reduce(0) { $0 * 10 + Int($1) - 0x30 } }
  return pages.count == 3 ? (pages[1] - pages[2]) * Int(getpagesize()) : nil
}

/// A resource limit of this process; wraps `getrlimit(2)` and `setrlimit(2)`.
public enum ResourceLimit {
  case addressSpace, coreFile, openFiles

  #if canImport(Glibc)
    private var number: __rlimit_resource_t {
      switch self {
      case .addressSpace: __rlimit_resource_t(RLIMIT_AS.rawValue)
      case .coreFile: __rlimit_resource_t(RLIMIT_CORE.rawValue)
      case .openFiles: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      }
    }
  #else
    private var number: Int32 {
      switch self {
      case .addressSpace: RLIMIT_AS
      case .coreFile: RLIMIT_CORE
      case .openFiles: RLIMIT_NOFILE
      }
    }
  #endif

  /// The soft and the hard limit; nil if they are unknown.
  public var value: rlimit? {
    var limit = rlimit()
    return getrlimit(number, &limit) == 0 ? limit : nil
  }

  /// Sets both limits. If that is not permitted, the limit does not change.
  public func set(_ limit: rlimit) {
    var limit = limit
    setrlimit(number, &limit)
  }

  /// The soft limit; `Int.max` if there is none or it is unknown.
  public var soft: Int { value.map { Int(clamping: $0.rlim_cur) } ?? .max }
}

extension [UInt8] {
  /// Returns whether the bytes contain a sequence of bytes. Wraps `memmem(3)`.
  package func holds(_ bytes: [UInt8]) -> Bool {
    cplatform_contains(self, UInt(count), bytes, UInt(bytes.count)) != 0
  }
}
