#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Nanoseconds of `CLOCK_MONOTONIC`; wraps `clock_gettime(2)`.
public func monotonicNanoseconds() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int(now.tv_sec) * 1_000_000_000 + Int(now.tv_nsec)
}

/// Seconds of `CLOCK_MONOTONIC`.
public func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }
