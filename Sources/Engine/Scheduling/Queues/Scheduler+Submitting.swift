extension Scheduler {
  /// Queues a closure that runs once and may fail.
  ///
  /// - Parameters:
  ///   - byteCount: memory it is predicted to need, for admission.
  ///   - dependencies: what must be over before.
  ///   - token: where it is cancelled before it starts, it never runs.
  ///   - body: says how it went; one that fails cancels what needs its success.
  /// - Throws: `SchedulingError.invalidated`.
  @discardableResult
  public func submitFallible(
    _ qos: QualityOfService, byteCount: Int = 0, after dependencies: [WorkItem.Dependency] = [],
    token: CancellationToken? = nil, name: String = "work",
    _ body: @escaping @Sendable () -> WorkStep
  ) throws(SchedulingError) -> WorkItem {
    try submit(
      ClosureWork(name, token: token, body), qos: qos, byteCount: byteCount, after: dependencies)
  }

  /// Queues a closure that runs once and cannot fail; otherwise as `submitFallible`.
  @discardableResult
  public func submit(
    _ qos: QualityOfService, byteCount: Int = 0, after dependencies: [WorkItem.Dependency] = [],
    token: CancellationToken? = nil, name: String = "work",
    _ body: @escaping @Sendable () -> Void
  ) throws(SchedulingError) -> WorkItem {
    let work = ClosureWork(name, token: token) {
      body()
      return .finished
    }
    return try submit(work, qos: qos, byteCount: byteCount, after: dependencies)
  }

  /// Queues work in the class' queue, or keeps it until what it depends on is over.
  ///
  /// - Throws: `SchedulingError.invalidated`.
  @discardableResult
  public func submit(
    _ work: any Work, qos: QualityOfService, byteCount: Int = 0,
    after dependencies: [WorkItem.Dependency] = []
  ) throws(SchedulingError) -> WorkItem {
    let item = WorkItem(work, qos: qos, byteCount: byteCount)
    try enter(item, after: dependencies)
    return item
  }

  /// An item that is over when somebody says so, with `complete`: for what ends elsewhere.
  ///
  /// - Parameters:
  ///   - subject: what it stands for, for what comes after it: "the job of a.lua:3" was cancelled.
  ///   - items: those are raised where the gate is.
  /// - Throws: `SchedulingError.invalidated`.
  public func submitGate(_ subject: String, for items: [WorkItem])
    throws(SchedulingError) -> WorkItem
  {
    let gate = WorkItem(
      ClosureWork(subject, token: nil) { .finished }, qos: .background, byteCount: 0,
      subject: subject)
    let isActive = state.withLock { state in
      guard state.phase == .active else { return false }
      // One that never comes by itself.
      gate.ledger.missing = 1
      gate.ledger.dependencies = items
      state.waiting[ObjectIdentifier(gate)] = gate
      return true
    }
    guard isActive else { throw .invalidated }
    return gate
  }

  /// Ends a gate. Once.
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
    let isActive = state.withLock { state in
      precondition(state.phase != .setUp, "work was submitted to a scheduler that is not active")
      guard state.phase == .active else { return false }
      enter(item, after: dependencies, &state, &effects)
      return true
    }
    guard isActive else { throw .invalidated }
    perform(effects)
  }

  func enter(
    _ item: WorkItem, after dependencies: [WorkItem.Dependency], _ state: inout State,
    _ effects: inout Effects
  ) {
    var cause: CancellationReason?
    for dependency in dependencies {
      let other = dependency.item
      if !other.isSettled {
        other.ledger.addDependent(
          WorkItem.Dependent(item: item, needsSuccess: dependency.needsSuccess))
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

  /// Puts an item that waits for nothing more into its queue.
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

/// Why work was not taken.
public enum SchedulingError: Error, Equatable, CustomStringConvertible {
  /// The scheduler or the queue has been invalidated.
  case invalidated

  public var description: String { "work was submitted to a queue that has been invalidated" }
}
