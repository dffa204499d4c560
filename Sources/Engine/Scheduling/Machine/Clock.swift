import Platform

/// Returns the nanoseconds of `CLOCK_MONOTONIC`; wraps `clock_gettime(2)`.
public func monotonicNanoseconds() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int(now.tv_sec) * 1_000_000_000 + Int(now.tv_nsec)
}

/// Returns the processor time of the calling thread in nanoseconds: `CLOCK_THREAD_CPUTIME_ID`.
func threadNanoseconds() -> Int {
  var used = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
  return Int(used.tv_sec) * 1_000_000_000 + Int(used.tv_nsec)
}

/// Returns the seconds of `CLOCK_MONOTONIC`.
public func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }
