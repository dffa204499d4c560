import CExitCleanup
import CPlatform
import Platform

extension Scheduler {
  /// The next action of a worker.
  enum Choice {
    case run(WorkItem, any Work, isFetched: Bool)
    case join(ParallelLoop)
    case abandon
    case sleep(seconds: Double?)
    case end
  }

  func start(_ worker: Worker) {
    // A sleeping worker does not keep its scheduler alive, so that releasing an active scheduler is detected.
    let isStarted = startThread { [weak self] in
      if worker.kind == .low { lowerThreadPriority() }
      worker.whileCurrent {
        while let rest = self?.work(worker) { worker.sleep(seconds: rest.seconds) }
      }
    }
    if !isStarted { giveUp(worker) }
  }

  /// Continues without a worker for which the system could not create a thread.
  private func giveUp(_ worker: Worker) {
    var effects = Effects()
    let isAlone = state.withLock { state in
      switch worker.kind {
      case .foreground: state.foregroundThreads -= 1
      case .low: state.lowThreads -= 1
      }
      // The worker may have been meant to replace a paused one, so all paused workers are resumed.
      state.resumeAll(&effects)
      return worker.kind == .foreground && state.foregroundThreads == 0
    }
    perform(effects)
    if isAlone { endWithoutThreads() }
  }

  /// The sleep of a worker without work. If `seconds` is nil, it lasts until the worker is woken.
  private struct Rest { let seconds: Double? }

  /// Runs items until there is nothing to do.
  ///
  /// - Returns: the sleep that follows; nil if the worker ends.
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

  /// Runs steps of one item until it has ended, or other work has precedence.
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

  /// Settles an item that has ended, or puts it aside.
  private func leave(_ item: WorkItem, _ worker: Worker, _ step: WorkStep) {
    var effects = Effects()
    state.withLock { state in
      state.count(worker, -1)
      state.takeBack(item)
      switch step {
      case .more: state.started[item.qos.rawValue].prepend(item)
      case .finished: settle(item, .finished, &state, &effects)
      case .failed: settle(item, .failed, &state, &effects)
      case .cancelled: settle(item, .cancelled, &state, &effects)
      }
      // A foreground worker takes the next item immediately; a low-priority worker may have to sleep.
      if worker.kind == .low { assignWorkers(&state, &effects) } else { publish(&state) }
    }
    perform(effects)
  }

  /// Returns whether the worker should put its item aside for other work. This checks only a few flags; the decision is
  /// made under the lock.
  private func mustLeave(_ item: WorkItem, _ worker: Worker) -> Bool {
    let ready = readyClasses.load(ordering: .relaxed)
    let qos = item.qos
    switch worker.kind {
    case .foreground:
      if !qos.isForeground || ready >> UInt(qos.rawValue + 1) != 0 { return true }
      if isForegroundOversubscribed.load(ordering: .relaxed) { return true }
      return isTurnDue(ready)
    case .low:
      // On Linux, even a thread of the idle class delays a foreground worker on the same processor until the next clock
      // tick (4 ms), unless it sleeps. After sleeping, it wakes up on another processor.
      if isForegroundBusy.load(ordering: .relaxed) { usleep(20) }
      if qos.isForeground || isLowOversubscribed.load(ordering: .relaxed) { return true }
      if qos == .background { return ready & Self.bit(.utility) != 0 }
      return isTurnDue(ready & Self.bit(.background))
    }
  }

  static func bit(_ qos: QualityOfService) -> UInt { 1 << UInt(qos.rawValue) }
  static let lowClasses = bit(.utility) | bit(.background)
}

/// Runs `body` on a new thread with a stack of the given size, and returns when it has ended.
///
/// If the caller is a worker, `body` runs as that worker: its loops find helpers, and it yields to more urgent work.
public func runOnOwnThread(stackByteCount: Int, _ body: @escaping () -> Void) {
  // `nonisolated(unsafe)`: the caller waits until the thread has ended, so only one thread uses the body at a time.
  nonisolated(unsafe) let body = body
  let isDone = Monitor(false)
  // Two threads never act as the worker at the same time, because the worker's own thread only waits.
  let worker = Worker.current
  let isStarted = startThread(stackByteCount: stackByteCount) {
    if let worker { worker.whileCurrent(body) } else { body() }
    isDone.withLock { $0 = true }
    isDone.notifyAll()
  }
  guard isStarted else { endWithoutThreads() }
  isDone.wait { $0 ? () : nil }
}

/// Ends the process, which cannot continue because the system has no threads left.
func endWithoutThreads() -> Never {
  let name = String(cString: cplatform_program_name())
  cexitcleanup_end(1, "\(name): cannot start a thread; raise the limits 'ulimit -u' and 'ulimit -v'\n")
}

/// Gives the calling thread the lowest priority: `SCHED_IDLE` of `sched_setscheduler(2)`, or nice 19 if the system
/// refuses that.
func lowerThreadPriority() {
  // The thread that starts all programs is created before this one loses its priority, and so does not inherit the low
  // priority.
  prepareToStartPrograms()
  if cplatform_use_idle_policy() != 0 { lowerThreadNice() }
}
