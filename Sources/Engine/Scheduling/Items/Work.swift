/// Work that a scheduler carries out step by step.
///
/// A worker calls `step()` until nothing is left. Between two steps the scheduler may put the work aside for something
/// more urgent, and go on later on another worker, so that a step must leave nothing behind that belongs to a thread.
/// No two steps of the same work run at a time, and each sees the writes of the one before.
public protocol Work: AnyObject, Sendable {
  /// Does the next part, of about a millisecond.
  func step() -> WorkStep
  /// Whether the work should stop. Read before the first step and after a cancellation.
  var isCancelled: Bool { get }
  /// Ends the work without another step. Called once at most, from any thread.
  func abandon(_ reason: CancellationReason)
  /// Whether its steps take about a millisecond, so that it may soon be put aside.
  var isDivided: Bool { get }
  /// Its name in a drawing of the run.
  var name: String { get }
  /// Whether its input is in memory, so that no step waits for a disk.
  var isInputReady: Bool { get }
  /// Reads its input into memory. Called on a thread that may wait, after `isInputReady` was false.
  func fetchInput()
}

extension Work {
  public var isCancelled: Bool { false }
  public func abandon(_ reason: CancellationReason) {}
  public var isDivided: Bool { true }
  public var isInputReady: Bool { true }
  public func fetchInput() {}
}

/// The outcome of a step.
public enum WorkStep: Sendable {
  /// More steps are needed.
  case more
  case finished
  /// The work has failed; items that need its success are cancelled.
  case failed
  /// The work has noticed that it was cancelled, and has stopped.
  case cancelled
}

/// Work of one step, done by a closure.
final class ClosureWork: Work {
  private let body: @Sendable () -> WorkStep
  private let token: CancellationToken?
  let name: String

  init(_ name: String, token: CancellationToken?, _ body: @escaping @Sendable () -> WorkStep) {
    self.name = name
    self.token = token
    self.body = body
  }

  func step() -> WorkStep { body() }
  var isCancelled: Bool { token?.isCancelled ?? false }
  var isDivided: Bool { false }
}
