/// A value behind a mutex with a condition variable, for state that threads wait for.
///
/// It wraps `pthread_mutex_t` and `pthread_cond_t`, which the thread sanitizer supports.
///
/// `@unchecked Sendable`, because the value is only accessed under the mutex.
public final class Monitor<Value>: @unchecked Sendable {
  @usableFromInline var value: Value
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let condition: UnsafeMutablePointer<pthread_cond_t>

  @inlinable
  public init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    WaitClock.makeCondition(condition)
  }

  @inlinable
  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the value. `body` must not lock this monitor again.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Runs `body` until it returns a result, and sleeps in between until `notifyAll` is called.
  ///
  /// - Parameter interval: the time in seconds after which `body` is tried again without a call of `notifyAll`. The
  ///   default compensates for wake-ups that glibc up to 2.40 can lose
  ///   (https://sourceware.org/bugzilla/show_bug.cgi?id=25847).
  @inlinable
  public func wait<Result, Failure: Error>(
    retryingEvery interval: Double = 0.2, until body: (inout Value) throws(Failure) -> Result?
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = try body(&value) { return result }
      var next = WaitClock.time(in: interval)
      _ = pthread_cond_timedwait(condition, mutex, &next)
    }
  }

  /// Runs `body` until it returns a result, and sleeps in between; returns nil if there is no result within `seconds`.
  @inlinable
  public func wait<Result>(seconds: Double, until body: (inout Value) -> Result?) -> Result? {
    let deadline = WaitClock.time(in: seconds)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      let retry = WaitClock.time(in: 0.2)
      let isLast = (deadline.tv_sec, deadline.tv_nsec) <= (retry.tv_sec, retry.tv_nsec)
      var next = isLast ? deadline : retry
      if pthread_cond_timedwait(condition, mutex, &next) == ETIMEDOUT, isLast { return body(&value) }
    }
  }

  /// Wakes all waiters.
  @inlinable
  public func notifyAll() { pthread_cond_broadcast(condition) }
}

/// The clock of condition variables, which is monotonic where the system supports it, because the time of day may be
/// changed.
@usableFromInline
enum WaitClock {
  #if canImport(Glibc)
    private static var identifier: clockid_t { CLOCK_MONOTONIC }
  #else
    private static var identifier: clockid_t { CLOCK_REALTIME }
  #endif

  @usableFromInline
  static func makeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    #if canImport(Glibc)
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, identifier)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #else
      pthread_cond_init(condition, nil)
    #endif
  }

  /// Returns the time that is `seconds` from now.
  @usableFromInline
  static func time(in seconds: Double) -> timespec {
    var time = timespec()
    clock_gettime(identifier, &time)
    let nanoseconds = time.tv_nsec + Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9)
    time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return time
  }
}
