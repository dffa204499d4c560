/// A clock of the calling thread's time on the processor, which other threads may read; wraps
/// `pthread_getcpuclockid(3)`. Where there is none, a clock of the time that passes.
public func threadClock() -> clockid_t? {
  #if canImport(Glibc)
    var clock = clockid_t()
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : nil
  #else
    return CLOCK_MONOTONIC
  #endif
}
