import Platform
import Reporting

/// Receives Ctrl-C and termination requests on a thread of its own.
package final class SignalWatch: Sendable {
  private struct State {
    var isHeld = false
    var isOver = false
  }
  private let state = Monitor(State())

  /// Blocks the signals. Create the object before other threads start.
  ///
  /// - Parameter action: called with the first signal unless `end` was called before; it must end the process. A second
  ///   signal during the action ends the process at once.
  package init(_ action: @escaping @Sendable (Int32) -> Void) {
    let signals = Interruption.block()
    startThread { [state] in
      let number = Interruption.next(of: signals)
      startThread { _exit(128 + Interruption.next(of: signals)) }
      let isOver = state.wait { $0.isHeld ? nil : $0.isOver }
      if isOver { _exit(128 + number) }
      action(number)
    }
  }

  /// Runs `body` to its end before a signal takes effect, so that a job is either submitted and recorded, or not
  /// submitted.
  package func holding<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    state.withLock { $0.isHeld = true }
    defer {
      state.withLock { $0.isHeld = false }
      state.notifyAll()
    }
    return try body()
  }

  /// Makes later signals end this process directly, without a call of `action`.
  package func end() { state.withLock { $0.isOver = true } }
}
