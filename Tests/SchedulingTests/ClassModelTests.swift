import TestSupport
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Random items, dependencies, serial queues and waiters, compared with a model of their classes and their order.
  @Suite struct ClassModelTests {
    @Test func classesAndOrderAreThoseOfTheModel() throws {
      let rounds = Stress.seconds > 1 ? 100 : 20
      for seed in 0..<rounds {
        let complaints = try ClassModel(seed: UInt64(seed)).run()
        #expect(complaints == [], "seed \(seed)")
      }
    }
  }
}

/// One round: everything is submitted and raised while the only worker is blocked, which is then released.
private final class ClassModel {
  private struct Entry {
    let item: WorkItem
    let requested: QualityOfService
    /// The indices of the items that must end before.
    let before: [Int]
    let queue: Int?
  }

  private struct Waiter {
    let boost: Boost
    let raised: Set<Int>
  }

  private var random: SplitMix
  private var entries: [Entry] = []
  private var waiters: [Waiter] = []
  private var everRaised: Set<Int> = []
  private var complaints: [String] = []

  init(seed: UInt64) { random = SplitMix(seed) }

  func run() throws -> [String] {
    try withScheduler(workers: 1) { scheduler in
      let gate = Gate()
      // Low ones first: they get a turn of their own while the foreground is held up.
      for qos in [QualityOfService.utility, .userInteractive] {
        let began = Gate()
        try scheduler.submit(qos) {
          began.open()
          gate.wait()
        }
        if !began.wait() { complaints.append("a holder of \(qos) did not begin") }
      }
      let queues = (0..<2).map { JobQueue("queue \($0)", qos: .default, on: scheduler) }
      let order = Log<Int>()
      for _ in 0..<120 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: try submit(scheduler, queues, order)
        case 5..<8: raise(scheduler)
        default: lower()
        }
        check()
      }
      let classes = entries.map { classOf($0) }
      gate.open()
      let started = order.wait(count: entries.count)
      if started.count != entries.count { complaints.append("\(started.count) items ran") }
      checkOrder(started, classes)
      scheduler.wait(for: entries.map(\.item), as: .userInteractive)
      for waiter in waiters { waiter.boost.end() }
      for queue in queues { queue.invalidate() }
    }
    return complaints
  }

  private func submit(_ scheduler: Scheduler, _ queues: [JobQueue], _ order: Log<Int>) throws {
    let index = entries.count
    let qos = QualityOfService.allCases.randomElement(using: &random)!
    if random.chance(30) {
      let queue = Int.random(in: queues.indices, using: &random)
      let item = try queues[queue].submit(Steps { _ in order.add(index) }, qos: qos)
      let previous = entries.lastIndex { $0.queue == queue }
      entries.append(Entry(item: item, requested: qos, before: previous.map { [$0] } ?? [], queue: queue))
    } else {
      let before = Array(entries.indices.shuffled(using: &random).prefix(random.chance(50) ? 2 : 0))
      let item = try scheduler.submit(qos, after: before.map { .end(of: entries[$0].item) }) { order.add(index) }
      entries.append(Entry(item: item, requested: qos, before: before, queue: nil))
    }
  }

  private func raise(_ scheduler: Scheduler) {
    guard !entries.isEmpty else { return }
    let wanted = Array(entries.indices.shuffled(using: &random).prefix(3))
    let qos = QualityOfService.allCases.randomElement(using: &random)!
    let boost = scheduler.raise(wanted.map { entries[$0].item }, to: qos)
    var raised: Set<Int> = []
    var stack = wanted
    while let index = stack.popLast() { if raised.insert(index).inserted { stack += entries[index].before } }
    everRaised.formUnion(raised)
    waiters.append(Waiter(boost: boost, raised: raised))
  }

  private func lower() {
    guard !waiters.isEmpty else { return }
    // Half of them end by being released.
    let waiter = waiters.remove(at: Int.random(in: waiters.indices, using: &random))
    if random.chance(50) { waiter.boost.end() }
  }

  private func classOf(_ entry: Entry) -> QualityOfService {
    let index = entries.firstIndex { $0.item === entry.item }!
    return waiters.filter { $0.raised.contains(index) }.map(\.boost.qos).reduce(entry.requested, max)
  }

  private func check() {
    for (index, entry) in entries.enumerated() where entry.item.qos != classOf(entry) {
      complaints.append("item \(index) is in \(entry.item.qos), not in \(classOf(entry))")
    }
  }

  /// Checks that no foreground item starts before an item of a higher class that was ready, and that items that were
  /// never raised and wait for nothing keep their order within their class.
  private func checkOrder(_ started: [Int], _ classes: [QualityOfService]) {
    let places = Dictionary(uniqueKeysWithValues: started.enumerated().map { ($1, $0) })
    func isForeground(_ index: Int) -> Bool { classes[index] >= .default }
    for (place, index) in started.enumerated() where isForeground(index) {
      for other in started[place...].dropFirst() where classes[other] > classes[index] {
        // When the low worker is done with something is its own affair.
        let isReady = entries[other].before.allSatisfy {
          isForeground($0) && places[$0, default: .max] < place
        }
        if isReady { complaints.append("\(index) went before \(other), of a higher class") }
      }
    }
    for qos in QualityOfService.allCases where qos >= .default {
      let plain = started.filter { index in
        classes[index] == qos && entries[index].before.isEmpty
          && !everRaised.contains(index)
      }
      if plain != plain.sorted() { complaints.append("not in order in \(qos): \(plain)") }
    }
  }
}
