import Platform

extension Scheduler {
  /// What a worker is to do next.
  enum Choice {
    case run(WorkItem, any Work, isFetched: Bool)
    case join(ParallelLoop)
    case abandon
    case sleep(seconds: Double?)
    case end
  }

  func start(_ worker: Worker) {
    // A worker that sleeps does not keep its scheduler alive: releasing that while it is active is to be seen.
    let isStarted = startThread { [weak self] in
      if worker.kind == .low { lowerThreadPriority() }
      worker.whileCurrent {
        while let rest = self?.work(worker) { worker.sleep(seconds: rest.seconds) }
      }
    }
    if !isStarted { giveUp(worker) }
  }

  /// The system has no thread for a worker: those that there are do the work.
  private func giveUp(_ worker: Worker) {
    var effects = Effects()
    let isAlone = state.withLock { state in
      switch worker.kind {
      case .foreground: state.foregroundThreads -= 1
      case .low: state.lowThreads -= 1
      }
      // It was to take the place of one of them.
      state.resumeAll(&effects)
      return worker.kind == .foreground && state.foregroundThreads == 0
    }
    perform(effects)
    if isAlone { endWithoutThreads() }
  }

  /// Nil seconds: until somebody wakes the worker.
  private struct Rest { let seconds: Double? }

  /// What a worker does between two sleeps.
  ///
  /// - Returns: Nil at the end of its life.
  private func work(_ worker: Worker) -> Rest? {
    while true {
      var effects = Effects()
      let choice = state.withLock { state -> Choice in
        let choice = choose(worker, &state, &effects)
        if case .end = choice {
          if worker.kind == .foreground {
            state.foregroundThreads -= 1
          } else {
            state.lowThreads -= 1
          }
        }
        assignWorkers(&state, &effects)
        return choice
      }
      perform(effects)
      switch choice {
      case .run(let item, let work, let isFetched):
        if item.state != .running && !isFetched && !work.isInputReady {
          fetchFirst(item, worker)
        } else {
          run(item, work, on: worker)
        }
      case .join(let loop): join(loop, worker)
      case .abandon: break
      case .sleep(let seconds): return Rest(seconds: seconds)
      case .end:
        state.notifyAll()
        return nil
      }
    }
  }

  /// Steps of one item, until it is over or something else goes first.
  private func run(_ item: WorkItem, _ work: any Work, on worker: Worker) {
    item.state = .running
    worker.item = item
    defer { worker.item = nil }
    let recorder = configuration.recorder
    let name = recorder == nil ? "" : work.name
    while true {
      let qos = item.qos
      let isTurn = worker.kind == .foreground && !qos.isForeground
      let began = qos.isForeground ? 0 : monotonicNanoseconds()
      let before = qos.isForeground ? 0 : threadNanoseconds()
      let traced = recorder?.now() ?? 0
      let step = work.step()
      recorder?.step(worker.row, name, qos, began: traced)
      if !qos.isForeground { noteTurn(qos, began: began, computed: threadNanoseconds() - before) }
      if step != .more { return leave(item, worker, step) }
      if isTurn || mustLeave(item, worker) { return leave(item, worker, .more) }
    }
  }

  /// Lets an item go that is over, or puts it aside.
  private func leave(_ item: WorkItem, _ worker: Worker, _ step: WorkStep) {
    var effects = Effects()
    state.withLock { state in
      state.count(worker, -1)
      state.rewind(item)
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
