import Platform

/// Time that only goes forward.
enum Clock {
  static var nanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  static var seconds: Double { Double(nanoseconds) / 1e9 }
}
