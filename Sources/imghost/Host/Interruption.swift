import ImageCore
import ImagePipeline
import Scheduling

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns Ctrl-C, a termination request or a timeout into cancellation, and sees that the process ends.
///
/// Signals are blocked everywhere and taken by one thread with `sigtimedwait(2)`. What has not stopped
/// two fifths of a second after being asked is ended, its temporary files removed.
final class Interruption: Sendable {
  enum Cause: Sendable {
    case signal
    case timeout(Double)
  }

  private struct State {
    var cause: Cause?
    var isOver = false
  }

  private static let graceSeconds = 0.4
  private let cancellation: CancellationToken
  private let beforeExit: @Sendable () -> Void
  private let state = Monitor(State())

  /// Blocks the signals; call it before other threads are started.
  ///
  /// - Parameter beforeExit: called before a process that has not stopped by itself is ended.
  init(
    cancellation: CancellationToken, timeout: Double?,
    beforeExit: @escaping @Sendable () -> Void = {}
  ) {
    self.cancellation = cancellation
    self.beforeExit = beforeExit
    signal(SIGPIPE, SIG_IGN)
    var signals = Self.signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    startThread { self.waitForSignals() }
    if let timeout { startThread { self.waitForTimeout(timeout) } }
  }

  /// What ended the run before its time.
  var cause: Cause? { state.withLock { $0.cause } }

  /// The run is over: nothing is ended any more.
  func end() {
    state.withLock { $0.isOver = true }
    state.notifyAll()
  }

  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
    return set
  }

  private func waitForSignals() {
    var signals = Self.signals
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    interrupt(.signal, status: .interrupted)
  }

  private func waitForTimeout(_ seconds: Double) {
    let isOver = state.wait(seconds: seconds) { $0.isOver ? true : nil } ?? false
    if !isOver { interrupt(.timeout(seconds), status: .someFailed) }
  }

  private func interrupt(_ cause: Cause, status: ExitStatus) {
    state.withLock { state in if state.cause == nil { state.cause = cause } }
    cancellation.cancel(CancellationReason(cause.reason))
    let isOver = state.wait(seconds: Self.graceSeconds) { $0.isOver ? true : nil } ?? false
    guard !isOver else { return }
    Terminal.progress("")
    beforeExit()
    TemporaryFiles.removeAll()
    Terminal.error("imghost: " + cause.text)
    _exit(status.rawValue)
  }
}

extension Interruption.Cause {
  /// Ends the sentence "cancelled, because …".
  var reason: String {
    switch self {
    case .signal: "the run was interrupted"
    case .timeout(let seconds):
      "the run has taken \(ParameterValue.text(seconds)) s, the limit given with --timeout"
    }
  }

  var text: String {
    switch self {
    case .signal: "interrupted"
    case .timeout(let seconds):
      "stopped after \(ParameterValue.text(seconds)) s, the limit given with --timeout"
    }
  }
}
