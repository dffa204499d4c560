/// Ending and cancelling items. Callers of functions with a parameter `state` hold the lock.
extension Scheduler {
  /// Cancels an item unless a worker runs it; a running item notices the cancellation itself.
  func cancel(_ item: WorkItem, _ reason: CancellationReason, _ state: inout State, _ effects: inout Effects) {
    guard !item.state.isOver, !item.ledger.isAdmitted || item.ledger.isQueued else { return }
    settle(item, .cancelled, reason: reason, &state, &effects)
  }

  /// Ends an item, and makes ready the items that waited only for it. If the item did not succeed, cancels the items
  /// that needed its success.
  ///
  /// This is a loop and not a recursion, because chains of thousands of items must not overflow the stack.
  func settle(
    _ first: WorkItem, _ outcome: WorkItem.State, reason: CancellationReason? = nil,
    _ state: inout State, _ effects: inout Effects
  ) {
    var ending: [(item: WorkItem, outcome: WorkItem.State, reason: CancellationReason?)] = [(first, outcome, reason)]
    while let (item, outcome, reason) = ending.popLast() {
      if !item.state.isOver { end(item, outcome, reason, &state, &effects) }
      let isInPlace = item.ledger.missing == 0
      for dependent in item.ledger.dependents {
        let other = dependent.item
        if dependent.needsSuccess, outcome != .finished, !other.state.isOver {
          ending.append((other, .cancelled, Self.dependencyReason(item, outcome)))
        }
        guard isInPlace else { continue }
        other.ledger.missing -= 1
        guard other.ledger.missing == 0 else { continue }
        if other.state == .waiting && !(dependent.needsSuccess && outcome != .finished) {
          state.waiting[ObjectIdentifier(other)] = nil
          other.ledger.dependencies = []
          makeReady(other, &state)
        } else if other.state.isOver {
          // The item was cancelled earlier, and its last dependency has now ended.
          ending.append((other, other.state, nil))
        }
      }
      if isInPlace {
        item.isSettled = true
        item.ledger.dependents = []
        item.ledger.dependencies = []
      }
    }
  }

  private func end(
    _ item: WorkItem, _ outcome: WorkItem.State, _ reason: CancellationReason?,
    _ state: inout State, _ effects: inout Effects
  ) {
    if item.ledger.isQueued {
      if item.ledger.isToBeFetched {
        state.calls.remove(item, item.qos)
      } else if item.ledger.isAdmitted {
        state.started[item.qos.rawValue].remove(item)
      } else {
        state.fresh[item.qos.rawValue].remove(item)
        if item.ledger.isFetched { state.countFetched(item, -1) }
      }
    }
    state.fetching[ObjectIdentifier(item)] = nil
    state.waiting[ObjectIdentifier(item)] = nil
    endMemoryWait(of: item, &state)
    item.state = outcome
    if let work = item.ledger.work {
      item.ledger.work = nil
      if let reason {
        // The item keeps its place and its memory until its work has been abandoned.
        item.ledger.missing += 1
        effects.abandon.append((item, work, reason))
      } else {
        effects.release.append(work)
      }
    }
    if reason == nil { withdraw(item, &state) }
    item.ledger.queue = nil
    if !item.ledger.observers.isEmpty {
      effects.tell.append((item.ledger.observers, outcome))
      item.ledger.observers = []
    }
  }

  /// Abandons cancelled work, and then makes later items ready. The caller does not hold the lock.
  func abandon(_ cancelled: [(item: WorkItem, work: any Work, reason: CancellationReason)]) {
    guard !cancelled.isEmpty else { return }
    for (_, work, reason) in cancelled { work.abandon(reason) }
    update { state, effects in
      for (item, _, _) in cancelled {
        withdraw(item, &state)
        item.ledger.missing -= 1
        guard item.ledger.missing == 0 else { continue }
        settle(item, item.state, &state, &effects)
      }
    }
  }

  /// Cancels an item, unless a worker runs it.
  ///
  /// - Returns: whether the item is cancelled, so that no further step of it runs.
  @discardableResult
  public func cancel(_ item: WorkItem, _ reason: CancellationReason = .requested) -> Bool {
    update { state, effects in
      cancel(item, reason, &state, &effects)
      return item.state == .cancelled
    }
  }

  /// Cancels an item if its work is cancelled, unless a worker runs it.
  public func cancelIfAsked(_ item: WorkItem, _ reason: CancellationReason) {
    var effects = Effects()
    state.withLock { state in
      guard item.ledger.work?.isCancelled ?? false else { return }
      cancel(item, reason, &state, &effects)
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }

  /// Cancels every item whose work is cancelled, unless a worker runs it. Must be called after a token is cancelled.
  public func sweepCancelled(_ reason: CancellationReason = .requested) {
    update { state, effects in
      for item in state.everyItem where item.ledger.work?.isCancelled ?? false {
        cancel(item, reason, &state, &effects)
      }
    }
  }

  /// Calls `observer` when the item has ended, on the thread that ends it; immediately if it has already ended.
  func observe(_ item: WorkItem, _ observer: @escaping @Sendable (WorkItem.State) -> Void) {
    let outcome = state.withLock { _ -> WorkItem.State? in
      if item.state.isOver { return item.state }
      item.ledger.observers.append(observer)
      return nil
    }
    if let outcome { observer(outcome) }
  }
}
