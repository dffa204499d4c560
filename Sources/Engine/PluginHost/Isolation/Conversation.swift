import CPluginABI
import ImageCore
import Platform

/// A message of a running plugin that is neither its result nor an error.
package enum PluginEvent: Sendable, Equatable {
  /// A line for the user; the plugin sets `isWarning`.
  case log(plugin: String, isWarning: Bool, text: String)
  /// The completed share of a call, from 0 to 1.
  case progress(plugin: String, fraction: Double)
}

/// Waits for a worker's answer to a message, with a deadline and cancellation. The answer is not trusted.
struct Conversation {
  /// The milliseconds between two checks for cancellation and more urgent work.
  private static let slice = 3
  /// The time in nanoseconds for a cancelled plugin to return before its process is killed.
  static let grace: Int64 = 200_000_000
  /// The maximum number of log lines in a call. A worker that sends more is considered broken.
  static let maximumLogs = 256
  /// The time in milliseconds for a worker to end by itself after it has closed its channel.
  static let endPatience = 200

  let worker: WorkerProcess
  let number: UInt64
  /// The limit for the worker's computing time and for its idle time: see `CallTime`.
  let timeLimit: Duration
  /// The time that has already passed since the worker was started, if this is its first answer.
  var passed = Duration.zero
  let isCancelled: () -> Bool
  /// Called with each line of the log.
  let onLog: (_ level: UInt32, _ text: String) -> Void
  /// Called every few milliseconds while there is no message.
  let onWait: () -> Void
  /// Called once when the call has been cancelled.
  let onCancel: () -> Void

  /// Waits for the answer, and returns its kind and body. After an error, the worker cannot be used again, with one
  /// exception: if the worker of a cancelled call still answers in time, `.cancelled` is thrown, but the worker is
  /// kept.
  func answer() throws(CallFailure) -> (kind: Message, body: WireReader) {
    do throws(CallFailure) {
      let answer = try received()
      guard answer.kind == .failed, worker.uncountedThreads.hasRefused else { return answer }
      throw stop(.uncountedThreads)
    } catch {
      throw error != .cancelled && worker.uncountedThreads.hasRefused ? .uncountedThreads : error
    }
  }

  private func received() throws(CallFailure) -> (kind: Message, body: WireReader) {
    var time = CallTime(of: worker, limit: timeLimit, passed: passed)
    var cancelledAt: Int64?
    var logs = 0
    var isFirst = true
    while true {
      if cancelledAt == nil && isCancelled() {
        cancelledAt = awakeNanoseconds()
        onCancel()
      }
      defer { isFirst = false }
      switch worker.receive(milliseconds: Self.slice, spins: isFirst) {
      case .nothing:
        // An answer that has arrived in time is valid, even if it is read late.
        if let cancelledAt, awakeNanoseconds() - cancelledAt > Self.grace { throw stop(.cancelled) }
        if let overrun = time.overrun() { throw stop(cancelledAt == nil ? .late(overrun) : .cancelled) }
        onWait()
      case .oversized: throw stop(.garbled)
      case .closed: throw closed()
      case .message(let bytes):
        guard let answer = try take(bytes, &logs) else { continue }
        if cancelledAt != nil { throw .cancelled }
        return answer
      }
    }
  }

  /// Parses a message. Handles a line of the log or a message about threads itself, and returns nil.
  private func take(_ bytes: [UInt8], _ logs: inout Int) throws(CallFailure) -> (kind: Message, body: WireReader)? {
    guard let (kind, call, content) = try? Message.open(bytes), call == number else { throw stop(.garbled) }
    var body = content
    switch kind {
    case .log:
      logs += 1
      guard logs <= Self.maximumLogs, let level = try? body.integer(UInt32.self), let text = try? body.line()
      else { throw stop(.garbled) }
      onLog(level, text)
      return nil
    case .threads:
      // Allowed only as the first message, which is sent before foreign code can run.
      guard number == 0, worker.countThreads() else { throw stop(.garbled) }
      return nil
    case .fault:
      guard let fault = try? Fault(from: &body) else { throw stop(.garbled) }
      throw stop(.fault(fault))
    default: return (kind, body)
    }
  }

  private func closed() -> CallFailure { worker.end(patience: Self.endPatience).map { .ended($0) } ?? .closed }

  private func stop(_ failure: CallFailure) -> CallFailure {
    worker.end(isCancelled: failure == .cancelled)
    return failure
  }
}

/// The time that a call has taken, measured so that the load of the machine does not affect it.
///
/// Two times are compared with the same limit. Computing time is the processor time of all the worker's threads, or the
/// elapsed time if that is shorter, so that parallel threads count once. Idle time is the time in which the worker has
/// used at most 1% of the limit as processor time. It starts again from 0 when the worker has used more, and if one of
/// the worker's threads is ready to run when the limit is reached.
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

  /// - Parameter passed: see `Conversation.passed`.
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
