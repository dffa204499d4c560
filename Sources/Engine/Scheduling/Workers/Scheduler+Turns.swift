/// Turns, which keep utility and background work from starving.
///
/// A class with work is owed `leastShare` of the workers' time. After a step of duration d, its next turn is
/// d / (leastShare * workers) after that step began.
extension Scheduler {
  private func nextTurn(_ qos: QualityOfService) -> Int {
    qos == .utility ? nextUtilityTurn.load(ordering: .relaxed) : nextBackgroundTurn.load(ordering: .relaxed)
  }

  private func setNextTurn(_ qos: QualityOfService, _ time: Int) {
    if qos == .utility {
      nextUtilityTurn.store(time, ordering: .relaxed)
    } else {
      nextBackgroundTurn.store(time, ordering: .relaxed)
    }
  }

  /// Begins the turns of a class that had no work. Time that it was owed before does not count.
  func openTurns(_ qos: QualityOfService) {
    setNextTurn(qos, max(nextTurn(qos), monotonicNanoseconds() + 20_000_000))
  }

  /// Begins a step that a class was owed. It counts as a millisecond until its duration is known, so that no second
  /// worker begins another.
  func beginTurn(_ qos: QualityOfService) { noteTurn(qos, began: monotonicNanoseconds(), computed: 1_000_000) }

  /// Sets the next turn of a class after a step.
  ///
  /// - Parameters:
  ///   - began: the time at which the step began.
  ///   - computed: the processor's time that it took, because a thread of the lowest priority may get no processor.
  func noteTurn(_ qos: QualityOfService, began: Int, computed: Int) {
    guard !qos.isForeground else { return }
    let period = Double(computed) / configuration.leastShare / Double(configuration.workers)
    setNextTurn(qos, began + Int(period))
  }

  /// Whether one of the classes of the bits is owed a step.
  func isTurnDue(_ classes: UInt) -> Bool {
    guard classes & Self.lowClasses != 0 else { return false }
    let now = monotonicNanoseconds()
    return (classes & Self.bit(.utility) != 0 && nextTurn(.utility) <= now)
      || (classes & Self.bit(.background) != 0 && nextTurn(.background) <= now)
  }

  /// The classes that have work and are owed a step, beginning with the one that has waited longest.
  func dueClasses(_ state: State) -> [QualityOfService] {
    guard state.readyLow > 0 else { return [] }
    let now = monotonicNanoseconds()
    let due = [QualityOfService.utility, .background].filter {
      state.readyCount($0) > 0 && nextTurn($0) <= now
    }
    return due.sorted { nextTurn($0) < nextTurn($1) }
  }
}
