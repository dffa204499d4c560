import Platform

/// A value behind a mutex with a condition variable: for state that threads wait on.
///
/// Built on `pthread_mutex_t` and `pthread_cond_t`, which the thread sanitizer understands.
///
/// `@unchecked Sendable`: the value is only reached inside `withLock` and `wait`, under the mutex.
public final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  /// What times to wait until are measured with.
  #if canImport(Glibc)
    private static var clock: clockid_t { CLOCK_MONOTONIC }
  #else
    private static var clock: clockid_t { CLOCK_REALTIME }
  #endif

  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    #if canImport(Glibc)
      // Somebody may set the time of day.
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, Self.clock)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #else
      pthread_cond_init(condition, nil)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with the value, alone. `body` must not lock this monitor again.
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Runs `body` until it gives a result, sleeping between tries until `notify` is called.
  public func wait<Result>(until body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      var next = Self.time(in: Self.longestSleep)
      _ = pthread_cond_timedwait(condition, mutex, &next)
    }
  }

  /// As `wait(until:)`, giving up at `seconds` from now with nil.
  public func wait<Result>(seconds: Double, until body: (inout Value) -> Result?) -> Result? {
    let deadline = Self.time(in: seconds)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      let sleep = Self.time(in: Self.longestSleep)
      let isLast = (deadline.tv_sec, deadline.tv_nsec) <= (sleep.tv_sec, sleep.tv_nsec)
      var next = isLast ? deadline : sleep
      if pthread_cond_timedwait(condition, mutex, &next) == ETIMEDOUT, isLast {
        return body(&value)
      }
    }
  }

  /// Seconds after which a waiter looks again though nobody has called it: glibc up to 2.40 can lose a call
  /// (https://sourceware.org/bugzilla/show_bug.cgi?id=25847).
  private static var longestSleep: Double { 0.2 }

  /// So many seconds from now.
  private static func time(in seconds: Double) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    let nanoseconds = time.tv_nsec + Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9)
    time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return time
  }

  /// Wakes all waiters.
  public func notifyAll() { pthread_cond_broadcast(condition) }
}
