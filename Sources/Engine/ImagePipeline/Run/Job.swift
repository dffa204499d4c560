import Scheduling
import Synchronization

/// The pictures that one call of a sink writes, as work that scripts can wait for and cancel.
public final class Job: Sendable {
  public enum Kind: String, Sendable { case save, book, animation, multipage, tiles, verify }

  /// One file of a job and its result.
  public struct Output: Sendable {
    private(set) var place: SplitPath
    public var byteCount: Int?
    /// Whether another shard makes it.
    var isElsewhere = false
    /// Kept elsewhere, because it is nil in most of thousands of outputs.
    private var failureBox: [Diagnostic] = []
    /// The path by which shards know it, where the name has a digest: several outputs may be `{hash}.jpg`.
    private var keyBox: [String] = []

    /// Whether it was to be made here, and was not.
    public var isCancelled: Bool { byteCount == nil && failure == nil && !isElsewhere }

    init(_ place: SplitPath, key: String? = nil, failure: Diagnostic? = nil) {
      self.place = place
      keyBox = key.map { [$0] } ?? []
      self.failure = failure
    }

    /// The path; until the file is complete, with `{hash}` in it where the name has one.
    public var path: String { place.text }
    /// The path by which shards know it: that of the output as the script names it, with a number for `{hash}`.
    public var key: String { keyBox.first ?? path }

    /// Gives it the path that it has got.
    mutating func rename(_ path: String) { if !keyBox.isEmpty { place = SplitPath(path) } }

    public var failure: Diagnostic? {
      get { failureBox.first }
      set { failureBox = newValue.map { [$0] } ?? [] }
    }
  }

  public struct Result: Sendable {
    public var outputs: [Output] = []
    /// The number of pages of a book.
    public var pages = 0
    public var isCancelled = false
    /// Whether it was only checked and planned, as a dry run does it.
    public var isPlanned = false
    // Kept elsewhere, because they are nil in most of thousands of jobs.
    private var verificationBox: [VerificationOutcome] = []
    private var reasonBox: [CancellationReason] = []

    public var verification: VerificationOutcome? {
      get { verificationBox.first }
      set { verificationBox = newValue.map { [$0] } ?? [] }
    }

    /// The reason why it was cancelled.
    public var reason: CancellationReason? {
      get { reasonBox.first }
      set { reasonBox = newValue.map { [$0] } ?? [] }
    }

    /// Whether everything was written and, if asked, verified; in a dry run, whether everything was planned.
    public var isSuccess: Bool {
      if isPlanned { return outputs.allSatisfy { $0.failure == nil } }
      return !isCancelled && outputs.allSatisfy { $0.failure == nil && ($0.byteCount != nil || $0.isElsewhere) }
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
    /// The item that later jobs wait for; made when the first of them is started.
    var gate: WorkItem?
    var after: [Job] = []
  }

  public let kind: Kind
  public let qos: QualityOfService
  public let position: ScriptPosition?
  /// Jobs that must be done before this one.
  ///
  /// Empty when the job is over, because a chain of thousands would be released recursively.
  public var after: [Job] { state.withLock { $0.after } }
  /// Cancels this job alone.
  public let cancellation: CancellationToken
  let state = Mutex(State())

  /// Changes what scripts learn of the job.
  package func update(_ body: (inout Result) -> Void) { state.withLock { body(&$0.result) } }

  init(_ kind: Kind, position: ScriptPosition?, qos: QualityOfService, after: [Job] = [], parent: CancellationToken) {
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

  /// Adds work of the job, to be raised when somebody waits for it.
  func add(_ item: WorkItem) {
    state.withLock { state in
      if state.items.isEmpty { state.items = [item] } else { state.items.append(item) }
    }
  }

  /// The items that the job consists of.
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
