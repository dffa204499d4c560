import Platform
import Synchronization
import Testing

@testable import Scheduling

/// One test at a time, because most of them need all workers, and several at once would disturb each other.
@Suite(.serialized) struct SchedulingTests {}

/// Calls `body` with a scheduler that is invalidated afterwards.
func withScheduler<Result>(
  workers: Int = 2, memory: Int = 1 << 30, leastShare: Double = 0.02, waitingThreads: Int = 8,
  _ body: (Scheduler) throws -> Result
) rethrows -> Result {
  let scheduler = Scheduler(
    .init(
      workers: workers, memoryBudget: memory, leastShare: leastShare,
      waitingThreads: waitingThreads))
  scheduler.activate()
  defer { scheduler.invalidate() }
  return try body(scheduler)
}

/// The maximum time in seconds to wait for an event that must happen, on a busy machine under a sanitizer.
let patience = 60.0

func pause(_ seconds: Double) { _ = Monitor(()).wait(seconds: seconds) { _ in Never?.none } }

/// Polls a condition. Returns whether it became true in time.
func eventually(_ condition: () -> Bool) -> Bool {
  let end = monotonicSeconds() + patience
  while !condition() {
    guard monotonicSeconds() < end else { return false }
    pause(0.002)
  }
  return true
}

/// Spins for a time, measured by the thread's processor time.
func spin(milliseconds: Double) {
  let end = threadNanoseconds() + Int(milliseconds * 1e6)
  while threadNanoseconds() < end {}
}

/// An event that can be waited for.
final class Gate: Sendable {
  private let isOpenValue = Monitor(false)

  func open() {
    isOpenValue.withLock { $0 = true }
    isOpenValue.notifyAll()
  }

  /// Waits for the event. Returns whether it happened in time.
  @discardableResult func wait() -> Bool {
    isOpenValue.wait(seconds: patience) { $0 ? () : nil } != nil
  }

  var isOpen: Bool { isOpenValue.withLock { $0 } }
}

/// Entries in the order in which they were added.
final class Log<Entry: Sendable>: Sendable {
  private let entries = Monitor<[Entry]>([])

  func add(_ entry: Entry) {
    entries.withLock { $0.append(entry) }
    entries.notifyAll()
  }

  var all: [Entry] { entries.withLock { $0 } }

  /// Returns the entries when there are `count` of them, or those that there are after `patience` seconds.
  func wait(count: Int) -> [Entry] { entries.wait(seconds: patience) { $0.count >= count ? $0 : nil } ?? all }
}

/// Work of several steps that records its progress and its end.
final class Steps: Work {
  let name: String
  let isDivided: Bool
  let token: CancellationToken?
  private let count: Int
  private let outcome: WorkStep
  private let body: @Sendable (Int) -> Void
  private let done = Atomic<Int>(0)
  private let abandonedValue = Monitor<[CancellationReason]>([])

  init(
    _ name: String = "steps", count: Int = 1, isDivided: Bool = true, token: CancellationToken? = nil,
    outcome: WorkStep = .finished, _ body: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.name = name
    self.count = count
    self.isDivided = isDivided
    self.token = token
    self.outcome = outcome
    self.body = body
  }

  func step() -> WorkStep {
    if isCancelled { return .cancelled }
    let index = done.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    body(index)
    return index + 1 < count ? .more : outcome
  }

  var isCancelled: Bool { token?.isCancelled ?? false }
  func abandon(_ reason: CancellationReason) { abandonedValue.withLock { $0.append(reason) } }
  var stepsDone: Int { done.load(ordering: .acquiring) }
  var abandoned: [CancellationReason] { abandonedValue.withLock { $0 } }
}

/// Work whose input is ready when a gate opens.
final class SlowInput: Work {
  let name = "slow input"
  private let gate: Gate
  private let onFetch: @Sendable () -> Void
  private let isFetched = Atomic<Bool>(false)
  let ran = Gate()
  let fetches = Counter()
  let began = Gate()
  private let token: CancellationToken?
  private let abandonedValue = Monitor<[CancellationReason]>([])

  init(_ gate: Gate, token: CancellationToken? = nil, onFetch: @escaping @Sendable () -> Void = {}) {
    self.gate = gate
    self.onFetch = onFetch
    self.token = token
  }

  var isInputReady: Bool { isFetched.load(ordering: .acquiring) }
  var isCancelled: Bool { token?.isCancelled ?? false }
  func abandon(_ reason: CancellationReason) { abandonedValue.withLock { $0.append(reason) } }
  var abandoned: [CancellationReason] { abandonedValue.withLock { $0 } }

  func fetchInput() {
    fetches.add(1)
    onFetch()
    began.open()
    gate.wait()
    isFetched.store(true, ordering: .releasing)
  }

  func step() -> WorkStep {
    precondition(isInputReady)
    ran.open()
    return .finished
  }
}

/// Measures how many steps busy workers make between two steps of other work.
final class Pace: Sendable {
  private let busy = Monitor<Saturation?>(nil)
  private let counts = Monitor<[Int]>([])

  /// Begins to count the steps of busy workers.
  func begin(beside saturation: Saturation) {
    counts.withLock { $0.append(saturation.steps) }
    busy.withLock { $0 = saturation }
  }

  /// Called in each step of the other work.
  func step() {
    guard let steps = busy.withLock({ $0?.steps }) else { return }
    counts.withLock { $0.append(steps) }
  }

  /// The numbers of steps in between, sorted.
  var distances: [Int] {
    let sorted = counts.withLock { $0 }.sorted()
    return zip(sorted, sorted.dropFirst()).map { $1 - $0 }.sorted()
  }

  /// The median of the distances, because in some of them the system may have run other programs for seconds. Nil for
  /// fewer than 5 distances, if the work was done before the workers were busy.
  var middle: Int? { distances.count < 5 ? nil : distances[distances.count / 2] }
}

/// Work on all workers that continues until a gate opens.
struct Saturation {
  let stop = Gate()
  fileprivate(set) var works: [Endless] = []
  var steps: Int { works.reduce(0) { $0 + $1.stepsDone } }
}

extension Scheduler {
  /// Keeps all workers busy with divided work of a class. Returns when each one has begun.
  func saturate(_ qos: QualityOfService, stepMilliseconds: Double = 0.5) throws -> Saturation {
    var result = Saturation()
    for _ in 0..<configuration.workers {
      let work = Endless(result.stop, stepMilliseconds)
      try submit(work, qos: qos)
      result.works.append(work)
    }
    return result
  }

  /// Submits a closure as one step, which returns how the work ended.
  @discardableResult func submitStep(
    _ qos: QualityOfService, _ body: @escaping @Sendable () -> WorkStep
  ) throws(SchedulingError) -> WorkItem {
    try submit(ClosureWork("work", token: nil, body), qos: qos)
  }

  /// Whether idle workers sleep instead of polling. Determined from many samples, because one of them wakes up from
  /// time to time, and on a busy machine it then waits for a processor. So one quiet period of several is enough; a
  /// worker that polls has none.
  var workersSleep: Bool {
    eventually {
      let asleep = (0..<40).count { _ in
        pause(0.002)
        return state.withLock { state in
          state.idleForeground.count + state.activeForeground == state.foregroundThreads
            && state.idleLow.count + state.activeLow == state.lowThreads
        }
      }
      return asleep > 30
    }
  }

  /// Returns whether an item ended in time.
  func waits(for item: WorkItem) -> Bool { eventually { item.state.isOver } }
}

/// Divided work that continues until a gate opens.
final class Endless: Work {
  let name = "endless"
  private let stop: Gate
  private let milliseconds: Double
  let began: Gate
  private let steps = Atomic<Int>(0)

  init(_ stop: Gate, _ milliseconds: Double, _ began: Gate = Gate()) {
    self.stop = stop
    self.milliseconds = milliseconds
    self.began = began
  }

  func step() -> WorkStep {
    if steps.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { began.open() }
    spin(milliseconds: milliseconds)
    return stop.isOpen ? .finished : .more
  }

  var stepsDone: Int { steps.load(ordering: .relaxed) }
}

/// An atomic number that test macros can read.
final class Counter: Sendable {
  private let atomic = Atomic<Int>(0)

  @discardableResult func add(_ change: Int) -> Int {
    atomic.wrappingAdd(change, ordering: .relaxed).newValue
  }

  func raise(to other: Int) { atomic.max(other, ordering: .relaxed) }
  var value: Int { atomic.load(ordering: .relaxed) }
}
