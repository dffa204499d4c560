import Platform

/// Preemption in the middle of a long step.
///
/// A worker that pauses keeps its stack and gives its place to another thread. It goes on before any other item of its
/// class starts. A caller of `allowPreemption()` must not hold a lock that urgent work may want.
extension Scheduler {
  /// Pauses the calling worker while more urgent work can run. Costs a few nanoseconds otherwise.
  ///
  /// Long steps call this about every millisecond. Other threads go on at once, and so does a worker inside `blocking`,
  /// which has no place to give.
  ///
  /// - Parameter onPause: called with true before the pause and with false after it.
  public func allowPreemption(_ onPause: (_ isPaused: Bool) -> Void = { _ in }) {
    guard let worker = Worker.current, worker.blockingDepth == 0 else { return }
    switch worker.kind {
    case .foreground:
      guard let qos = worker.pausedClass, readyClasses.load(ordering: .relaxed) >> UInt(qos.rawValue + 1) != 0
      else { return }
      pause(worker, qos, onPause)
    case .low:
      // A foreground worker on the same processor would otherwise wait for the next tick of the clock.
      guard isForegroundBusy.load(ordering: .relaxed) else { return }
      let now = monotonicNanoseconds()
      guard now - worker.restedAt > 1_000_000 else { return }
      usleep(20)
      worker.restedAt = monotonicNanoseconds()
    }
  }

  private func pause(_ worker: Worker, _ qos: QualityOfService, _ onPause: (_ isPaused: Bool) -> Void) {
    var effects = Effects()
    let isPaused = state.withLock { state in
      guard state.mayPause(for: qos) else { return false }
      worker.isPaused = true
      state.paused.append(worker)
      state.count(worker, -1)
      state.blockedForeground += 1
      assignWorkers(&state, &effects)
      return true
    }
    guard isPaused else { return }
    perform(effects)
    onPause(true)
    configuration.recorder.span("paused") {
      repeat { worker.sleep() } while state.withLock { _ in worker.isPaused }
    }
    onPause(false)
  }
}

extension Worker {
  /// The class of its place. A foreground worker that does low work counts as `default`.
  var pausedClass: QualityOfService? { (item?.qos ?? loop?.qos).map { max($0, .default) } }
}

extension Scheduler.State {
  /// Whether there is more urgent work than free places, and a thread for it.
  func mayPause(for qos: QualityOfService) -> Bool {
    guard phase == .active else { return false }
    var urgent = 0
    for value in (qos.rawValue + 1)..<runnable.scalarCount { urgent += runnable[value] }
    let hasThread = !idleForeground.isEmpty || foregroundThreads < workers + Scheduler.spareWorkers
    return hasThread && urgent > max(0, foregroundRoom - activeForeground)
  }

  /// Lets the first paused worker of a class go on in the place of the caller, which then sleeps.
  mutating func resume(_ qos: QualityOfService, _ effects: inout Scheduler.Effects) -> Bool {
    guard let index = paused.firstIndex(where: { $0.pausedClass == qos }) else { return false }
    resume(at: index, &effects)
    return true
  }

  /// Lets all paused workers go on, however many places there are.
  mutating func resumeAll(_ effects: inout Scheduler.Effects) {
    while !paused.isEmpty { resume(at: 0, &effects) }
  }

  private mutating func resume(at index: Int, _ effects: inout Scheduler.Effects) {
    let worker = paused.remove(at: index)
    worker.isPaused = false
    blockedForeground -= 1
    count(worker, 1)
    effects.wake.append(worker)
  }
}
