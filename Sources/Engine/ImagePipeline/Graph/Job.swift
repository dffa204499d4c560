import Scheduling
import Synchronization

/// The work of making one request's outputs, which scripts can wait for and cancel. A verification is a job, too.
package final class Job: Sendable {
  /// The kind of a request, by the name of the function in scripts that usually makes it.
  package struct Kind: Sendable, Hashable {
    package let rawValue: String

    package init(_ name: String) { rawValue = name }

    static let save = Kind("save")
    static let animation = Kind("animation")
    static let multipage = Kind("multipage")
    package static let tiles = Kind("tiles")
    package static let verify = Kind("verify")
  }

  /// One file of a job and its result.
  package struct Output: Sendable {
    private(set) var place: InternedPath
    package var byteCount: Int?
    /// Whether the output already existed, because an earlier run made it.
    package internal(set) var isKept = false
    /// Whether another shard makes the output.
    var isElsewhere = false
    private indirect enum Failure { case diagnostic(Diagnostic) }
    /// The failure. It is stored indirectly, because most outputs have none, and there are thousands.
    private var storedFailure: Failure?
    /// The key of an output whose name has a digest, because several outputs may be called `{hash}.jpg`; nil for
    /// others.
    private let digestKey: String?

    package var failure: Diagnostic? {
      get {
        guard case .diagnostic(let diagnostic)? = storedFailure else { return nil }
        return diagnostic
      }
      set { storedFailure = newValue.map { .diagnostic($0) } }
    }

    /// Whether this program should have made the output, but neither did so nor reported a failure.
    package var isCancelled: Bool { byteCount == nil && failure == nil && !isElsewhere }

    init(_ place: InternedPath, key: String? = nil, failure: Diagnostic? = nil) {
      self.place = place
      digestKey = key
      self.failure = failure
    }

    /// The path. It contains `{hash}` until a file with this field in its name is complete.
    package var path: String { place.text }
    /// The identifier of the output for shards: its path, followed by a number if its name has a digest, as in
    /// `{hash}.jpg#2`.
    package var key: String { digestKey ?? path }

    /// Sets the final path of an output whose name has a digest. Does nothing for other outputs.
    mutating func rename(_ path: String) { if digestKey != nil { place = InternedPath(path) } }
  }

  package struct Result: Sendable {
    package var outputs: [Output] = []
    /// The number of pages of a document.
    package var pages = 0
    package var isCancelled = false
    /// Whether the job was only checked and planned, in a dry run.
    package var isPlanned = false
    package var verification: VerificationOutcome?
    /// The reason why the job was cancelled.
    package var reason: CancellationReason?

    /// Whether every output was written, was kept or is made by another shard, and no verification has failed. In a dry
    /// run, whether no output has failed.
    package var isSuccess: Bool {
      if isPlanned { return outputs.allSatisfy { $0.failure == nil } }
      return !isCancelled && outputs.allSatisfy { $0.failure == nil && ($0.byteCount != nil || $0.isElsewhere) }
        && verification?.isVerified ?? true
    }
  }

  struct State {
    var remaining: Int32 = 0
    var isStarted = false
    var isFinished = false
    /// Whether other jobs wait for this one.
    var hasFollowers = false
    /// Whether the job was cancelled before it started.
    var isCancelledEarly = false
    var result = Result()
    var items: [WorkItem] = []
    /// The work item that later jobs wait for. It is made when the first task of such a job is submitted.
    var gate: WorkItem?
    var after: [Job] = []
  }

  package let kind: Kind
  package let qos: QualityOfService
  package let position: ScriptPosition?
  /// The jobs that must end before this one starts.
  ///
  /// Emptied when this job ends, because releasing a chain of thousands of jobs would recurse.
  package var after: [Job] { state.withLock { $0.after } }
  /// The token that cancels only this job.
  package let cancellation: CancellationToken
  let state = Mutex(State())

  /// Changes the result that scripts see.
  package func update(_ body: (inout Result) -> Void) { state.withLock { body(&$0.result) } }

  init(_ kind: Kind, position: ScriptPosition?, qos: QualityOfService, after: [Job] = [], parent: CancellationToken) {
    self.kind = kind
    self.position = position
    self.qos = qos
    cancellation = CancellationToken(parent: parent)
    state.withLock { $0.after = after }
  }

  func markPlanned() { state.withLock { $0.result.isPlanned = true } }

  /// Asks the job to stop, without waiting for it. Files that it has written remain.
  package func cancel(_ reason: CancellationReason, on scheduler: Scheduler) {
    cancellation.mark(reason)
    // A task that also works for other jobs may have to continue.
    for item in waitedFor { scheduler.cancelIfAsked(item, reason) }
  }

  /// Adds a work item, whose service class is raised while the script waits for the job.
  func add(_ item: WorkItem) { state.withLock { $0.items.appendSparingly(item) } }

  /// The job's work items.
  var waitedFor: [WorkItem] { state.withLock { $0.items } }

  package var isFinished: Bool { state.withLock { $0.isFinished } }
  package var result: Result { state.withLock { $0.result } }

  /// The state in scripts: `waiting`, `ready`, `running`, `finished`, `failed` or `cancelled`.
  package var stateName: String {
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

extension Array {
  /// Appends an element. For the first one, no room for more is reserved, because thousands of arrays have only one.
  mutating func appendSparingly(_ element: Element) {
    if isEmpty { self = [element] } else { append(element) }
  }
}
