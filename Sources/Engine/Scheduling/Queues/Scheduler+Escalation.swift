/// Somebody of a class waits for items: they, all they depend on, and all that stands before them in a
/// serial queue go on in that class, until `end()`.
///
/// Ends by itself when it is released.
public final class Boost: Sendable {
  public let qos: QualityOfService
  private let scheduler: Scheduler
  /// Guarded by the scheduler's lock.
  nonisolated(unsafe) var items: [WorkItem] = []

  init(_ qos: QualityOfService, scheduler: Scheduler) {
    self.qos = qos
    self.scheduler = scheduler
  }

  /// The waiter waits no more: what is not over goes back to its own class.
  public func end() { scheduler.end(self) }

  deinit {
    // Nobody else has it: its items are read without the lock.
    if !items.isEmpty { scheduler.lower(items, qos) }
  }
}

extension Scheduler {
  /// Raises items, and all they depend on, to the class of somebody who waits for them.
  public func raise(_ items: [WorkItem], to qos: QualityOfService) -> Boost {
    let boost = Boost(qos, scheduler: self)
    var effects = Effects()
    state.withLock { state in
      raise(items, boost, &state)
      assignWorkers(&state, &effects)
    }
    perform(effects)
    return boost
  }

  /// Under the lock.
  func raise(_ items: [WorkItem], _ boost: Boost, _ state: inout State) {
    var seen: Set<ObjectIdentifier> = []
    // What the others wait for goes first.
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
    // A waiter may name them in any order: within a class, what came first is first.
    boost.items.sort { $0.ledger.place < $1.ledger.place }
    for item in boost.items { change(item, 1, boost.qos, &state) }
  }

  /// Under the lock.
  private func noteRaise(_ boost: Boost) {
    guard let recorder = configuration.recorder else { return }
    let raised = boost.items.filter { $0.qos < boost.qos }
    guard let name = raised.last.map({ $0.ledger.work?.name ?? "work" }) else { return }
    let others = raised.count > 1 ? " and \(raised.count - 1) more" : ""
    recorder.mark(.raised, "\(name)\(others), to \(boost.qos.name)")
  }

  func end(_ boost: Boost) {
    var effects = Effects()
    state.withLock { state in
      lower(boost, &state)
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }

  /// Items that one waiter less wants in a class.
  func lower(_ items: [WorkItem], _ qos: QualityOfService) {
    var effects = Effects()
    state.withLock { state in
      lower(items, qos, &state)
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }

  /// Under the lock.
  func lower(_ boost: Boost, _ state: inout State) {
    lower(boost.items, boost.qos, &state)
    boost.items = []
  }

  /// From the last to the first, because each goes to the front of its class.
  private func lower(_ items: [WorkItem], _ qos: QualityOfService, _ state: inout State) {
    for item in items.reversed() where !item.isSettled { change(item, -1, qos, &state) }
  }

  /// Counts a waiter in or out, and moves the item to the queue of its class.
  private func change(
    _ item: WorkItem, _ change: Int, _ qos: QualityOfService, _ state: inout State
  ) {
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
      // One that goes back was there before those that have come since.
      if change > 0 {
        state.fresh[after.rawValue].append(item)
      } else {
        state.fresh[after.rawValue].prepend(item)
      }
    }
  }

  /// Waits until all items are over, raising them meanwhile. Not from a worker.
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
