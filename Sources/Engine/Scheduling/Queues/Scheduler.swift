import Synchronization

/// The process' workers and their queues, one queue for each class of service.
///
/// Foreground workers always take the highest class first, and first in first out within a class.
/// Utility and background work has workers of its own at the lowest OS priority, which run only while the
/// foreground leaves a worker idle; behind a foreground that never does, each of the two classes gets a
/// fiftieth of the workers' time, a step now and then. Between two steps anything may be put aside for
/// something more urgent, so that this waits for a step at most. Admission is by predicted bytes: an item
/// starts when it fits beside what runs, or alone.
///
/// Life cycle: made (set up), `activate()`, `invalidate()`, released. Submitting to one that is set up only
/// is a bug; to one that is invalidated, an error. All members may be called from any thread unless they
/// say otherwise.
public final class Scheduler: Sendable {
  public struct Configuration: Sendable {
    /// Workers of each kind; no more than this many compute at a time.
    public var workers: Int
    /// Bytes that running items may be predicted to need together.
    public var memoryBudget: Int
    /// The part of the workers' time that utility and background work each get at least.
    public var leastShare: Double
    /// Threads beside the workers that may wait for disks and other programs.
    public var waitingThreads: Int
    /// Gets every step, for a drawing of the run.
    public var recorder: TraceRecorder?

    public init(
      workers: Int, memoryBudget: Int, leastShare: Double = 0.02, waitingThreads: Int = 8,
      recorder: TraceRecorder? = nil
    ) {
      self.workers = workers
      self.memoryBudget = memoryBudget
      self.leastShare = leastShare
      self.waitingThreads = waitingThreads
      self.recorder = recorder
    }
  }

  public let configuration: Configuration
  let state: Monitor<State>
  /// The classes in which something could run, a bit each, for workers that look between two steps.
  let readyClasses = Atomic<UInt>(0)
  /// Whether more utility and background items run than the foreground leaves room for.
  let isLowCrowded = Atomic<Bool>(false)
  private let spareWorker = Atomic<Bool>(false)
  /// Whether a worker finds nothing to do at the moment: work that could be divided may as well be.
  public var hasSpareWorker: Bool { spareWorker.load(ordering: .relaxed) }
  func note(spareWorker isThere: Bool) { spareWorker.store(isThere, ordering: .relaxed) }

  /// Whether the foreground has anything to do.
  let isForegroundBusy = Atomic<Bool>(false)
  /// Whether more foreground items run than there are workers, after one that waited has come back.
  let isForegroundCrowded = Atomic<Bool>(false)
  /// When a low class that got nothing is next owed a step, in nanoseconds.
  let nextUtilityTurn = Atomic<Int>(0)
  let nextBackgroundTurn = Atomic<Int>(0)

  /// Whether a thread looks after calls that seldom wait.
  let isWatching = Atomic<Bool>(false)

  public init(_ configuration: Configuration) {
    precondition(configuration.workers >= 1 && configuration.memoryBudget > 0)
    precondition(configuration.waitingThreads >= 1 && configuration.leastShare > 0)
    self.configuration = configuration
    state = Monitor(State(configuration))
  }

  deinit {
    state.withLock { state in
      precondition(state.phase != .active, "a scheduler was released while active")
    }
  }

  /// Takes work from now on. Threads are started when they are needed.
  public func activate() {
    state.withLock { state in
      precondition(state.phase == .setUp, "a scheduler is activated once")
      state.phase = .active
    }
  }

  /// Waits until the running steps have returned, abandons everything that is not over, and ends the
  /// workers.
  ///
  /// Not from a worker. Threads that wait for a disk or another program end when that answers.
  public func invalidate() {
    preconditionNotOnWorker()
    var effects = Effects()
    state.withLock { state in
      precondition(state.phase != .invalidated, "a scheduler is invalidated once")
      state.phase = .invalidated
      publish(&state)
      state.wakeEverybody(&effects)
    }
    perform(effects)
    state.wait { state in state.computeThreads == 0 ? () : nil }
    effects = Effects()
    state.withLock { state in
      for item in state.everyItem { cancel(item, .invalidated, &state, &effects) }
      precondition(state.phase == .invalidated)
    }
    perform(effects)
  }

  /// The most bytes that admitted items were predicted to need at one time.
  public var peakAdmittedBytes: Int { state.withLock { $0.peakBytes } }

  /// Threads there are now, of all kinds.
  public var threadCount: Int { state.withLock { $0.computeThreads + $0.waitingThreads } }

  /// The most threads there may be, however much is queued and however much of it waits.
  public var threadLimit: Int {
    configuration.workers * 2 + Self.spareWorkers + configuration.waitingThreads + 1
  }
}
