import Platform
import Synchronization
import Testing

@testable import Scheduling

/// One test at a time: most of them want all workers, and several at once would be a test of the machine.
@Suite(.serialized) struct SchedulingTests {}

/// A scheduler that is invalidated at the end of the test's body.
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

/// How long something that must happen may take on a busy machine under a sanitizer.
let patience = 60.0

func pause(_ seconds: Double) { _ = Monitor(()).wait(seconds: seconds) { _ in Never?.none } }

/// Whether a condition comes true, looked at again and again.
func eventually(_ condition: () -> Bool) -> Bool {
  let end = monotonicSeconds() + patience
  while !condition() {
    guard monotonicSeconds() < end else { return false }
    pause(0.002)
  }
  return true
}

/// Computes for so long, by the time that the thread has had.
func spin(milliseconds: Double) {
  let end = threadNanoseconds() + Int(milliseconds * 1e6)
  while threadNanoseconds() < end {}
}

/// Something to wait for.
final class Gate: Sendable {
  private let isOpenValue = Monitor(false)

  func open() {
    isOpenValue.withLock { $0 = true }
    isOpenValue.notifyAll()
  }

  /// Whether it was opened in time.
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

  /// The entries once there are so many, or what there is when patience has run out.
  func wait(count: Int) -> [Entry] { entries.wait(seconds: patience) { $0.count >= count ? $0 : nil } ?? all }
}

/// Work of several steps that tells what happens to it.
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

/// Work whose input comes when a gate opens.
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

/// How far busy workers come between two steps of other work.
final class Pace: Sendable {
  private let busy = Monitor<Saturation?>(nil)
  private let counts = Monitor<[Int]>([])

  /// Begins to count.
  func begin(beside saturation: Saturation) {
    counts.withLock { $0.append(saturation.steps) }
    busy.withLock { $0 = saturation }
  }

  /// A step of the other work.
  func step() {
    guard let steps = busy.withLock({ $0?.steps }) else { return }
    counts.withLock { $0.append(steps) }
  }

  /// The distances in steps, smallest first.
  var distances: [Int] {
    let sorted = counts.withLock { $0 }.sorted()
    return zip(sorted, sorted.dropFirst()).map { $1 - $0 }.sorted()
  }

  /// The middle distance, in which the seconds that the system gave to another program do not count; nil for fewer than 5,
  /// where the work was done before the workers were busy.
  var middle: Int? { distances.count < 5 ? nil : distances[distances.count / 2] }
}

/// Several that go on until a gate opens.
struct Saturation {
  let stop = Gate()
  fileprivate(set) var works: [Endless] = []
  var steps: Int { works.reduce(0) { $0 + $1.stepsDone } }
}

extension Scheduler {
  /// Keeps all workers busy with divided work of a class, and returns when each has begun.
  func saturate(_ qos: QualityOfService, stepMilliseconds: Double = 0.5) throws -> Saturation {
    var result = Saturation()
    for _ in 0..<configuration.workers {
      let work = Endless(result.stop, stepMilliseconds)
      try submit(work, qos: qos)
      result.works.append(work)
    }
    return result
  }

  /// Queues a closure of one step that says how it ended.
  @discardableResult func submitStep(
    _ qos: QualityOfService, _ body: @escaping @Sendable () -> WorkStep
  ) throws(SchedulingError) -> WorkItem {
    try submit(ClosureWork("work", token: nil, body), qos: qos)
  }

  /// Whether workers that have nothing to do sleep, instead of looking again and again: seen in most of many
  /// looks, because one wakes up from time to time.
  var workersSleep: Bool {
    let asleep = (0..<40).count { _ in
      pause(0.002)
      return state.withLock { state in
        state.idleForeground.count + state.activeForeground == state.foregroundThreads
          && state.idleLow.count + state.activeLow == state.lowThreads
      }
    }
    return asleep > 30
  }

  /// Whether an item was over in time.
  func waits(for item: WorkItem) -> Bool { eventually { item.state.isOver } }
}

/// Divided work that goes on until a gate opens.
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

/// An atomic number that test macros can look at.
final class Counter: Sendable {
  private let atomic = Atomic<Int>(0)

  @discardableResult func add(_ change: Int) -> Int {
    atomic.wrappingAdd(change, ordering: .relaxed).newValue
  }

  func raise(to other: Int) { atomic.max(other, ordering: .relaxed) }
  var value: Int { atomic.load(ordering: .relaxed) }
}
