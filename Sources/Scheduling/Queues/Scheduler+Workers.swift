extension Scheduler {
  /// One worker's life.
  func work(foreground: Bool) {
    while let item = next(foreground: foreground) {
      item.run()
      finish(item)
    }
    state.withLock { $0.liveWorkers -= 1 }
    state.notifyAll()
  }

  /// Waits for an item this kind of worker may run; nil once the scheduler is invalidated.
  private func next(foreground: Bool) -> WorkItem? {
    while true {
      let outcome: WorkItem?? = state.wait(seconds: foreground ? 3600 : 0.25) { state in
        if state.phase == .invalidated { return .some(nil) }
        return admit(&state, foreground: foreground).map { .some($0) }
      }
      if let item = outcome { return item }
    }
  }

  /// Takes the item to run now, if there is one and it may start.
  private func admit(_ state: inout State, foreground: Bool) -> WorkItem? {
    if !foreground {
      let starved =
        monotonicSeconds() - state.lastLowStart > configuration.starvationSeconds
      guard state.running < configuration.workers || starved else { return nil }
    }
    let classes =
      foreground
      ? [QualityOfService.userInteractive, .userInitiated, .default] : [.utility, .background]
    return take(&state, from: classes)
  }

  /// The first item of the first class that has one, if memory allows; within a class nobody overtakes.
  func take(_ state: inout State, from classes: [QualityOfService]) -> WorkItem? {
    for qos in classes {
      guard let item = state.queues[qos.rawValue].first() else { continue }
      let fits =
        state.bytesInUse == 0 || state.bytesInUse + item.byteCount <= configuration.memoryBudget
      guard fits else { return nil }
      state.queues[qos.rawValue].removeFirst()
      guard item.claim() else { continue }
      state.bytesInUse += item.byteCount
      state.peakBytes = max(state.peakBytes, state.bytesInUse)
      state.running += 1
      if !qos.isForeground { state.lastLowStart = monotonicSeconds() }
      return item
    }
    return nil
  }

  private func finish(_ item: WorkItem) {
    state.withLock { state in
      state.bytesInUse -= item.byteCount
      state.running -= 1
    }
    state.notifyAll()
  }

  /// Lets work of a higher class go first. Long work calls this between strips.
  ///
  /// Called on a foreground worker while more urgent work waits, it runs that work here and now, so that
  /// an interactive job waits for one strip at most. On other threads it returns at once.
  public func yield(to current: QualityOfService) {
    guard current.isForeground, current < .userInteractive else { return }
    let higher = QualityOfService.allCases.filter { $0 > current }.reversed()
    let item = state.withLock { state in
      state.phase == .active ? take(&state, from: Array(higher)) : nil
    }
    guard let item else { return }
    item.run()
    finish(item)
  }
}
