import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// Turns Ctrl-C, a termination request or a timeout into cancellation, and sees that the process ends.
///
/// Signals are blocked everywhere and taken by one thread with `sigwait(3)`. What has not stopped
/// two fifths of a second after being asked is ended, its temporary files removed.
final class Interruption: Sendable {
  enum Cause: Sendable {
    case signal(Int32)
    case timeout(Double)
  }

  private struct State {
    var cause: Cause?
    var isOver = false
  }

  private static let graceSeconds = 0.4
  private let cancellation: CancellationToken
  private let beforeExit: @Sendable (ExitStatus) -> Void
  private let state = Monitor(State())

  /// Blocks the signals; call it before other threads are started.
  ///
  /// - Parameter beforeExit: called before a process that has not stopped by itself is ended.
  init(
    cancellation: CancellationToken, timeout: Double?,
    beforeExit: @escaping @Sendable (ExitStatus) -> Void
  ) {
    self.cancellation = cancellation
    self.beforeExit = beforeExit
    signal(SIGPIPE, SIG_IGN)
    let signals = Self.block()
    startThread { [signals] in self.wait(for: signals) }
    if let timeout { startThread { self.waitForTimeout(timeout) } }
  }

  /// Keeps signals until there is an `Interruption`, which then takes them.
  @discardableResult
  static func block() -> sigset_t {
    var signals = awaitedSignals()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    return signals
  }

  /// What ended the run before its time.
  var cause: Cause? { state.withLock { $0.cause } }

  /// The run is over: nothing is ended any more.
  func end() {
    state.withLock { $0.isOver = true }
    state.notifyAll()
  }

  /// All that end a process and that others send, but for those that stand for a fault of its own. One that is ignored
  /// stays so: `nohup` counts on it.
  private static func awaitedSignals() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    var numbers = [
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2,
    ]
    #if canImport(Glibc)
      numbers += [SIGIO, SIGPWR, SIGSTKFLT]
    #endif
    for number in numbers {
      var action = sigaction()
      sigaction(number, nil, &action)
      if !isIgnored(action) { sigaddset(&set, number) }
    }
    return set
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    #else
      return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
    #endif
  }

  private func wait(for signals: sigset_t) {
    var signals = signals
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
    interrupt(.signal(number), status: .interrupted(by: number))
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
    beforeExit(status)
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
