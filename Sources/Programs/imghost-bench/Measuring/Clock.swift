import Platform

/// Time that only goes forward.
enum Clock {
  static var nanoseconds: Int { read(CLOCK_MONOTONIC) }

  /// The processor time that all threads of this process have used.
  static var processorNanoseconds: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

  private static func read(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  static var seconds: Double { Double(nanoseconds) / 1e9 }
}
