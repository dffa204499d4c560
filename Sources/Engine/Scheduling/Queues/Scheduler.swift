import Platform
import Synchronization

/// Workers and their queues, with one queue for each service class.
///
/// Foreground workers take the highest class first, and within a class the item that became ready first. Utility and
/// background work has separate workers at the system's lowest priority, which run while a foreground worker is idle.
/// If no foreground worker is ever idle, each of the two classes receives `leastShare` of the workers' time, one step
/// at a time.
///
/// Between two steps an item may be put aside for a more urgent one, which therefore waits for at most one step. An
/// item starts when the memory budget has room for its predicted bytes in addition to those of admitted items and of
/// waiting results, or when no other item uses memory.
///
/// The order of calls is `activate()`, `invalidate()`, release. Submitting before `activate()` is a bug; submitting
/// after `invalidate()` is an error. All members may be called from any thread unless stated otherwise.
public final class Scheduler: Sendable {
  public struct Configuration: Sendable {
    /// The number of workers of each kind, which is also the number of items that compute at the same time.
    public var workers: Int
    /// The limit for the sum of the predicted bytes of running items and the bytes of waiting results.
    public var memoryBudget: Int
    /// The least share of the workers' time for utility work, and also for background work.
    public var leastShare: Double
    /// The number of additional threads that may wait for disks and other programs.
    public var waitingThreads: Int
    /// The recorder of every step, for a trace.
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
  /// One bit for each class with runnable work. Workers check it between two steps.
  let readyClasses = Atomic<UInt>(0)
  /// Whether more utility and background items are running than the foreground leaves room for.
  let isLowOversubscribed = Atomic<Bool>(false)
  private let spareWorker = Atomic<Bool>(false)
  /// Whether a worker is idle, so that dividing work pays off.
  public var hasSpareWorker: Bool { spareWorker.load(ordering: .relaxed) }
  func note(spareWorker isThere: Bool) { spareWorker.store(isThere, ordering: .relaxed) }

  /// Whether the foreground has work.
  let isForegroundBusy = Atomic<Bool>(false)
  /// Whether more foreground workers compute than there are places, for example because one has returned from a wait.
  let isForegroundOversubscribed = Atomic<Bool>(false)
  /// The times, in nanoseconds, at which the utility class and, below, the background class are due for their next
  /// step.
  let nextUtilityTurn = Atomic<Int>(0)
  let nextBackgroundTurn = Atomic<Int>(0)

  /// Whether a thread watches for calls of `seldomBlocking` that block.
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

  /// Starts accepting work. Threads are started when they are needed.
  public func activate() {
    state.withLock { state in
      precondition(state.phase == .setUp, "a scheduler is activated once")
      state.phase = .active
    }
  }

  /// Waits until the running steps have returned and the workers have ended, and cancels all items that have not ended.
  ///
  /// Must not be called from a worker. A thread that waits for a disk or another program ends only when the disk or
  /// program responds.
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

  /// The largest sum, so far, of the predicted bytes of admitted items and the bytes of waiting results.
  var peakAdmittedBytes: Int { state.withLock { $0.peakBytes } }

  /// The current number of threads of all kinds.
  var threadCount: Int { state.withLock { $0.computeThreads + $0.waitingThreads } }

  /// The largest number of threads, however much work is queued or blocked.
  var threadLimit: Int { configuration.workers * 2 + Self.spareWorkers + configuration.waitingThreads + 1 }
}

// MARK: - Submitting

extension Scheduler {
  /// Queues a closure that runs once.
  ///
  /// - Parameters:
  ///   - byteCount: the predicted memory in bytes, for admission.
  ///   - dependencies: the items that must have ended, or succeeded, before the closure starts.
  ///   - token: a token; if it is cancelled before the closure starts, the closure never runs.
  ///   - name: the closure's name in a trace.
  /// - Throws: `SchedulingError.invalidated`.
  @discardableResult
  public func submit(
    _ qos: QualityOfService, byteCount: Int = 0, after dependencies: [WorkItem.Dependency] = [],
    token: CancellationToken? = nil, name: String = "work", _ body: @escaping @Sendable () -> Void
  ) throws(SchedulingError) -> WorkItem {
    let work = ClosureWork(name, token: token) {
      body()
      return .finished
    }
    return try submit(work, qos: qos, byteCount: byteCount, after: dependencies)
  }

  /// Queues work in its class, or holds it back until its dependencies have ended.
  ///
  /// - Throws: `SchedulingError.invalidated`.
  @discardableResult
  public func submit(
    _ work: any Work, qos: QualityOfService, byteCount: Int = 0, after dependencies: [WorkItem.Dependency] = []
  ) throws(SchedulingError) -> WorkItem {
    let item = WorkItem(work, qos: qos, byteCount: byteCount)
    try enter(item, after: dependencies)
    return item
  }

  /// Makes a gate: an item that represents work outside the scheduler, and ends when `complete` is called.
  ///
  /// - Parameters:
  ///   - subject: the name of the gate in the reason for cancelling later items: "the job of a.lua:3" in "the job of
  ///     a.lua:3 was cancelled".
  ///   - items: items that are raised together with the gate.
  /// - Throws: `SchedulingError.invalidated`.
  public func submitGate(_ subject: String, for items: [WorkItem]) throws(SchedulingError) -> WorkItem {
    let gate = WorkItem(
      ClosureWork(subject, token: nil) { .finished }, qos: .background, byteCount: 0,
      subject: subject)
    try state.withLock { state throws(SchedulingError) in
      guard state.phase == .active else { throw .invalidated }
      // The count represents a dependency that only `complete` ends.
      gate.ledger.missing = 1
      gate.ledger.dependencies = items
      state.waiting[ObjectIdentifier(gate)] = gate
    }
    return gate
  }

  /// Ends a gate. Later calls have no effect.
  public func complete(_ gate: WorkItem, _ outcome: WorkItem.State) {
    precondition(outcome.isOver)
    var effects = Effects()
    state.withLock { state in
      guard !gate.isSettled else { return }
      gate.ledger.missing = 0
      settle(gate, outcome, &state, &effects)
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }

  func enter(_ item: WorkItem, after dependencies: [WorkItem.Dependency]) throws(SchedulingError) {
    precondition(item.byteCount >= 0)
    var effects = Effects()
    try state.withLock { state throws(SchedulingError) in
      precondition(state.phase != .setUp, "work was submitted to a scheduler that is not active")
      guard state.phase == .active else { throw .invalidated }
      enter(item, after: dependencies, &state, &effects)
    }
    perform(effects)
  }

  func enter(
    _ item: WorkItem, after dependencies: [WorkItem.Dependency], _ state: inout State, _ effects: inout Effects
  ) {
    var cause: CancellationReason?
    for dependency in dependencies {
      let other = dependency.item
      if !other.isSettled {
        other.ledger.addDependent(WorkItem.Dependent(item: item, needsSuccess: dependency.needsSuccess))
        item.ledger.addDependency(other)
        item.ledger.missing += 1
      }
      if dependency.needsSuccess, other.state == .failed || other.state == .cancelled {
        cause = Self.dependencyReason(other, other.state)
      }
    }
    if item.ledger.missing > 0 {
      state.waiting[ObjectIdentifier(item)] = item
    } else if cause == nil {
      makeReady(item, &state)
    }
    if let cause { cancel(item, cause, &state, &effects) }
    assignWorkers(&state, &effects)
  }

  /// Puts an item that no longer waits for dependencies into its queue.
  func makeReady(_ item: WorkItem, _ state: inout State) {
    item.state = .ready
    state.readied += 1
    item.ledger.place = state.readied
    let qos = item.qos
    if !qos.isForeground && state.readyCount(qos) == 0 { openTurns(qos) }
    state.fresh[qos.rawValue].append(item)
  }

  static func dependencyReason(_ item: WorkItem, _ outcome: WorkItem.State) -> CancellationReason {
    CancellationReason(
      (item.ledger.subject ?? "what it depends on")
        + (outcome == .failed ? " has failed" : " was cancelled"))
  }
}

/// The reason why work was rejected.
public enum SchedulingError: Error, Equatable, CustomStringConvertible {
  /// The scheduler or the queue has been invalidated.
  case invalidated

  public var description: String { "the queue was invalidated and accepts no more work" }
}

// MARK: - Turns

/// Turns: steps to which utility and background work is entitled, so that these classes do not starve.
///
/// A class with work is entitled to `leastShare` of the workers' time. After a step that took the processor time d, its
/// next turn is d / (leastShare * workers) after the start of that step.
extension Scheduler {
  private func nextTurn(_ qos: QualityOfService) -> Int {
    qos == .utility ? nextUtilityTurn.load(ordering: .relaxed) : nextBackgroundTurn.load(ordering: .relaxed)
  }

  private func setNextTurn(_ qos: QualityOfService, _ time: Int) {
    if qos == .utility {
      nextUtilityTurn.store(time, ordering: .relaxed)
    } else {
      nextBackgroundTurn.store(time, ordering: .relaxed)
    }
  }

  /// Starts the turns of a class that had no work. Its first turn is at least 20 ms from now, because a class without
  /// work earns no turns.
  func openTurns(_ qos: QualityOfService) {
    setNextTurn(qos, max(nextTurn(qos), monotonicNanoseconds() + 20_000_000))
  }

  /// Notes that a due step begins. The step counts as one millisecond of processor time until its real time is known,
  /// so that no second worker begins another step of the class.
  func beginTurn(_ qos: QualityOfService) { noteTurn(qos, began: monotonicNanoseconds(), computed: 1_000_000) }

  /// Sets the next turn of a class after a step.
  ///
  /// - Parameters:
  ///   - began: the time at which the step began.
  ///   - computed: the processor time that it took; elapsed time is unsuitable, because a thread of the lowest priority
  ///     may have to wait for a processor.
  func noteTurn(_ qos: QualityOfService, began: Int, computed: Int) {
    guard !qos.isForeground else { return }
    let period = Double(computed) / configuration.leastShare / Double(configuration.workers)
    setNextTurn(qos, began + Int(period))
  }

  /// Returns whether any of the classes in a bit set is due for a step.
  func isTurnDue(_ classes: UInt) -> Bool {
    guard classes & Self.lowClasses != 0 else { return false }
    let now = monotonicNanoseconds()
    return (classes & Self.bit(.utility) != 0 && nextTurn(.utility) <= now)
      || (classes & Self.bit(.background) != 0 && nextTurn(.background) <= now)
  }

  /// Returns the classes that have work and are due for a step, beginning with the one that has waited longest.
  func dueClasses(_ state: State) -> [QualityOfService] {
    guard state.readyLow > 0 else { return [] }
    let now = monotonicNanoseconds()
    let due = [QualityOfService.utility, .background].filter {
      state.readyCount($0) > 0 && nextTurn($0) <= now
    }
    return due.sorted { nextTurn($0) < nextTurn($1) }
  }
}

// MARK: - Preemption

/// Preemption in the middle of a long step.
///
/// A worker that pauses keeps its stack and gives its place to another thread. It resumes before any other item of its
/// class starts. A caller of `allowPreemption()` must not hold a lock that urgent work may need.
extension Scheduler {
  /// Pauses the calling worker while more urgent work can run. A low-priority worker only sleeps for 20 µs, at most
  /// once a millisecond, and does not call `onPause`. Without more urgent work, the call takes a few nanoseconds.
  ///
  /// Long steps call this about every millisecond. It returns immediately on other threads, and on a worker inside
  /// `blocking`, which has already given up its processor.
  ///
  /// - Parameter onPause: called with true before the pause and with false after it.
  public func allowPreemption(_ onPause: (_ isPaused: Bool) -> Void = { _ in }) {
    guard let worker = Worker.current, worker.blockingDepth == 0 else { return }
    switch worker.kind {
    case .foreground:
      guard let qos = worker.pausedClass, readyClasses.load(ordering: .relaxed) >> UInt(qos.rawValue + 1) != 0
      else { return }
      pause(worker, qos, onPause)
    case .low:
      // Sleeping briefly frees the processor. Otherwise, a foreground worker would wait for it until the next clock
      // tick.
      guard isForegroundBusy.load(ordering: .relaxed) else { return }
      let now = monotonicNanoseconds()
      guard now - worker.restedAt > 1_000_000 else { return }
      usleep(20)
      worker.restedAt = monotonicNanoseconds()
    }
  }

  private func pause(_ worker: Worker, _ qos: QualityOfService, _ onPause: (_ isPaused: Bool) -> Void) {
    var effects = Effects()
    let isPaused = state.withLock { state in
      guard state.mayPause(for: qos) else { return false }
      worker.isPaused = true
      state.paused.append(worker)
      state.count(worker, -1)
      state.blockedForeground += 1
      assignWorkers(&state, &effects)
      return true
    }
    guard isPaused else { return }
    perform(effects)
    onPause(true)
    configuration.recorder.span("paused") {
      repeat { worker.sleep() } while state.withLock { _ in worker.isPaused }
    }
    onPause(false)
  }
}

extension Worker {
  /// The class of the item or loop that the worker runs. A foreground worker that runs low work counts as `default`.
  var pausedClass: QualityOfService? { (item?.qos ?? loop?.qos).map { max($0, .default) } }
}

extension Scheduler.State {
  /// Returns whether there are more runnable items of higher classes than free places, and a thread to run them.
  func mayPause(for qos: QualityOfService) -> Bool {
    guard phase == .active else { return false }
    var urgent = 0
    for value in (qos.rawValue + 1)..<runnable.scalarCount { urgent += runnable[value] }
    let hasThread = !idleForeground.isEmpty || foregroundThreads < workers + Scheduler.spareWorkers
    return hasThread && urgent > max(0, foregroundRoom - activeForeground)
  }

  /// Resumes the first paused worker of a class in the place of the caller, which then sleeps. Returns whether there
  /// was one.
  mutating func resume(_ qos: QualityOfService, _ effects: inout Scheduler.Effects) -> Bool {
    guard let index = paused.firstIndex(where: { $0.pausedClass == qos }) else { return false }
    resume(at: index, &effects)
    return true
  }

  /// Resumes all paused workers, even if there are not enough places.
  mutating func resumeAll(_ effects: inout Scheduler.Effects) {
    while !paused.isEmpty { resume(at: 0, &effects) }
  }

  private mutating func resume(at index: Int, _ effects: inout Scheduler.Effects) {
    let worker = paused.remove(at: index)
    worker.isPaused = false
    blockedForeground -= 1
    count(worker, 1)
    effects.wake.append(worker)
  }
}
