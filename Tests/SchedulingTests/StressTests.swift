import Synchronization
import Testing

import Platform

@testable import Scheduling

extension SchedulingTests {
  /// Random work from several threads, with a fixed seed, against everything the scheduler promises.
  ///
  /// A second of it in an ordinary run; `IMGHOST_STRESS_SECONDS=20` asks for more, as
  /// `Scripts/dev/check-scheduling` does.
  @Suite struct StressTests {
    @Test(arguments: [1, 4])
    func everyPromiseHolds(workers: Int) throws {
      // Two runs share the time.
      let stress = Stress(workers: workers, seconds: Stress.seconds / 2)
      try stress.run()
      #expect(stress.complaints.all == [])
      #expect(stress.submitted.value > 100)
      #expect(eventually { stress.live.value == 0 })
    }
  }
}

/// One run: threads that submit work, and the promises that are checked.
final class Stress: Sendable {
  static let seconds =
    getenv("IMGHOST_STRESS_SECONDS").flatMap { Double(String(cString: $0)) } ?? 1
  static let budget = 1000
  let scheduler: Scheduler
  let complaints = Log<String>()
  let submitted = Counter()
  /// The number of work objects that have not been released.
  let live = Counter()
  private let workers: Int
  private let duration: Double
  private let bytes = Monitor((used: 0, alone: 0))

  init(workers: Int, seconds: Double) {
    self.workers = workers
    duration = seconds
    scheduler = Scheduler(
      .init(workers: workers, memoryBudget: Self.budget, waitingThreads: 3))
  }

  func run() throws {
    scheduler.activate()
    let queues = [
      StressQueue(JobQueue("serial", qos: .utility, on: scheduler), isSerial: true),
      StressQueue(JobQueue("other", qos: .userInitiated, on: scheduler), isSerial: true),
      StressQueue(
        JobQueue("concurrent", .concurrent, qos: .default, on: scheduler), isSerial: false),
    ]
    let left = Monitor(6)
    for seed in 0..<6 {
      startThread {
        let submitter = Submitter(self, queues, seed: UInt64(seed + 1))
        submitter.run(until: monotonicSeconds() + self.duration)
        left.withLock { $0 -= 1 }
        left.notifyAll()
      }
    }
    let ended = left.wait(seconds: duration * 4 + 60) { $0 == 0 ? true : nil }
    if ended != true { complaints.add("a submitter hangs") }
    for queue in queues { queue.queue.invalidate() }
    // Some of it is still under way.
    scheduler.invalidate()
  }

  /// Counts the memory that work uses from its first step to its end.
  func take(_ count: Int) {
    guard count > 0 else { return }
    let sum = bytes.withLock { bytes in
      bytes.used += count
      if count > Self.budget { bytes.alone += 1 }
      return bytes.alone > 0 && bytes.used == count ? 0 : bytes.used
    }
    if sum > Self.budget { complaints.add("\(sum) bytes are used at a time") }
  }

  func giveBack(_ count: Int) {
    guard count > 0 else { return }
    bytes.withLock { bytes in
      bytes.used -= count
      if count > Self.budget { bytes.alone -= 1 }
    }
  }

  func checkThreads() {
    let count = scheduler.threadCount
    if count > scheduler.threadLimit { complaints.add("\(count) threads") }
  }
}

/// A queue, with the numbers of its running members.
final class StressQueue: Sendable {
  let queue: JobQueue
  let isSerial: Bool
  /// The numbers of running members, and of barriers among them.
  let inside = Monitor((all: 0, alone: 0))

  init(_ queue: JobQueue, isSerial: Bool) {
    self.queue = queue
    self.isSerial = isSerial
  }
}

/// Work that checks the scheduler's promises.
final class StressWork: Work {
  struct Plan {
    var steps = 1
    var isDivided = true
    var outcome = WorkStep.finished
    var bytes = 0
    var blocks = false
    var loops = false
    var needsFetch = false
    var isAlone = false
  }

  struct Progress {
    var steps = 0
    var isInside = false
    var hasEnded = false
    var isFetched = false
  }

  let name = "stress"
  let plan: Plan
  private let stress: Stress
  private let queue: StressQueue?
  private let token: CancellationToken?
  private let before: [(work: StressEnd, needsSuccess: Bool)]
  let end = StressEnd()
  private let progress = Monitor(Progress())

  init(
    _ plan: Plan, _ stress: Stress, queue: StressQueue?, token: CancellationToken?,
    before: [(work: StressEnd, needsSuccess: Bool)]
  ) {
    self.plan = plan
    self.stress = stress
    self.queue = queue
    self.token = token
    self.before = before
    stress.live.add(1)
  }

  deinit {
    if !end.isOver { stress.complaints.add("a work was released without its end") }
    stress.live.add(-1)
  }

  var isDivided: Bool { plan.isDivided }
  var isCancelled: Bool { token?.isCancelled ?? false }
  var isInputReady: Bool { !plan.needsFetch || progress.withLock(\.isFetched) }

  func fetchInput() {
    if Scheduler.isOnWorker { stress.complaints.add("a worker fetches") }
    spin(milliseconds: 0.05)
    progress.withLock { $0.isFetched = true }
  }

  func step() -> WorkStep {
    let (wasInside, index, overlap) = progress.withLock { progress in
      defer {
        progress.isInside = true
        progress.steps += 1
      }
      return (progress.isInside, progress.steps, progress.hasEnded)
    }
    if wasInside { stress.complaints.add("two steps at a time") }
    if overlap { stress.complaints.add("a step after the end") }
    if index == 0 { begin() }
    spin(milliseconds: 0.01)
    stress.scheduler.allowPreemption()
    if plan.blocks { stress.scheduler.blocking { spin(milliseconds: 0.05) } }
    if plan.loops { loop() }
    var result = index + 1 < plan.steps ? WorkStep.more : plan.outcome
    if isCancelled { result = .cancelled }
    if result != .more { finish(result == .finished ? .finished : .failed) }
    progress.withLock { $0.isInside = false }
    return result
  }

  func abandon(_ reason: CancellationReason) {
    let (wasInside, hasBegun) = progress.withLock { ($0.isInside, $0.steps > 0) }
    if wasInside { stress.complaints.add("abandoned within a step") }
    if reason.description.isEmpty { stress.complaints.add("no reason") }
    finish(.failed, hasBegun: hasBegun)
  }

  private func begin() {
    for (work, needsSuccess) in before {
      if !work.isOver { stress.complaints.add("began before what it comes after was over") }
      if needsSuccess, !work.isFinished { stress.complaints.add("began after a failure") }
    }
    if plan.needsFetch, !isInputReady { stress.complaints.add("began without its input") }
    stress.take(plan.bytes)
    guard let queue else { return }
    let isAlone = queue.isSerial || plan.isAlone
    let isWrong = queue.inside.withLock { inside in
      inside.all += 1
      if isAlone { inside.alone += 1 }
      return inside.alone > 0 && inside.all > 1
    }
    if isWrong { stress.complaints.add("not alone in \(queue.queue.name)") }
    if !queue.queue.isCurrent { stress.complaints.add("not current in its queue") }
  }

  private func finish(_ outcome: StressEnd.Outcome, hasBegun: Bool = true) {
    if progress.withLock({ progress in
      defer { progress.hasEnded = true }
      return progress.hasEnded
    }) {
      stress.complaints.add("a second end")
    }
    if hasBegun {
      stress.giveBack(plan.bytes)
      if let queue {
        let isAlone = queue.isSerial || plan.isAlone
        queue.inside.withLock { inside in
          inside.all -= 1
          if isAlone { inside.alone -= 1 }
        }
      }
    }
    end.set(outcome)
  }

  private func loop() {
    let sum = Counter()
    stress.scheduler.parallelFor(8, qos: .default) { index in
      stress.scheduler.parallelFor(3, qos: .utility) { sum.add(index * 3 + $0) }
    }
    if sum.value != 276 { stress.complaints.add("a loop's indices add up to \(sum.value)") }
  }
}

/// The end of a work object, for those that depend on it; it outlives the object.
final class StressEnd: Sendable {
  enum Outcome: Int { case none, finished, failed }
  private let value = Atomic<Int>(0)

  func set(_ outcome: Outcome) { value.store(outcome.rawValue, ordering: .releasing) }
  var isOver: Bool { value.load(ordering: .acquiring) != 0 }
  var isFinished: Bool { value.load(ordering: .acquiring) == Outcome.finished.rawValue }
}
