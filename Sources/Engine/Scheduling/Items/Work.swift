/// Work that a scheduler runs step by step.
///
/// A worker calls `step()` until no work is left. Between two steps the scheduler may put the work aside for something
/// more urgent, and continue it later on another worker, so a step must not leave thread-specific state behind. Steps
/// of the same work never run at the same time, and each sees the writes of the previous one.
public protocol Work: AnyObject, Sendable {
  /// Runs the next step, which should take about a millisecond.
  func step() -> WorkStep
  /// Whether the work should stop. Checked before the first step and after a cancellation.
  var isCancelled: Bool { get }
  /// Ends the work without another step. Called at most once, from any thread.
  func abandon(_ reason: CancellationReason)
  /// Whether the work's steps take about a millisecond, so that the work can be put aside quickly.
  var isDivided: Bool { get }
  /// The name of the work in a trace.
  var name: String { get }
  /// Whether the work's input is in memory, so that no step waits for a disk.
  var isInputReady: Bool { get }
  /// Reads the work's input into memory. Called on a thread that may block, after `isInputReady` was false.
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

/// Work with a single step, given as a closure.
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
