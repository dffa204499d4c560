/// What keeps utility and background work from starving.
///
/// A class that has work and got none of the workers' time is owed `leastShare` of it: after a step of
/// duration d its next turn is d / (leastShare * workers) after that step began.
extension Scheduler {
  private func nextTurn(_ qos: QualityOfService) -> Int {
    qos == .utility
      ? nextUtilityTurn.load(ordering: .relaxed) : nextBackgroundTurn.load(ordering: .relaxed)
  }

  private func setNextTurn(_ qos: QualityOfService, _ time: Int) {
    if qos == .utility {
      nextUtilityTurn.store(time, ordering: .relaxed)
    } else {
      nextBackgroundTurn.store(time, ordering: .relaxed)
    }
  }

  /// A class without work has got some: what it was owed before does not count.
  func openTurns(_ qos: QualityOfService) {
    setNextTurn(qos, max(nextTurn(qos), monotonicNanoseconds() + 20_000_000))
  }

  /// A step begins that a class was owed: no other worker is to do one, too, until it is known how long this
  /// took. Till then it counts as a millisecond.
  func beginTurn(_ qos: QualityOfService) {
    noteTurn(qos, began: monotonicNanoseconds(), computed: 1_000_000)
  }

  /// - Parameters:
  ///   - began: when the step began.
  ///   - computed: the processor's time it took: a thread of the lowest priority may stand still for long.
  func noteTurn(_ qos: QualityOfService, began: Int, computed: Int) {
    guard !qos.isForeground else { return }
    let period = Double(computed) / configuration.leastShare / Double(configuration.workers)
    setNextTurn(qos, began + Int(period))
  }

  /// Whether a class among those of the bits is owed a step.
  func isTurnDue(_ classes: UInt) -> Bool {
    guard classes & Self.lowClasses != 0 else { return false }
    let now = monotonicNanoseconds()
    return (classes & Self.bit(.utility) != 0 && nextTurn(.utility) <= now)
      || (classes & Self.bit(.background) != 0 && nextTurn(.background) <= now)
  }

  /// The classes that are owed a step and have one to do, the one that has been owed it for longest first.
  func dueClasses(_ state: State) -> [QualityOfService] {
    guard state.readyLow > 0 else { return [] }
    let now = monotonicNanoseconds()
    let due = [QualityOfService.utility, .background].filter {
      state.readyCount($0) > 0 && nextTurn($0) <= now
    }
    return due.sorted { nextTurn($0) < nextTurn($1) }
  }
}
