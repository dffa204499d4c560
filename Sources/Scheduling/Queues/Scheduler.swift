#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process' workers and their queues, one queue for each class of service.
///
/// Foreground workers always take the highest class first, and first in first out within a class.
/// Utility and background work has workers of its own at a lower OS priority, which start an item only
/// when the foreground leaves a worker idle, or when work of theirs has waited so long that it would
/// starve. Admission is by predicted bytes: an item starts when it fits beside what runs, or alone.
///
/// Life cycle: made (set up), `activate()`, `invalidate()`, released. Submitting to one that is not
/// active is a bug. All members may be called from any thread unless they say otherwise.
public final class Scheduler: Sendable {
  public struct Configuration: Sendable {
    /// Workers of each kind; no more than this many items run at a time, but for starved ones.
    public var workers: Int
    /// Bytes that running items may be predicted to need together.
    public var memoryBudget: Int
    /// How long low-class work waits behind a busy foreground before it gets a turn.
    public var starvationSeconds: Double

    public init(workers: Int, memoryBudget: Int, starvationSeconds: Double = 1) {
      self.workers = workers
      self.memoryBudget = memoryBudget
      self.starvationSeconds = starvationSeconds
    }
  }

  enum Phase { case setUp, active, invalidated }

  struct State {
    var phase = Phase.setUp
    var queues = [WorkQueue](repeating: WorkQueue(), count: QualityOfService.allCases.count)
    var running = 0
    var bytesInUse = 0
    var peakBytes = 0
    var lastLowStart = 0.0
    var liveWorkers = 0
  }

  public let configuration: Configuration
  let state: Monitor<State>

  public init(_ configuration: Configuration) {
    precondition(configuration.workers >= 1 && configuration.memoryBudget > 0)
    self.configuration = configuration
    state = Monitor(State())
  }

  deinit {
    state.withLock { state in
      precondition(state.phase != .active, "a scheduler was released while active")
    }
  }

  /// Starts the workers.
  public func activate() {
    state.withLock { state in
      precondition(state.phase == .setUp, "a scheduler is activated once")
      state.phase = .active
      state.liveWorkers = configuration.workers * 2
      state.lastLowStart = monotonicSeconds()
    }
    for _ in 0..<configuration.workers {
      startThread { self.work(foreground: true) }
      startThread {
        lowerThreadPriority()
        self.work(foreground: false)
      }
    }
  }

  /// Queues `body` in the class' queue.
  ///
  /// - Parameter byteCount: memory it is predicted to need, for admission.
  @discardableResult
  public func submit(
    _ qos: QualityOfService, byteCount: Int = 0, _ body: @escaping @Sendable () -> Void
  ) -> WorkItem {
    let item = WorkItem(qos: qos, byteCount: byteCount, body: body)
    state.withLock { state in
      precondition(state.phase == .active, "work was submitted to a scheduler that is not active")
      state.queues[qos.rawValue].append(item)
    }
    state.notifyAll()
    return item
  }

  /// Moves an item that has not started to a higher class, because somebody of that class waits for it.
  public func raise(_ item: WorkItem, to qos: QualityOfService) {
    guard item.raise(to: qos) else { return }
    state.withLock { state in state.queues[qos.rawValue].append(item) }
    state.notifyAll()
  }

  /// Waits until the running items have returned, drops the queued ones, and ends the workers.
  ///
  /// Not from a worker. Owners of dropped items have cancelled them before.
  public func invalidate() {
    state.withLock { state in
      precondition(state.phase != .invalidated, "a scheduler is invalidated once")
      state.phase = .invalidated
      for index in state.queues.indices { _ = state.queues[index].removeAll() }
    }
    state.notifyAll()
    state.wait { state in state.liveWorkers == 0 ? () : nil }
  }

  /// The most bytes that admitted items were predicted to need at one time.
  public var peakAdmittedBytes: Int { state.withLock(\.peakBytes) }
}

/// Seconds of `CLOCK_MONOTONIC`.
public func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
