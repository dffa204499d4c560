import Platform

/// A queue in front of a scheduler's queues: serial, or concurrent with barriers.
///
/// A serial queue gives exclusive access to a resource, such as a document that is being written, without a lock. Items
/// start in the order in which they were submitted. Waiting for an item also raises the items before it.
///
/// `invalidate()` must be called before the queue is released; releasing an active queue is a bug. May be used from any
/// thread.
public final class JobQueue: Sendable {
  public enum Kind: Sendable {
    /// One item at a time.
    case serial
    /// Items run in parallel, except for barriers, which run alone.
    case concurrent
  }

  private struct State {
    var isInvalidated = false
    /// The last barrier, which precedes all later items.
    var barrier: WorkItem?
    /// The items submitted since the barrier.
    var members: [WorkItem] = []
    /// The number of members at which finished ones are removed next.
    var nextTidying = 64
  }

  public let name: String
  public let kind: Kind
  public let qos: QualityOfService
  private let scheduler: Scheduler
  private let state = Monitor(State())

  public init(_ name: String, _ kind: Kind = .serial, qos: QualityOfService, on scheduler: Scheduler) {
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
  /// - Parameter isBarrier: whether the item of a concurrent queue starts only when all earlier items have ended, and
  ///   must have ended before later items start.
  /// - Throws: `SchedulingError.invalidated`.
  @discardableResult
  public func submit(_ work: any Work, qos: QualityOfService? = nil, byteCount: Int = 0, isBarrier: Bool = false)
    throws(SchedulingError) -> WorkItem
  {
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
  public func submit(qos: QualityOfService? = nil, isBarrier: Bool = false, _ body: @escaping @Sendable () -> Void)
    throws(SchedulingError) -> WorkItem
  {
    let work = ClosureWork(name, token: nil) {
      body()
      return .finished
    }
    return try submit(work, qos: qos, isBarrier: isBarrier)
  }

  /// Rejects further items. Those in the queue still run.
  public func invalidate() {
    state.withLock { state in
      precondition(!state.isInvalidated, "a queue is invalidated once")
      state.isInvalidated = true
      state.barrier = nil
      state.members = []
    }
  }

  /// Whether the calling code is an item of this queue.
  public var isCurrent: Bool { Worker.current?.item?.queueIdentity == ObjectIdentifier(self) }

  /// Stops the program if the calling code is not an item of this queue.
  public func preconditionOnQueue() { precondition(isCurrent, "not on the queue '\(name)'") }

  /// Stops the program if the calling code is an item of this queue. Call it before waiting for the queue.
  public func preconditionNotOnQueue() { precondition(!isCurrent, "on the queue '\(name)'") }
}
