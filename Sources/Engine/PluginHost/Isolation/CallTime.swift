import Platform

/// The time that a call may take. A busy machine takes nothing away.
///
/// Two things count, each up to the same limit. One is computing: the shorter of the processor time of the worker's
/// threads and the time that has passed, so that several threads count once. The other is waiting: the worker uses less
/// than 1% of the limit, and none of its threads is ready to run.
package struct CallTime {
  /// The limit that a call has passed.
  package enum Overrun: Equatable, Sendable {
    case computing(Duration)
    case idle(Duration)
  }

  private let process: pid_t
  private let limit: Duration
  /// The limit, and the nanoseconds between two looks at the worker.
  private let most, interval: Int64
  /// The time and the worker's processor time at the last look.
  private var last, lastUsed: Int64
  private var computed: Int64
  /// The time without progress, and the processor time when that began.
  private var idle: Int64
  private var idleUsed: Int64

  /// - Parameter passed: the time that has passed since the worker was started, if this is its first call.
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

  /// Looks at the worker, and returns the limit that it has passed; nil for none. To be called every few milliseconds.
  mutating func overrun() -> Overrun? {
    let now = awakeNanoseconds()
    let passed = now - last
    guard passed >= interval else { return nil }
    // All time counts where the system does not say.
    let used = processorNanoseconds(of: process) ?? lastUsed + passed
    computed += min(passed, used - lastUsed)
    (last, lastUsed) = (now, used)
    if used - idleUsed > most / 100 {
      (idle, idleUsed) = (0, used)
    } else {
      // This process may have been stopped, or have had more urgent work.
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
  /// Whole nanoseconds, at most those of a century.
  fileprivate var nanoseconds: Int64 { Int64(min(self / .nanoseconds(1), 3e18)) }
}
