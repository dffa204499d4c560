import TestSupport

@testable import Scheduling

/// One thread of the stress test. Only used by that.
final class Submitter {
  private struct Entry {
    let item: WorkItem
    let end: StressEnd
  }

  private let stress: Stress
  private let queues: [StressQueue]
  private var random: SplitMix
  private var entries: [Entry] = []
  private var boosts: [Boost] = []
  private var tokens: [CancellationToken] = []
  private let group: WorkGroup

  init(_ stress: Stress, _ queues: [StressQueue], seed: UInt64) {
    self.stress = stress
    self.queues = queues
    random = SplitMix(seed)
    group = WorkGroup(on: stress.scheduler)
  }

  func run(until end: Double) {
    while monotonicSeconds() < end {
      for _ in 0..<200 { act() }
      stress.checkThreads()
      // As much as the workers can take on.
      wait(for: Array(entries.suffix(Int.random(in: 1...20, using: &random))))
      if entries.count > 400 { tidy() }
    }
    for token in tokens { token.cancel() }
    stress.scheduler.sweepCancelled()
    for boost in boosts { boost.end() }
    let last = (try? group.notify(.default) {}) ?? { preconditionFailure("invalidated early") }()
    stress.scheduler.wait(for: [last], as: .userInteractive)
    // Behind the last of the group; that includes those that were cancelled.
    wait(for: entries)
    // More that are under way when the scheduler is invalidated.
    for _ in 0..<50 { submit() }
  }

  private func act() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<60: submit()
    case 60..<68: if let entry = entries.randomElement(using: &random) { cancel(entry) }
    case 68..<80: raise()
    case 80..<90:
      if !boosts.isEmpty {
        // Half of them end by being released.
        let boost = boosts.remove(at: Int.random(in: boosts.indices, using: &random))
        if random.chance(50) { boost.end() }
      }
    case 90..<93: cancelToken()
    case 93..<95: stress.scheduler.parallelFor(16, qos: .userInitiated) { _ in }
    case 95..<97: try? stress.scheduler.submitWaiting(.default) { spin(milliseconds: 0.02) }
    case 97..<98:
      stress.scheduler.hold(50)
      stress.scheduler.letGo(50)
    default: tidy()
    }
  }

  private func plan() -> StressWork.Plan {
    var plan = StressWork.Plan()
    plan.steps = random.chance(40) ? Int.random(in: 2...12, using: &random) : 1
    plan.isDivided = random.chance(60)
    plan.outcome = random.chance(90) ? .finished : random.chance(50) ? .failed : .cancelled
    plan.bytes = random.chance(40) ? Int.random(in: 1...500, using: &random) : 0
    if random.chance(1) { plan.bytes = 5000 }
    plan.blocks = random.chance(5)
    plan.loops = random.chance(5)
    plan.needsFetch = random.chance(8)
    return plan
  }

  private func submit() {
    var plan = plan()
    let qos = QualityOfService.allCases.randomElement(using: &random)!
    let token = random.chance(10) ? newToken() : nil
    let queue = random.chance(30) ? queues.randomElement(using: &random) : nil
    var before: [(entry: Entry, needsSuccess: Bool)] = []
    if queue == nil, random.chance(30) {
      for entry in entries.suffix(8).shuffled(using: &random).prefix(3) {
        before.append((entry, random.chance(60)))
      }
    }
    if let queue { plan.isAlone = queue.isSerial || random.chance(10) }
    let work = StressWork(
      plan, stress, queue: queue, token: token,
      before: before.map { ($0.entry.end, $0.needsSuccess) })
    do throws(SchedulingError) {
      let item =
        if let queue {
          try queue.queue.submit(work, qos: qos, byteCount: plan.bytes, isBarrier: plan.isAlone && !queue.isSerial)
        } else {
          try stress.scheduler.submit(
            work, qos: qos, byteCount: plan.bytes,
            after: before.map {
              $0.needsSuccess ? .success(of: $0.entry.item) : .end(of: $0.entry.item)
            })
        }
      stress.submitted.add(1)
      entries.append(Entry(item: item, end: work.end))
      group.add(item)
    } catch {
      stress.complaints.add("\(error)")
    }
  }

  private func cancel(_ entry: Entry) {
    if stress.scheduler.cancel(entry.item), !entry.item.state.isOver {
      stress.complaints.add("cancelled and not over")
    }
  }

  private func raise() {
    guard !entries.isEmpty else { return }
    let items = (0..<3).map { _ in entries.randomElement(using: &random)!.item }
    let qos = QualityOfService.allCases.randomElement(using: &random)!
    let boost = stress.scheduler.raise(items, to: qos)
    for item in items where !item.state.isOver && item.qos < qos {
      // It may have ended since.
      if !item.state.isOver { stress.complaints.add("raised to \(qos) and in \(item.qos)") }
    }
    boosts.append(boost)
    if boosts.count > 50 { boosts.removeFirst() }
  }

  private func newToken() -> CancellationToken {
    if tokens.isEmpty || random.chance(20) { tokens.append(CancellationToken()) }
    return tokens.last!
  }

  private func cancelToken() {
    guard let token = tokens.popLast() else { return }
    token.cancel(.init("at random"))
    if random.chance(50) { stress.scheduler.sweepCancelled(.init("swept")) }
  }

  private func wait(for some: [Entry]) {
    stress.scheduler.wait(for: some.map(\.item), as: QualityOfService.allCases.randomElement(using: &random)!)
    // A worker says how its work has ended before the scheduler does; one that is abandoned hears of it after.
    for entry in some where !eventually({ entry.end.isOver }) {
      stress.complaints.add("waited for, and not over")
    }
  }

  /// Boosts go back, and classes with them.
  private func tidy() {
    boosts = []
    entries.removeAll { $0.item.state.isOver && $0.end.isOver }
  }
}
