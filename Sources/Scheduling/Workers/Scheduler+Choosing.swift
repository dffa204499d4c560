/// What runs next. Everything here is under the lock.
extension Scheduler {
  private static let foreground = [QualityOfService.userInteractive, .userInitiated, .default]

  func choose(_ worker: Worker, _ state: inout State, _ effects: inout Effects) -> Choice {
    guard state.phase == .active else { return .end }
    switch worker.kind {
    case .foreground: return chooseForeground(worker, &state, &effects)
    case .low: return chooseLow(worker, &state, &effects)
    }
  }

  private func chooseForeground(_ worker: Worker, _ state: inout State, _ effects: inout Effects)
    -> Choice
  {
    guard state.activeForeground < configuration.workers else { return idle(worker, &state) }
    if let qos = dueClass(&state), let item = takeTurn(qos, &state) {
      state.count(worker, 1)
      return .run(item)
    }
    return take(from: Self.foreground, worker, &state, &effects) ?? idle(worker, &state)
  }

  private func chooseLow(_ worker: Worker, _ state: inout State, _ effects: inout Effects)
    -> Choice
  {
    let due = dueClass(&state)
    guard state.wantedForeground + state.activeLow < state.workers || due != nil else { return idle(worker, &state) }
    let order: [QualityOfService] = due == .background ? [.background, .utility] : [.utility, .background]
    return take(from: order, worker, &state, &effects) ?? idle(worker, &state)
  }

  private func idle(_ worker: Worker, _ state: inout State) -> Choice {
    switch worker.kind {
    case .foreground:
      state.idleForeground.append(worker)
      return .sleep(seconds: nil)
    case .low:
      state.idleLow.append(worker)
      // It looks again whether it has come to starve.
      return .sleep(seconds: state.readyLow > 0 ? 0.1 : nil)
    }
  }

  /// A step of a low class on a foreground worker: only of work that is divided into short ones.
  private func takeTurn(_ qos: QualityOfService, _ state: inout State) -> WorkItem? {
    if let item = state.started[qos.rawValue].first() {
      guard item.ledger.work?.isDivided ?? false else { return nil }
      state.started[qos.rawValue].remove(item)
      return item
    }
    guard let item = state.fresh[qos.rawValue].first(), let work = item.ledger.work,
      work.isDivided, !work.isCancelled, state.fits(item),
      state.memoryWaiter == nil || item.byteCount == 0
    else { return nil }
    state.fresh[qos.rawValue].remove(item)
    admit(item, &state)
    return item
  }

  /// The first of the classes' items that may go on or start; within a class nobody overtakes.
  private func take(
    from classes: [QualityOfService], _ worker: Worker, _ state: inout State,
    _ effects: inout Effects
  ) -> Choice? {
    var waitsForMemory = worker.kind == .low && state.memoryWaiter != nil
    for qos in classes {
      if let loop = state.loops.first(where: { $0.qos == qos && $0.needsHelp }) {
        loop.inside += 1
        state.count(worker, 1)
        return .join(loop)
      }
      if let item = state.started[qos.rawValue].first() {
        state.started[qos.rawValue].remove(item)
        state.count(worker, 1)
        return .run(item)
      }
      guard let item = state.fresh[qos.rawValue].first() else { continue }
      if item.ledger.work?.isCancelled ?? false {
        cancel(item, .requested, &state, &effects)
        return .abandon
      }
      if item.byteCount == 0 || (!waitsForMemory && state.fits(item)) {
        state.fresh[qos.rawValue].remove(item)
        admit(item, &state)
        endMemoryWait(of: item, &state)
        state.count(worker, 1)
        return .run(item)
      }
      if !waitsForMemory { waitForMemory(item, &state) }
      waitsForMemory = true
    }
    return nil
  }

  // MARK: - memory

  private func admit(_ item: WorkItem, _ state: inout State) {
    item.ledger.isAdmitted = true
    state.admitted[ObjectIdentifier(item)] = item
    state.bytesInUse += item.byteCount
    state.peakBytes = max(state.peakBytes, state.bytesInUse)
    if item.ledger.isFetched { state.fetchedAhead -= 1 }
  }

  /// Takes an item's admission back.
  func withdraw(_ item: WorkItem, _ state: inout State) {
    guard item.ledger.isAdmitted else { return }
    item.ledger.isAdmitted = false
    state.admitted[ObjectIdentifier(item)] = nil
    state.bytesInUse -= item.byteCount
  }

  /// An item waits for memory that items of lower classes have: they are raised to its class until it starts.
  private func waitForMemory(_ item: WorkItem, _ state: inout State) {
    guard state.memoryWaiter !== item else { return }
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

  /// Wakes or starts workers for what is ready, and tells those that run how things stand.
  func assignWorkers(_ state: inout State, _ effects: inout Effects) {
    assignOthers(&state, &effects)
    guard state.phase == .active else { return }
    var wanted = min(
      state.startableForeground + state.helpWanted(foreground: true),
      state.workers - state.activeForeground)
    while wanted > 0, let worker = state.idleForeground.popLast() {
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
  }

  /// The same without foreground workers: one that has found nothing must not wake another to look.
  func assignOthers(_ state: inout State, _ effects: inout Effects) {
    publish(&state)
    guard state.phase == .active else { return }
    assignLow(&state, &effects)
    assignWaitingThread(&state, &effects)
    if let recorder = configuration.recorder {
      recorder.level(ready: state.readyCounts, bytes: state.bytesInUse + state.heldBytes)
    }
  }

  private func assignLow(_ state: inout State, _ effects: inout Effects) {
    let ready = state.readyLow + state.helpWanted(foreground: false)
    guard ready > 0 else { return }
    var wanted = min(ready, state.workers - state.wantedForeground - state.activeLow)
    while wanted > 0, let worker = state.idleLow.popLast() {
      effects.wake.append(worker)
      wanted -= 1
    }
    // One at least, which sees to it that nothing starves.
    while wanted > 0 && state.lowThreads < state.workers || state.lowThreads == 0 {
      state.lowThreads += 1
      effects.start.append(state.makeWorker(.low))
      wanted -= 1
    }
  }

  /// Tells the workers, which look between two steps.
  func publish(_ state: inout State) {
    var ready: UInt = 0
    for qos in QualityOfService.allCases where state.readyCount(qos) > 0 { ready |= Self.bit(qos) }
    readyClasses.store(ready, ordering: .relaxed)
    isLowCrowded.store(
      state.activeLow > 0 && state.wantedForeground + state.activeLow > state.workers,
      ordering: .relaxed)
    isForegroundBusy.store(state.wantedForeground > 0, ordering: .relaxed)
    isForegroundCrowded.store(state.activeForeground > state.workers, ordering: .relaxed)
  }
}

extension Scheduler.State {
  mutating func count(_ worker: Worker, _ change: Int) {
    switch worker.kind {
    case .foreground: activeForeground += change
    case .low: activeLow += change
    }
  }

  mutating func makeWorker(_ kind: Worker.Kind) -> Worker {
    defer { threadsMade += 1 }
    return Worker(index: threadsMade, kind: kind)
  }
}
