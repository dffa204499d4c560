import Platform

/// The time that a call has taken, measured so that the load of the machine does not affect it.
///
/// Two times are compared with the same limit. Computing time is the processor time of all the worker's threads, or the
/// elapsed time if that is shorter, so that parallel threads count once. Idle time is time in which the worker uses
/// less than 1% of the limit as processor time, and none of its threads is ready to run.
package struct CallTime {
  /// The limit that a call has exceeded.
  package enum Overrun: Equatable, Sendable {
    case computing(Duration)
    case idle(Duration)
  }

  private let process: pid_t
  private let limit: Duration
  /// The limit, and the interval between two checks of the worker, in nanoseconds.
  private let most, interval: Int64
  /// The time and the worker's processor time at the last check.
  private var last, lastUsed: Int64
  private var computed: Int64
  /// The idle time so far, and the worker's processor time when the idle time began, in nanoseconds.
  private var idle: Int64
  private var idleUsed: Int64

  /// - Parameter passed: the time since the worker was started, if this is its first call.
  init(of worker: WorkerProcess, limit: Duration, passed: Duration) {
    process = worker.identifier
    self.limit = limit
    most = limit.nanoseconds
    interval = max(1_000_000, min(100_000_000, most / 16))
    last = awakeNanoseconds()
    lastUsed = processorNanoseconds(of: process) ?? 0
    computed = min(passed.nanoseconds, lastUsed)
    idle = passed.nanoseconds - computed
    idleUsed = lastUsed
  }

  /// Checks the worker, and returns the limit that it has exceeded; nil for none. Must be called every few
  /// milliseconds.
  mutating func overrun() -> Overrun? {
    let now = awakeNanoseconds()
    let passed = now - last
    guard passed >= interval else { return nil }
    // If the system does not report the processor time, all time counts.
    let used = processorNanoseconds(of: process) ?? lastUsed + passed
    computed += min(passed, used - lastUsed)
    (last, lastUsed) = (now, used)
    if used - idleUsed > most / 100 {
      (idle, idleUsed) = (0, used)
    } else {
      // A long interval counts only in part, because this process may have been stopped, or may have done more urgent
      // work.
      idle += min(passed, 4 * interval)
    }
    if computed > most { return .computing(limit) }
    guard idle > most else { return nil }
    if !hasRunnableThread(process) { return .idle(limit) }
    idle = 0
    return nil
  }
}

extension Duration {
  /// The duration in whole nanoseconds, limited to about a century.
  fileprivate var nanoseconds: Int64 { Int64(min(self / .nanoseconds(1), 3e18)) }
}
