#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Scheduler {
  /// What a worker is to do next.
  enum Choice {
    case run(WorkItem)
    case join(ParallelLoop)
    case abandon
    case sleep(seconds: Double?)
    case end
  }

  func start(_ worker: Worker) {
    startThread {
      if worker.kind == .low { lowerThreadPriority() }
      worker.whileCurrent { self.work(worker) }
    }
  }

  /// One worker's life.
  private func work(_ worker: Worker) {
    while true {
      var effects = Effects()
      let choice = state.withLock { state -> Choice in
        let choice = choose(worker, &state, &effects)
        if case .end = choice {
          if worker.kind == .foreground { state.foregroundThreads -= 1 } else { state.lowThreads -= 1 }
        }
        if case .sleep = choice {
          assignOthers(&state, &effects)
        } else {
          assignWorkers(&state, &effects)
        }
        return choice
      }
      perform(effects)
      switch choice {
      case .run(let item): run(item, on: worker)
      case .join(let loop): join(loop, worker)
      case .abandon: break
      case .sleep(let seconds): rest(worker, seconds)
      case .end:
        state.notifyAll()
        return
      }
    }
  }

  private func rest(_ worker: Worker, _ seconds: Double?) {
    guard !worker.sleep(seconds: seconds) else { return }
    // Nobody has woken it: it stands among the idle ones still, unless somebody is about to.
    state.withLock { state in
      state.idleForeground.removeAll { $0 === worker }
      state.idleLow.removeAll { $0 === worker }
    }
  }

  /// Steps of one item, until it is over or something else goes first.
  private func run(_ item: WorkItem, on worker: Worker) {
    guard let work = item.ledger.work else { preconditionFailure("an item ran without its work") }
    if item.state != .running {
      if !item.ledger.isFetched && !work.isInputReady { return fetchFirst(item, worker) }
      item.state = .running
    }
    worker.item = item
    defer { worker.item = nil }
    let recorder = configuration.recorder
    let name = recorder == nil ? "" : work.name
    while true {
      let qos = item.qos
      let isTurn = worker.kind == .foreground && !qos.isForeground
      let began = qos.isForeground ? 0 : monotonicNanoseconds()
      let traced = recorder?.now() ?? 0
      let step = work.step()
      recorder?.step(worker.row, name, qos, began: traced)
      if !qos.isForeground { noteTurn(qos, began: began, ended: monotonicNanoseconds()) }
      if step != .more { return leave(item, worker, step) }
      if isTurn || mustLeave(item, worker) { return leave(item, worker, .more) }
    }
  }

  /// Lets an item go that is over, or puts it aside.
  private func leave(_ item: WorkItem, _ worker: Worker, _ step: WorkStep) {
    var effects = Effects()
    state.withLock { state in
      state.count(worker, -1)
      switch step {
      case .more: state.started[item.qos.rawValue].prepend(item)
      case .finished: settle(item, .finished, &state, &effects)
      case .failed: settle(item, .failed, &state, &effects)
      case .cancelled: settle(item, .cancelled, &state, &effects)
      }
      // The worker itself takes the next item at once; but one of the low classes takes no other.
      if worker.kind == .low { assignWorkers(&state, &effects) } else { publish(&state) }
    }
    perform(effects)
  }

  /// Whether something else should have this worker. Looks at a few flags; the lock decides.
  private func mustLeave(_ item: WorkItem, _ worker: Worker) -> Bool {
    let ready = readyClasses.load(ordering: .relaxed)
    let qos = item.qos
    switch worker.kind {
    case .foreground:
      if !qos.isForeground || ready >> UInt(qos.rawValue + 1) != 0 { return true }
      if isForegroundCrowded.load(ordering: .relaxed) { return true }
      return isTurnDue(ready)
    case .low:
      // Linux lets even an idle-class thread run to the next tick of the clock, 4 ms, in front of a
      // foreground worker on the same processor, unless it goes to sleep; it wakes up on another.
      if isForegroundBusy.load(ordering: .relaxed) { usleep(20) }
      if qos.isForeground || isLowCrowded.load(ordering: .relaxed) { return true }
      if qos == .background { return ready & Self.bit(.utility) != 0 }
      return isTurnDue(ready & Self.bit(.background))
    }
  }

  static func bit(_ qos: QualityOfService) -> UInt { 1 << UInt(qos.rawValue) }
  static let lowClasses = bit(.utility) | bit(.background)
}
