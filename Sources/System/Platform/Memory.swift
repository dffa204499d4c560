import CPlatform

/// Asks for large pages under memory that will be filled, where the system has them; wraps `madvise(2)` with
/// `MADV_HUGEPAGE`.
public func preferHugePages(_ base: UnsafeMutableRawPointer, byteCount: Int) {
  #if os(Linux)
    madvise(base, byteCount, MADV_HUGEPAGE)
  #endif
}

/// Gives back to the system what `malloc(3)` keeps for later; wraps `malloc_trim(3)`.
public func trimMemory() { cplatform_trim_memory() }

/// The most bytes of this process's memory that were resident at one time; wraps `getrusage(2)`.
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

/// Bytes of a process's memory that are resident, without those that it shares; nil where the system does not say.
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
