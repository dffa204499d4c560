/// What waits for disks and other programs must not take a worker's place.
extension Scheduler {
  /// Runs something that may wait, on a worker: another takes its place meanwhile.
  ///
  /// On any other thread it simply runs.
  public func blocking<Result, Failure: Error>(_ body: () throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    guard let worker = Worker.current, worker.item != nil else { return try body() }
    countBlocked(worker, 1)
    defer { countBlocked(worker, -1) }
    return try body()
  }

  private func countBlocked(_ worker: Worker, _ change: Int) {
    var effects = Effects()
    state.withLock { state in
      state.count(worker, -change)
      if worker.kind == .foreground { state.blockedForeground += change }
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
      guard state.phase == .active else { return false }
      state.calls.append(.call(name, qos, body), qos)
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
      withdraw(item, &state)
      item.ledger.isFetched = true
      state.calls.append(.fetch(item), item.qos)
      assignWaitingThread(&state, &effects)
      publish(&state)
    }
    perform(effects)
  }

  func assignWaitingThread(_ state: inout State, _ effects: inout Effects) {
    guard state.calls.hasSome(mayFetch: state.mayFetch) else { return }
    if state.idleWaiting > 0 {
      effects.wakesWaiting = true
    } else if state.waitingThreads < configuration.waitingThreads {
      state.waitingThreads += 1
      effects.startsWaitingThread = true
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
      case .fetch(let item):
        let began = recorder?.now() ?? 0
        guard let name = fetch(item) else { continue }
        if let row { recorder?.step(row, "read " + name, item.qos, began: began) }
      }
    }
  }

  private func nextCall() -> WaitingCalls.Call? {
    state.withLock { $0.idleWaiting += 1 }
    let call = state.wait(seconds: 1) { state -> WaitingCalls.Call?? in
      if state.phase == .invalidated { return .some(nil) }
      return state.calls.take(mayFetch: state.mayFetch).map { .some($0) }
    }
    return state.withLock { state in
      state.idleWaiting -= 1
      if let call = call.flatMap({ $0 }) { return call }
      // Something may have come between the last look and this one.
      if state.phase == .active, let call = state.calls.take(mayFetch: state.mayFetch) {
        return call
      }
      state.waitingThreads -= 1
      return nil
    }
  }

  /// - Returns: What a drawing of the run calls it; nil where there was nothing to do.
  private func fetch(_ item: WorkItem) -> String? {
    guard let work = state.withLock({ _ in item.ledger.work }) else { return nil }
    work.fetchInput()
    var effects = Effects()
    state.withLock { state in
      guard !item.state.isOver else { return }
      guard state.phase == .active else { return cancel(item, .invalidated, &state, &effects) }
      state.fetchedAhead += 1
      state.fresh[item.qos.rawValue].prepend(item)
      assignWorkers(&state, &effects)
    }
    perform(effects)
    return configuration.recorder == nil ? "" : work.name
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

/// What the waiting threads have before them, by class.
struct WaitingCalls {
  enum Call {
    case fetch(WorkItem)
    case call(String, QualityOfService, @Sendable () -> Void)

    var isCall: Bool { if case .call = self { true } else { false } }
  }

  private var calls = [[Call]](repeating: [], count: QualityOfService.allCases.count)

  mutating func append(_ call: Call, _ qos: QualityOfService) { calls[qos.rawValue].append(call) }

  /// The first of the highest class; `mayFetch` false leaves inputs where they are.
  mutating func take(mayFetch: Bool) -> Call? {
    for index in calls.indices.reversed() {
      let place = calls[index].firstIndex { call in
        call.isCall || mayFetch
      }
      if let place { return calls[index].remove(at: place) }
    }
    return nil
  }

  func hasSome(mayFetch: Bool) -> Bool {
    calls.contains { $0.contains { $0.isCall || mayFetch } }
  }

  /// Puts an item whose input is to be fetched behind those of its new class.
  mutating func move(_ item: WorkItem, from old: QualityOfService, to new: QualityOfService) {
    let place = calls[old.rawValue].firstIndex { call in
      if case .fetch(let other) = call { other === item } else { false }
    }
    if let place { calls[new.rawValue].append(calls[old.rawValue].remove(at: place)) }
  }

  /// Items whose input is to be fetched.
  var items: [WorkItem] {
    calls.flatMap { $0 }.compactMap { call in
      if case .fetch(let item) = call { item } else { nil }
    }
  }
}
