import Platform

/// Calls that wait for disks and other programs without occupying a worker's place.
extension Scheduler {
  /// Runs a body that may block. If the caller is a worker, another worker takes its place during the call.
  public func blocking<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
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
    state.withLock { state in countBlocked(worker, item, change, &state, &effects) }
    perform(effects)
  }

  func countBlocked(_ worker: Worker, _ item: WorkItem, _ change: Int, _ state: inout State, _ effects: inout Effects) {
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

  /// Runs a body that rarely blocks, such as a write into the system's cache. After 5 ms, it is treated as `blocking`.
  public func seldomBlocking<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    guard let worker = Worker.current, let item = worker.item, worker.blockingDepth == 0 else {
      return try body()
    }
    worker.blockingDepth += 1
    worker.callItem = item
    worker.callSince.store(monotonicNanoseconds(), ordering: .releasing)
    startWatch()
    defer {
      worker.blockingDepth -= 1
      if worker.callSince.exchange(0, ordering: .acquiringAndReleasing) < 0 { countBlocked(worker, item, -1) }
    }
    return try body()
  }

  /// Starts a waiting thread. If the system cannot provide one, the existing threads serve all calls.
  func startWaitingThread() {
    guard !startThread({ self.serveWaitingCalls() }) else { return }
    let isAlone = state.withLock { state in
      state.waitingThreads -= 1
      state.idleWaiting -= 1
      return state.waitingThreads == 0
    }
    // Without any waiting thread, inputs would never be read.
    if isAlone { endWithoutThreads() }
  }

  private func startWatch() {
    guard !isWatching.exchange(true, ordering: .relaxed) else { return }
    startThread { self.watchCalls() }
  }

  /// Checks every 5 ms for workers that have been in a call for longer than that. Ends after 50 successive checks have
  /// found no worker in a call, or when the scheduler is invalidated.
  private func watchCalls() {
    var idleRounds = 0
    while idleRounds < 50 {
      usleep(5_000)
      var effects = Effects()
      let isSome = state.withLock { state -> Bool? in
        guard state.phase == .active else { return nil }
        let now = monotonicNanoseconds()
        var isSome = false
        for worker in state.workersMade {
          let since = worker.callSince.load(ordering: .acquiring)
          isSome = isSome || since != 0
          guard since > 0, now - since > 5_000_000,
            worker.callSince.compareExchange(
              expected: since, desired: -since, ordering: .acquiringAndReleasing
            ).exchanged
          else { continue }
          // From now on the worker must take the lock to leave the call.
          countBlocked(worker, worker.callItem!, 1, &state, &effects)
        }
        return isSome
      }
      perform(effects)
      guard let isSome else { break }
      idleRounds = isSome ? 0 : idleRounds + 1
    }
    isWatching.store(false, ordering: .relaxed)
  }

  /// Runs a closure that may block for a long time, such as one that waits for another program, on one of the
  /// `waitingThreads`. These threads take the highest class first.
  ///
  /// - Parameter name: the name of the closure in a trace.
  /// - Throws: `SchedulingError.invalidated`.
  public func submitWaiting(_ qos: QualityOfService, name: String = "waiting", _ body: @escaping @Sendable () -> Void)
    throws(SchedulingError)
  {
    var effects = Effects()
    try state.withLock { state throws(SchedulingError) in
      precondition(state.phase != .setUp, "work was submitted to a scheduler that is not active")
      guard state.phase == .active else { throw .invalidated }
      state.calls.append(name, body, qos)
      assignWaitingThread(&state, &effects)
    }
    perform(effects)
  }

  /// Makes a waiting thread read an item's input, which is not in memory, and frees the worker.
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
    var wanted = state.calls.count(state.mayFetch)
    guard wanted > 0 else { return }
    if state.idleWaiting > 0 { effects.wakesWaiting = true }
    wanted -= state.idleWaiting
    while wanted > 0, state.waitingThreads < configuration.waitingThreads {
      state.waitingThreads += 1
      // The thread is idle until it has taken a call.
      state.idleWaiting += 1
      effects.waitingThreadsToStart += 1
      wanted -= 1
    }
  }

  /// Serves calls until none has arrived for a second: the body of a waiting thread.
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
      // A call may have arrived since the last check.
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
      guard !item.state.isOver else { return }
      // A scheduler that is being invalidated may have missed this item.
      guard state.phase == .active else { return cancel(item, .invalidated, &state, &effects) }
      state.countFetched(item, 1)
      state.fresh[item.qos.rawValue].prepend(item)
      assignWorkers(&state, &effects)
    }
    perform(effects)
  }

  // MARK: - results that wait

  /// Counts memory that is kept longer than the item that allocated it, such as a page that waits for earlier pages.
  public func hold(_ byteCount: Int) {
    state.withLock { state in
      state.heldBytes += byteCount
      state.peakBytes = max(state.peakBytes, state.bytesInUse + state.heldBytes)
    }
  }

  /// Stops counting memory that `hold` has counted.
  public func letGo(_ byteCount: Int) {
    update { state, _ in
      state.heldBytes -= byteCount
      precondition(state.heldBytes >= 0, "more bytes were let go than held")
    }
  }
}
