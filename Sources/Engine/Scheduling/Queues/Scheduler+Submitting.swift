extension Scheduler {
  /// Queues a closure that runs once.
  ///
  /// - Parameters:
  ///   - byteCount: the bytes of memory that it is predicted to need, for admission.
  ///   - dependencies: the items that must be over before.
  ///   - token: if it is cancelled before the closure starts, the closure never runs.
  ///   - name: its name in a drawing of the run.
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

  /// Queues work in its class, or keeps it until the items that it depends on are over.
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

  /// Makes an item that is over when `complete` is called: for something that ends elsewhere.
  ///
  /// - Parameters:
  ///   - subject: the name of the gate in the reason with which later items are cancelled: "the job of a.lua:3" was
  ///     cancelled.
  ///   - items: items that are raised together with the gate.
  /// - Throws: `SchedulingError.invalidated`.
  public func submitGate(_ subject: String, for items: [WorkItem]) throws(SchedulingError) -> WorkItem {
    let gate = WorkItem(
      ClosureWork(subject, token: nil) { .finished }, qos: .background, byteCount: 0,
      subject: subject)
    let isActive = state.withLock { state in
      guard state.phase == .active else { return false }
      // A dependency that never ends by itself.
      gate.ledger.missing = 1
      gate.ledger.dependencies = items
      state.waiting[ObjectIdentifier(gate)] = gate
      return true
    }
    guard isActive else { throw .invalidated }
    return gate
  }

  /// Ends a gate. Later calls do nothing.
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

  /// Puts an item that no longer waits into its queue.
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

/// The reason why work was not accepted.
public enum SchedulingError: Error, Equatable, CustomStringConvertible {
  /// The scheduler or the queue has been invalidated.
  case invalidated

  public var description: String { "the queue was invalidated and accepts no more work" }
}
