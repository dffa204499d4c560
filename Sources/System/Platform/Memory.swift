import CPlatform

/// Requests large pages for memory that will be filled, if the system supports them; wraps `madvise(2)` with
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
  let descriptor = open("/proc/\(process.map(String.init) ?? "self")/statm", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var text = [UInt8](repeating: 0, count: 256)
  let count = read(descriptor, &text, text.count)
  let pages = text.prefix(max(0, count)).split(separator: 32).prefix(3).map { field in
    field.reduce(0) { $0 * 10 + Int($1) - 0x30 }
  }
  return pages.count == 3 ? (pages[1] - pages[2]) * Int(getpagesize()) : nil
}
