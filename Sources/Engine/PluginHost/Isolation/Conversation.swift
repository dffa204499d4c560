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

  /// Waits for the answer, and returns its kind and body. After an error the worker cannot be used again, except if
  /// `.cancelled` was thrown after an answer.
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

  /// Parses a message. Returns nil for a line of the log or a message about threads, which is handled here.
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
