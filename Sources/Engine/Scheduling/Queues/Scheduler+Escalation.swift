import Platform

/// A temporary raise of items to the class of a waiter. Until `end()`, these items run in that class or a higher one.
/// So do their dependencies and the items before them in a serial queue.
///
/// A boost also ends when it is released.
public final class Boost: Sendable {
  public let qos: QualityOfService
  private let scheduler: Scheduler
  /// Guarded by the scheduler's lock.
  nonisolated(unsafe) var items: [WorkItem] = []

  init(_ qos: QualityOfService, scheduler: Scheduler) {
    self.qos = qos
    self.scheduler = scheduler
  }

  /// Ends the boost. Items that have not ended return to their own class, or to that of another waiter.
  public func end() { scheduler.end(self) }

  deinit {
    // No other reference exists, so `items` can be read without the lock.
    if !items.isEmpty { scheduler.lower(items, qos) }
  }
}

extension Scheduler {
  /// Raises items, and all their direct and indirect dependencies, to the class of a waiter.
  public func raise(_ items: [WorkItem], to qos: QualityOfService) -> Boost {
    let boost = Boost(qos, scheduler: self)
    update { state, _ in raise(items, boost, &state) }
    return boost
  }

  /// Raises items. The caller holds the lock.
  func raise(_ items: [WorkItem], _ boost: Boost, _ state: inout State) {
    var seen: Set<ObjectIdentifier> = []
    // Dependencies are raised before the items that wait for them.
    var stack = items.reversed().map { (item: $0, isAfterItsDependencies: false) }
    while let (item, isAfterItsDependencies) = stack.popLast() {
      if isAfterItsDependencies {
        boost.items.append(item)
        continue
      }
      guard !item.isSettled, seen.insert(ObjectIdentifier(item)).inserted else { continue }
      stack.append((item, true))
      for other in item.ledger.dependencies.reversed() { stack.append((other, false)) }
    }
    noteRaise(boost)
    // The waiter may list items in any order; within a class, the item that became ready first comes first.
    boost.items.sort { $0.ledger.place < $1.ledger.place }
    for item in boost.items { change(item, 1, boost.qos, &state) }
  }

  /// Records the boost in the trace. The caller holds the lock.
  private func noteRaise(_ boost: Boost) {
    guard let recorder = configuration.recorder else { return }
    let raised = boost.items.filter { $0.qos < boost.qos }
    guard let name = raised.last.map({ $0.ledger.work?.name ?? "work" }) else { return }
    let others = raised.count > 1 ? " and \(raised.count - 1) more" : ""
    recorder.mark(.raised, "\(name)\(others), to \(boost.qos.name)")
  }

  func end(_ boost: Boost) { update { state, _ in lower(boost, &state) } }

  /// Removes one waiter from each of the items, which may then return to a lower class.
  func lower(_ items: [WorkItem], _ qos: QualityOfService) { update { state, _ in lower(items, qos, &state) } }

  /// Lowers the items of a boost. The caller holds the lock.
  func lower(_ boost: Boost, _ state: inout State) {
    lower(boost.items, boost.qos, &state)
    boost.items = []
  }

  /// Removes one waiter from each item, beginning with the last one. The caller holds the lock.
  private func lower(_ items: [WorkItem], _ qos: QualityOfService, _ state: inout State) {
    for item in items.reversed() where !item.isSettled { change(item, -1, qos, &state) }
  }

  /// Adds or removes a waiter, and moves the item to the queue of its class.
  private func change(_ item: WorkItem, _ change: Int, _ qos: QualityOfService, _ state: inout State) {
    let before = item.qos
    guard item.count(change, in: qos) else { return }
    let after = item.qos
    if item.ledger.isOnLow {
      state.countRaised(before, -1)
      state.countRaised(after, 1)
    }
    guard item.ledger.isQueued else { return }
    if item.ledger.isToBeFetched {
      state.calls.remove(item, before)
      state.calls.append(item, after)
    } else if item.ledger.isAdmitted {
      state.started[before.rawValue].remove(item)
      state.started[after.rawValue].append(item)
    } else {
      state.fresh[before.rawValue].remove(item)
      // A lowered item comes first, because it became ready before the items that were added to its class meanwhile.
      if change > 0 {
        state.fresh[after.rawValue].append(item)
      } else {
        state.fresh[after.rawValue].prepend(item)
      }
    }
  }

  /// Waits until all items have ended, and raises them during the wait. Must not be called from a worker.
  public func wait(for items: [WorkItem], as qos: QualityOfService) {
    preconditionNotOnWorker()
    let boost = raise(items, to: qos)
    defer { boost.end() }
    let left = Monitor(items.count)
    for item in items {
      observe(item) { _ in
        left.withLock { $0 -= 1 }
        left.notifyAll()
      }
    }
    left.wait { $0 == 0 ? () : nil }
  }
}
