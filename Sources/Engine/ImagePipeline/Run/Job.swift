import Scheduling
import Synchronization

/// What a sink returns: the pictures it writes, as one piece of work that can be waited for and cancelled.
public final class Job: Sendable {
  public enum Kind: String, Sendable { case save, book, verify }

  /// One file of a job and what became of it.
  public struct Output: Sendable {
    let place: SplitPath
    public var byteCount: Int?
    /// Nil in most of thousands of outputs, so kept elsewhere.
    private var failureBox: [Diagnostic] = []

    init(_ place: SplitPath, failure: Diagnostic? = nil) {
      self.place = place
      self.failure = failure
    }

    public var path: String { place.text }

    public var failure: Diagnostic? {
      get { failureBox.first }
      set { failureBox = newValue.map { [$0] } ?? [] }
    }
  }

  public struct Result: Sendable {
    public var outputs: [Output] = []
    /// Pages of a book.
    public var pages = 0
    public var isCancelled = false
    /// Checked and planned, as a dry run does it; nothing was written.
    public var isPlanned = false
    // Nil in most of thousands of jobs, so kept elsewhere.
    private var verificationBox: [VerificationOutcome] = []
    private var reasonBox: [CancellationReason] = []

    public var verification: VerificationOutcome? {
      get { verificationBox.first }
      set { verificationBox = newValue.map { [$0] } ?? [] }
    }

    /// Why it was cancelled.
    public var reason: CancellationReason? {
      get { reasonBox.first }
      set { reasonBox = newValue.map { [$0] } ?? [] }
    }

    /// Everything written and, where asked, verified; in a dry run, everything planned.
    public var isSuccess: Bool {
      if isPlanned { return outputs.allSatisfy { $0.failure == nil } }
      return !isCancelled && outputs.allSatisfy { $0.failure == nil && $0.byteCount != nil }
        && verification?.isVerified ?? true
    }
  }

  struct State {
    var remaining: Int32 = 0
    var isStarted = false
    var isFinished = false
    /// Whether jobs come after this one.
    var hasFollowers = false
    /// Whether it was cancelled before it was started.
    var isCancelledEarly = false
    var result = Result()
    var items: [WorkItem] = []
    /// What jobs that come after this one wait for; made when the first of them is started.
    var gate: WorkItem?
    var after: [Job] = []
  }

  public let kind: Kind
  public let qos: QualityOfService
  public let position: ScriptPosition?
  /// Jobs that must have been done before.
  ///
  /// Gone when the job is over: a chain of thousands would be released one inside the other.
  public var after: [Job] { state.withLock { $0.after } }
  /// Cancels this job alone.
  public let cancellation: CancellationToken
  let state = Mutex(State())

  /// Changes what scripts learn of the job.
  package func update(_ body: (inout Result) -> Void) { state.withLock { body(&$0.result) } }

  init(
    _ kind: Kind, position: ScriptPosition?, qos: QualityOfService, after: [Job] = [],
    parent: CancellationToken
  ) {
    self.kind = kind
    self.position = position
    self.qos = qos
    cancellation = CancellationToken(parent: parent)
    state.withLock { $0.after = after }
  }

  /// Stops the job soon; what it has written stays.
  public func cancel(_ reason: CancellationReason, on scheduler: Scheduler) {
    cancellation.mark(reason)
    // A task may serve other jobs, too.
    for item in waitedFor { scheduler.cancelIfAsked(item, reason) }
  }

  /// Notes work of the job's, to be raised when somebody waits for it.
  func add(_ item: WorkItem) {
    state.withLock { state in
      if state.items.isEmpty { state.items = [item] } else { state.items.append(item) }
    }
  }

  /// The items whose end is the job's.
  var waitedFor: [WorkItem] { state.withLock { $0.items } }

  public var isFinished: Bool { state.withLock { $0.isFinished } }
  public var result: Result { state.withLock { $0.result } }

  /// `waiting`, `ready`, `running`, `finished`, `failed` or `cancelled`.
  public var stateName: String {
    state.withLock { state in
      if !state.isStarted && cancellation.isCancelled { state.isCancelledEarly = true }
      if state.isCancelledEarly { return "cancelled" }
      if !state.isStarted { return "waiting" }
      if !state.isFinished {
        let states = state.items.map(\.state)
        if states.allSatisfy({ $0 == .waiting }) { return "waiting" }
        return states.allSatisfy { $0 == .waiting || $0 == .ready } ? "ready" : "running"
      }
      if state.result.isCancelled { return "cancelled" }
      return state.result.isSuccess ? "finished" : "failed"
    }
  }
}
