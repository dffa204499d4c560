/// Something a scheduler can carry out, a part at a time.
///
/// A worker calls `step()` until it says that nothing is left. Between two steps the scheduler may put the
/// work aside for something more urgent and go on with it later, on another worker: what a step leaves
/// behind must not belong to a thread. No two steps of the same work run at a time, and each sees what the
/// one before has written.
public protocol Work: AnyObject, Sendable {
  /// Does the next part, of about a millisecond, and says how things stand.
  func step() -> WorkStep
  /// Whether it should stop. Asked before the first step and when somebody has cancelled something.
  var isCancelled: Bool { get }
  /// Called once, from any thread, instead of the first step or of one after it: none will follow.
  func abandon(_ reason: CancellationReason)
  /// Whether its steps are short, so that it may be put aside within a millisecond or so.
  var isDivided: Bool { get }
  /// What a drawing of the run calls it.
  var name: String { get }
  /// Whether what it reads is in memory, so that no step waits for a disk.
  var isInputReady: Bool { get }
  /// Reads what it needs into memory. Called on a thread that may wait, when `isInputReady` was false.
  func fetchInput()
}

extension Work {
  public var isCancelled: Bool { false }
  public func abandon(_ reason: CancellationReason) {}
  public var isDivided: Bool { true }
  public var isInputReady: Bool { true }
  public func fetchInput() {}
}

/// What a step of work says.
public enum WorkStep: Sendable {
  /// There is more to do.
  case more
  case finished
  /// It is over and what depends on it makes no sense.
  case failed
  /// It has noticed that it should stop, and has.
  case cancelled
}

/// A closure as work of one step.
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
