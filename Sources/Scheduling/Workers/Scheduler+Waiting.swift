/// What waits for disks and other programs must not take a worker's place.
extension Scheduler {
  /// Runs something that may wait, on a worker: another takes its place meanwhile.
  ///
  /// On any other thread it simply runs.
  public func blocking<Result, Failure: Error>(_ body: () throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    guard let worker = Worker.current, let item = worker.item else { return try body() }
    worker.blockingDepth += 1
    if worker.blockingDepth == 1 { countBlocked(worker, item, 1) }
    defer {
      worker.blockingDepth -= 1
      if worker.blockingDepth == 0 { countBlocked(worker, item, -1) }
    }
    return try body()
  }

  private func countBlocked(_ worker: Worker, _ item: WorkItem, _ change: Int) {
    var effects = Effects()
    state.withLock { state in
      state.count(worker, -change)
      switch worker.kind {
      case .foreground: state.blockedForeground += change
      case .low where change > 0: state.takeBack(item)
      case .low:
        item.ledger.isOnLow = true
        state.countRaised(item.qos, 1)
      }
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }

  /// Runs a closure that may wait long, such as for another program, on a thread that is for that; there
  /// are `waitingThreads` of them, which take the highest class first.
  ///
  /// - Parameter name: what a drawing of the run calls it.
  /// - Throws: `SchedulingError.invalidated`.
  public func submitWaiting(
    _ qos: QualityOfService, name: String = "waiting", _ body: @escaping @Sendable () -> Void
  ) throws(SchedulingError) {
    var effects = Effects()
    let isActive = state.withLock { state in
      precondition(state.phase != .setUp, "work was submitted to a scheduler that is not active")
      guard state.phase == .active else { return false }
      state.calls.append(name, body, qos)
      assignWaitingThread(&state, &effects)
      return true
    }
    guard isActive else { throw .invalidated }
    perform(effects)
  }

  /// The item's input is not in memory: a waiting thread reads it, and the worker is free.
  func fetchFirst(_ item: WorkItem, _ worker: Worker) {
    var effects = Effects()
    state.withLock { state in
      state.count(worker, -1)
      state.takeBack(item)
      withdraw(item, &state)
      item.ledger.isFetched = true
      state.calls.append(item, item.qos)
      assignWaitingThread(&state, &effects)
      publish(&state)
    }
    perform(effects)
  }

  func assignWaitingThread(_ state: inout State, _ effects: inout Effects) {
    var wanted = state.calls.count(mayFetch: state.mayFetch)
    guard wanted > 0 else { return }
    if state.idleWaiting > 0 { effects.wakesWaiting = true }
    wanted -= state.idleWaiting
    while wanted > 0, state.waitingThreads < configuration.waitingThreads {
      state.waitingThreads += 1
      // It is idle until it has taken something.
      state.idleWaiting += 1
      effects.waitingThreadsToStart += 1
      wanted -= 1
    }
  }

  /// One waiting thread's life: it ends when it has had nothing to do for a second.
  func serveWaitingCalls() {
    let recorder = configuration.recorder
    let row = recorder?.enterWaitingRow()
    defer { if let row { recorder?.leave(row) } }
    while let call = nextCall() {
      switch call {
      case .call(let name, let qos, let body):
        if let recorder, let row { recorder.openStep(row, name, qos, body) } else { body() }
      case .fetch(let item, let work):
        let began = recorder?.now() ?? 0
        fetch(item, work)
        if let row { recorder?.step(row, "read " + work.name, item.qos, began: began) }
      }
      state.withLock { $0.idleWaiting += 1 }
    }
  }

  private func nextCall() -> WaitingCalls.Call? {
    let call = state.wait(seconds: 1) { state -> WaitingCalls.Call?? in
      if state.phase == .invalidated { return .some(nil) }
      return state.takeCall().map { .some($0) }
    }
    if let call = call.flatMap({ $0 }) { return call }
    return state.withLock { state in
      // Something may have come between the last look and this one.
      if state.phase == .active, let call = state.takeCall() { return call }
      state.idleWaiting -= 1
      state.waitingThreads -= 1
      return nil
    }
  }

  private func fetch(_ item: WorkItem, _ work: any Work) {
    work.fetchInput()
    var effects = Effects()
    state.withLock { state in
      state.fetching[ObjectIdentifier(item)] = nil
      guard !item.state.isOver, state.phase == .active else { return }
      state.fetchedAhead += 1
      state.fresh[item.qos.rawValue].prepend(item)
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }

  // MARK: - results that wait

  /// Counts memory that outlives the item that made it, such as a page that waits for those before it.
  public func hold(_ byteCount: Int) {
    state.withLock { state in
      state.heldBytes += byteCount
      state.peakBytes = max(state.peakBytes, state.bytesInUse + state.heldBytes)
    }
  }

  /// Ends what `hold` has begun.
  public func letGo(_ byteCount: Int) {
    var effects = Effects()
    state.withLock { state in
      state.heldBytes -= byteCount
      precondition(state.heldBytes >= 0, "more was let go than was held")
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }
}
