import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// Turns Ctrl-C, a termination request or a timeout into cancellation, and guarantees that the process ends.
///
/// Signals are blocked in all threads. One thread receives them with `sigwait(3)`. If the run has not stopped 0.4 s
/// after the cancellation (or later, see `allow`), its temporary files are removed and the process exits.
package final class Interruption: Sendable {
  package enum Cause: Sendable {
    case signal(Int32)
    case timeout(Double)
  }

  private struct State {
    var cause: Cause?
    var isOver = false
    /// The time that the run has to stop after the cancellation, in seconds.
    var graceSeconds = 0.4
  }

  private let cancellation: CancellationToken
  private let beforeExit: @Sendable (ExitStatus) -> Void
  private let state = Monitor(State())

  /// Blocks the signals. Create the object before other threads start.
  ///
  /// - Parameter beforeExit: called before the process exits because the run did not stop in time.
  package init(cancellation: CancellationToken, timeout: Double?, beforeExit: @escaping @Sendable (ExitStatus) -> Void)
  {
    self.cancellation = cancellation
    self.beforeExit = beforeExit
    signal(SIGPIPE, SIG_IGN)
    let signals = Self.block()
    // A run that a preview started ends together with the preview, as after SIGTERM.
    Lifeline.watch { kill(getpid(), SIGTERM) }
    startThread { [signals] in self.wait(for: signals) }
    if let timeout { startThread { self.waitForTimeout(timeout) } }
  }

  /// Blocks the signals that end processes, so that a thread can wait for them, and returns these signals.
  @discardableResult
  package static func block() -> sigset_t {
    var signals = awaitedSignals()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    return signals
  }

  /// Calls a function that may wait for a long time. During the call, the signals end the process.
  package static func allowingSignals(_ body: () -> Void) {
    var signals = awaitedSignals()
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    body()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Runs a step that precedes the run, such as reading a script from a pipe, and exits if the step takes longer than
  /// the time limit of the run.
  package static func limiting<Result, Failure: Error>(
    _ seconds: Double?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let seconds else { return try body() }
    let isOver = Monitor(false)
    startThread {
      if isOver.wait(seconds: seconds, until: { $0 ? true : nil }) != nil { return }
      Terminal.error("imghost: " + Cause.timeout(seconds).text)
      _exit(ExitStatus.someFailed.rawValue)
    }
    defer {
      isOver.withLock { $0 = true }
      isOver.notifyAll()
    }
    return try body()
  }

  /// Waits for a signal that ends processes, in a program that runs until such a signal arrives. Call `block` first.
  package static func waitForSignal() -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    return next(of: awaitedSignals())
  }

  /// Waits for one of some blocked signals, and returns its number.
  package static func next(of signals: sigset_t) -> Int32 {
    var (signals, number) = (signals, Int32(0))
    while sigwait(&signals, &number) != 0 {}
    return number
  }

  /// The cause of the interruption; nil if there was none.
  package var cause: Cause? { state.withLock { $0.cause } }

  /// Gives a cancelled run more time to stop, for its report.
  package func allow(seconds: Double) { state.withLock { $0.graceSeconds += seconds } }

  /// Declares the run over: from now on no signal or timeout interrupts it.
  package func end() {
    state.withLock { $0.isOver = true }
    state.notifyAll()
  }

  /// Returns the signals that end processes. Ignored signals stay ignored, which `nohup` depends on.
  private static func awaitedSignals() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    var numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2]
    numbers += linuxSignals
    for number in numbers where !isIgnored(signal: number) { sigaddset(&set, number) }
    return set
  }

  private func wait(for signals: sigset_t) {
    let number = Self.next(of: signals)
    // After the run, the signal is delivered again for the next receiver.
    if state.withLock({ $0.isOver }) {
      kill(getpid(), number)
      return
    }
    interrupt(.signal(number), status: .interrupted(by: number))
  }

  private func waitForTimeout(_ seconds: Double) {
    let isOver = state.wait(seconds: seconds) { $0.isOver ? true : nil } ?? false
    if !isOver { interrupt(.timeout(seconds), status: .someFailed) }
  }

  private func interrupt(_ cause: Cause, status: ExitStatus) {
    state.withLock { state in if state.cause == nil { state.cause = cause } }
    cancellation.cancel(CancellationReason(cause.reason))
    let start = monotonicSeconds()
    while true {
      let left = start + state.withLock { $0.graceSeconds } - monotonicSeconds()
      if left <= 0 { break }
      if state.wait(seconds: left, until: { $0.isOver ? true : nil }) ?? false { return }
    }
    Terminal.progress("")
    beforeExit(status)
    TemporaryFiles.removeAll()
    Terminal.error("imghost: " + cause.text)
    _exit(status.rawValue)
  }
}

extension Interruption.Cause {
  /// The reason as the end of the sentence "cancelled, because …".
  var reason: String {
    switch self {
    case .signal: "the run was interrupted"
    case .timeout(let seconds):
      "the run has taken \(ParameterValue.text(seconds)) s, the limit given with --timeout"
    }
  }

  package var text: String {
    switch self {
    case .signal: "interrupted"
    case .timeout(let seconds):
      "stopped after \(ParameterValue.text(seconds)) s, the limit given with --timeout"
    }
  }
}
