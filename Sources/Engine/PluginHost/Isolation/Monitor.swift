import Platform

/// A value behind a lock on whose changes threads can wait; wraps `pthread_mutex_t` and
/// `pthread_cond_t`.
///
/// `@unchecked Sendable`: the value is reached under the lock only.
final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Calls `body` until it gives something: at once, after each `signal`, and every 20 milliseconds.
  func wait<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result?)
    throws(Failure) -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = try body(&value) { return result }
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      time.tv_nsec += 20_000_000
      if time.tv_nsec >= 1_000_000_000 {
        time.tv_sec += 1
        time.tv_nsec -= 1_000_000_000
      }
      pthread_cond_timedwait(condition, mutex, &time)
    }
  }

  /// Wakes a waiting thread.
  func signal() { pthread_cond_signal(condition) }
}
