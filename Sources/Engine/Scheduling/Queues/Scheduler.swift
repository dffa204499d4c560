import Platform
import Synchronization

/// Workers and their queues, one queue for each service class.
///
/// Foreground workers take the highest class first, and within a class the item that was ready first. Utility and
/// background work has workers of its own at the lowest priority of the system. They run while the foreground leaves
/// a worker idle. Where it never does, each of the two classes gets a fiftieth of the workers' time, step by step.
///
/// Between two steps an item may be put aside for a more urgent one, which therefore waits for one step at most.
/// Admission is by predicted bytes: an item starts when it fits beside the items that run, or alone.
///
/// Life cycle: made, `activate()`, `invalidate()`, released. Submitting before `activate()` is a bug; submitting after
/// `invalidate()` is an error. All members may be called from any thread unless they say otherwise.
public final class Scheduler: Sendable {
  public struct Configuration: Sendable {
    /// The number of workers of each kind, and of items that compute at a time.
    public var workers: Int
    /// The sum of the bytes that running items may be predicted to need.
    public var memoryBudget: Int
    /// The smallest part of the workers' time that utility and background work each get.
    public var leastShare: Double
    /// The number of threads beside the workers that may wait for disks and other programs.
    public var waitingThreads: Int
    /// The recorder of every step, for a drawing of the run.
    public var recorder: TraceRecorder?

    public init(
      workers: Int, memoryBudget: Int = .max, leastShare: Double = 0.02, waitingThreads: Int = 8,
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
  /// One bit for each class in which something could run. Workers look at it between two steps.
  let readyClasses = Atomic<UInt>(0)
  /// Whether more utility and background items run than the foreground leaves room for.
  let isLowOversubscribed = Atomic<Bool>(false)
  private let spareWorker = Atomic<Bool>(false)
  /// Whether a worker has nothing to do, so that dividing work pays.
  public var hasSpareWorker: Bool { spareWorker.load(ordering: .relaxed) }
  func note(spareWorker isThere: Bool) { spareWorker.store(isThere, ordering: .relaxed) }

  /// Whether the foreground has anything to do.
  let isForegroundBusy = Atomic<Bool>(false)
  /// Whether more foreground items run than there are workers, after a worker has returned from a wait.
  let isForegroundOversubscribed = Atomic<Bool>(false)
  /// The times at which the low classes are next owed a step, in nanoseconds.
  let nextUtilityTurn = Atomic<Int>(0)
  let nextBackgroundTurn = Atomic<Int>(0)

  /// Whether a thread watches calls that seldom wait.
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

  /// Accepts work from now on. Threads are started when they are needed.
  public func activate() {
    state.withLock { state in
      precondition(state.phase == .setUp, "a scheduler is activated once")
      state.phase = .active
    }
  }

  /// Waits until the running steps have returned, abandons all other items, and ends the workers.
  ///
  /// Must not be called from a worker. Threads that wait for a disk or another program end when that answers.
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

  /// The largest sum of bytes that admitted items were predicted to need at one time.
  var peakAdmittedBytes: Int { state.withLock { $0.peakBytes } }

  /// The number of threads now, of all kinds.
  var threadCount: Int { state.withLock { $0.computeThreads + $0.waitingThreads } }

  /// The largest number of threads, however much is queued or waits.
  var threadLimit: Int { configuration.workers * 2 + Self.spareWorkers + configuration.waitingThreads + 1 }
}
