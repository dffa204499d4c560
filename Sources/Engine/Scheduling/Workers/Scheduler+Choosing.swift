/// The choice of the next work. The callers of these functions hold the lock.
extension Scheduler {
  private static let foreground = [QualityOfService.userInteractive, .userInitiated, .default]
  private static let low = [QualityOfService.utility, .background]

  func choose(_ worker: Worker, _ state: inout State, _ effects: inout Effects) -> Choice {
    guard state.phase == .active else { return .end }
    state.takeFromIdle(worker)
    switch worker.kind {
    case .foreground: return chooseForeground(worker, &state, &effects)
    case .low: return chooseLow(worker, &state, &effects)
    }
  }

  private func chooseForeground(_ worker: Worker, _ state: inout State, _ effects: inout Effects) -> Choice {
    guard state.activeForeground < state.workers else { return idle(worker, &state) }
    guard state.activeForeground < state.foregroundRoom else {
      // Low-priority workers with raised items occupy the remaining places. A foreground worker may take only work of a
      // class above the highest class of these items.
      let urgent = Self.foreground.filter { $0.rawValue > state.highestRaised }
      return take(from: urgent, worker, &state, &effects) ?? idle(worker, &state)
    }
    if state.runnableLow > 0, let choice = takeTurn(worker, &state) { return choice }
    return take(from: Self.foreground, worker, &state, &effects) ?? idle(worker, &state)
  }

  private func chooseLow(_ worker: Worker, _ state: inout State, _ effects: inout Effects) -> Choice {
    let due = dueClasses(state).first
    guard state.wantedForeground + state.activeLow < state.workers else {
      // Only undivided work is taken here. Foreground workers run the due steps of divided work, because a low-priority
      // worker might not be given a processor.
      guard let due,
        let next = state.started[due.rawValue].first() ?? state.fresh[due.rawValue].first(),
        !(next.ledger.work?.isDivided ?? true)
      else { return idle(worker, &state) }
      return take(from: [due], worker, &state, &effects) ?? idle(worker, &state)
    }
    let order = due == .background ? Self.low.reversed() : Self.low
    return take(from: order, worker, &state, &effects) ?? idle(worker, &state)
  }

  private func idle(_ worker: Worker, _ state: inout State) -> Choice {
    worker.isIdle = true
    switch worker.kind {
    case .foreground:
      state.idleForeground.append(worker)
      return .sleep(seconds: nil)
    case .low:
      state.idleLow.append(worker)
      guard state.readyLow > 0, state.watcher == nil else { return .sleep(seconds: nil) }
      // One of the idle workers checks periodically whether a class starves.
      state.watcher = worker
      return .sleep(seconds: 0.1)
    }
  }

  private func takeTurn(_ worker: Worker, _ state: inout State) -> Choice? {
    for qos in dueClasses(state) {
      guard let item = takeTurn(qos, &state) else { continue }
      beginTurn(qos)
      state.count(worker, 1)
      return run(item)
    }
    return nil
  }

  /// Takes an item of a low class for one step on a foreground worker. The work must be divided into short steps.
  private func takeTurn(_ qos: QualityOfService, _ state: inout State) -> WorkItem? {
    if let item = state.started[qos.rawValue].first() {
      guard item.ledger.work?.isDivided ?? false else { return nil }
      state.started[qos.rawValue].remove(item)
      return item
    }
    guard let item = state.fresh[qos.rawValue].first(), let work = item.ledger.work,
      work.isDivided, !work.isCancelled, state.mayStart(item, in: qos)
    else { return nil }
    start(item, in: qos, &state)
    return item
  }

  /// Resumes a paused worker, or takes the first loop or item that can run, from the first class that has any of them.
  /// Within a class, no item overtakes another.
  private func take(from classes: [QualityOfService], _ worker: Worker, _ state: inout State, _ effects: inout Effects)
    -> Choice?
  {
    for qos in classes {
      if qos.isForeground, state.resume(qos, &effects) { return idle(worker, &state) }
      if let loop = state.loops.first(where: { $0.qos == qos && $0.needsHelp }) {
        loop.inside += 1
        state.count(worker, 1)
        return .join(loop)
      }
      if let item = state.started[qos.rawValue].first() {
        state.started[qos.rawValue].remove(item)
        state.count(worker, 1)
        return run(item, onLow: worker.kind == .low)
      }
      guard let item = state.fresh[qos.rawValue].first() else { continue }
      if item.ledger.work?.isCancelled ?? false {
        cancel(item, .requested, &state, &effects)
        return .abandon
      }
      if state.mayStart(item, in: qos) {
        start(item, in: qos, &state)
        state.count(worker, 1)
        return run(item, onLow: worker.kind == .low)
      }
      if state.mayTakeMemory(qos) { waitForMemory(item, &state) }
    }
    return nil
  }

  /// Returns the work together with the item, because the ledger must only be read under the lock.
  private func run(_ item: WorkItem, onLow: Bool = false) -> Choice {
    guard let work = item.ledger.work else { preconditionFailure("an item ran without its work") }
    item.ledger.isOnLow = onLow
    return .run(item, work, isFetched: item.ledger.isFetched)
  }

  private func start(_ item: WorkItem, in qos: QualityOfService, _ state: inout State) {
    state.fresh[qos.rawValue].remove(item)
    admit(item, &state)
    endMemoryWait(of: item, &state)
  }

  // MARK: - memory

  private func admit(_ item: WorkItem, _ state: inout State) {
    item.ledger.isAdmitted = true
    state.admitted[ObjectIdentifier(item)] = item
    state.bytesInUse += item.byteCount
    state.peakBytes = max(state.peakBytes, state.bytesInUse + state.heldBytes)
    if item.ledger.isFetched { state.countFetched(item, -1) }
  }

  /// Withdraws an item's admission, and releases its predicted memory.
  func withdraw(_ item: WorkItem, _ state: inout State) {
    guard item.ledger.isAdmitted else { return }
    item.ledger.isAdmitted = false
    state.admitted[ObjectIdentifier(item)] = nil
    state.bytesInUse -= item.byteCount
  }

  /// Records that an item waits for memory. Items of lower classes that hold memory are raised to its class until it
  /// starts.
  private func waitForMemory(_ item: WorkItem, _ state: inout State) {
    guard state.memoryWaiter !== item || state.memoryBoost.map({ $0.qos < item.qos }) ?? false else { return }
    if let waiter = state.memoryWaiter { endMemoryWait(of: waiter, &state) }
    state.memoryWaiter = item
    let holders = state.admitted.values.filter { $0.byteCount > 0 && $0.qos < item.qos }
    guard !holders.isEmpty else { return }
    let boost = Boost(item.qos, scheduler: self)
    raise(holders, boost, &state)
    state.memoryBoost = boost
  }

  func endMemoryWait(of item: WorkItem, _ state: inout State) {
    guard state.memoryWaiter === item else { return }
    state.memoryWaiter = nil
    guard let boost = state.memoryBoost else { return }
    state.memoryBoost = nil
    lower(boost, &state)
  }

  // MARK: - threads

  /// Wakes or starts workers for ready items, and updates the flags that running workers check.
  func assignWorkers(_ state: inout State, _ effects: inout Effects) {
    publish(&state)
    guard state.phase == .active else { return }
    var wanted = state.foregroundWanted
    while wanted > 0, let worker = state.popIdleForeground() {
      effects.wake.append(worker)
      wanted -= 1
    }
    while wanted > 0,
      state.foregroundThreads - state.blockedForeground < state.workers,
      state.foregroundThreads < state.workers + Self.spareWorkers
    {
      state.foregroundThreads += 1
      effects.start.append(state.makeWorker(.foreground))
      wanted -= 1
    }
    assignLow(&state, &effects)
    assignWaitingThread(&state, &effects)
    if let recorder = configuration.recorder {
      recorder.level(ready: state.readyCounts, bytes: state.bytesInUse + state.heldBytes)
    }
  }

  private func assignLow(_ state: inout State, _ effects: inout Effects) {
    guard state.readyLow > 0 || !state.loops.isEmpty else { return }
    let runnable = state.runnableLow + state.helpWanted(foreground: false)
    guard state.readyLow + runnable > 0 else { return }
    var wanted = min(runnable, state.workers - state.wantedForeground - state.activeLow)
    if wanted <= 0, state.watcher == nil, state.readyLow > 0 { wanted = min(1, state.idleLow.count) }
    while wanted > 0, let worker = state.popIdleLow() {
      effects.wake.append(worker)
      wanted -= 1
    }
    // At least one low-priority thread is started, so that no class starves.
    while wanted > 0 && state.lowThreads < state.workers || state.lowThreads == 0 {
      state.lowThreads += 1
      effects.start.append(state.makeWorker(.low))
      wanted -= 1
    }
  }

  /// Updates the flags that workers check between two steps.
  func publish(_ state: inout State) {
    guard state.phase != .invalidated else {
      // These values make all workers leave their items.
      readyClasses.store(.max, ordering: .relaxed)
      return isLowOversubscribed.store(true, ordering: .relaxed)
    }
    state.countRunnable()
    var ready: UInt = 0
    for value in 0..<QualityOfService.allCases.count where state.runnable[value] > 0 {
      ready |= 1 << UInt(value)
    }
    readyClasses.store(ready, ordering: .relaxed)
    isLowOversubscribed.store(
      state.activeLow > 0 && state.wantedForeground + state.activeLow > state.workers,
      ordering: .relaxed)
    note(
      spareWorker: state.runnable.wrappedSum() == 0 && state.loops.isEmpty
        && state.activeForeground + state.activeLow < state.workers)
    isForegroundBusy.store(state.wantedForeground > 0, ordering: .relaxed)
    isForegroundOversubscribed.store(state.activeForeground > state.foregroundRoom, ordering: .relaxed)
  }
}
