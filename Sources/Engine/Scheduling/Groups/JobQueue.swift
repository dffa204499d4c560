/// A queue of its own in front of a scheduler's: one item at a time, or several with barriers between.
///
/// A serial queue gives exclusive access to something, such as a document that is written, without a lock.
/// Items start in the order they were submitted. Whoever waits for one raises those before it, too.
///
/// Life cycle: made active, `invalidate()`, released; releasing one that is active is a bug. May be used from
/// any thread.
public final class JobQueue: Sendable {
  public enum Kind: Sendable {
    /// One item at a time.
    case serial
    /// Items run side by side, except for barriers, which run alone.
    case concurrent
  }

  private struct State {
    var isInvalidated = false
    /// The last item that all later ones come after.
    var barrier: WorkItem?
    /// Items since then.
    var members: [WorkItem] = []
    /// How many members there must be before those that are over are looked for.
    var nextTidying = 64
  }

  public let name: String
  public let kind: Kind
  public let qos: QualityOfService
  private let scheduler: Scheduler
  private let state = Monitor(State())

  public init(
    _ name: String, _ kind: Kind = .serial, qos: QualityOfService, on scheduler: Scheduler
  ) {
    self.name = name
    self.kind = kind
    self.qos = qos
    self.scheduler = scheduler
  }

  deinit {
    state.withLock { state in
      precondition(state.isInvalidated, "a queue was released while active")
    }
  }

  /// Queues work.
  ///
  /// - Parameter isBarrier: in a concurrent queue, it starts when all before it are over, and those after it
  ///   start when it is.
  /// - Throws: `SchedulingError.invalidated`.
  @discardableResult
  public func submit(
    _ work: any Work, qos: QualityOfService? = nil, byteCount: Int = 0, isBarrier: Bool = false
  ) throws(SchedulingError) -> WorkItem {
    let item = WorkItem(work, qos: qos ?? self.qos, byteCount: byteCount, queue: self)
    let isAlone = isBarrier || kind == .serial
    try state.withLock { state throws(SchedulingError) in
      guard !state.isInvalidated else { throw .invalidated }
      if state.members.count >= state.nextTidying {
        state.members.removeAll(where: \.isSettled)
        state.nextTidying = max(64, 2 * state.members.count)
      }
      var before = isAlone ? state.members : []
      if let barrier = state.barrier { before.append(barrier) }
      try scheduler.enter(item, after: before.map { .end(of: $0) })
      if isAlone {
        state.barrier = item
        state.members = []
      } else {
        state.members.append(item)
      }
    }
    return item
  }

  /// Queues a closure that runs once.
  @discardableResult
  public func submit(
    qos: QualityOfService? = nil, isBarrier: Bool = false, _ body: @escaping @Sendable () -> Void
  ) throws(SchedulingError) -> WorkItem {
    let work = ClosureWork(name, token: nil) {
      body()
      return .finished
    }
    return try submit(work, qos: qos, isBarrier: isBarrier)
  }

  /// Takes no more. What is queued still runs.
  public func invalidate() {
    state.withLock { state in
      precondition(!state.isInvalidated, "a queue is invalidated once")
      state.isInvalidated = true
      state.barrier = nil
      state.members = []
    }
  }

  /// Whether the calling code runs as an item of this queue.
  public var isCurrent: Bool { Worker.current?.item?.queueIdentity == ObjectIdentifier(self) }

  /// Stops the program where the calling code is not an item of this queue.
  public func preconditionOnQueue() { precondition(isCurrent, "not on the queue '\(name)'") }

  /// Stops the program where the calling code is an item of this queue, such as before waiting for it.
  public func preconditionNotOnQueue() { precondition(!isCurrent, "on the queue '\(name)'") }
}
