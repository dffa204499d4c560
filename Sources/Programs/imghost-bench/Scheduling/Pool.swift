import Dispatch
import Platform
import Scheduling
import Synchronization

/// A pool that runs jobs of several steps on all processors.
protocol Pool: Sendable {
  /// Queues a job. `step` is called `steps` times, one after the other, then `done`.
  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void,
    done: @escaping @Sendable () -> Void)
  func end()
}

struct OurPool: Pool {
  private let scheduler: Scheduler

  init(workers: Int) {
    scheduler = Scheduler(.init(workers: workers, memoryBudget: 1 << 40))
    scheduler.activate()
  }

  private final class Steps: Scheduling.Work {
    private let body: @Sendable () -> Void
    private let done: @Sendable () -> Void
    // Only used by the worker that runs the job.
    private nonisolated(unsafe) var left: Int

    init(_ steps: Int, _ body: @escaping @Sendable () -> Void, _ done: @escaping @Sendable () -> Void) {
      left = steps
      self.body = body
      self.done = done
    }

    var name: String { "load" }

    func step() -> WorkStep {
      body()
      left -= 1
      if left > 0 { return .more }
      done()
      return .finished
    }
  }

  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void
  ) {
    // A job is only refused after the pool has ended.
    _ = try? scheduler.submit(Steps(steps, step, done), qos: qos)
  }

  func end() { scheduler.invalidate() }
}

/// `DispatchQueue.global(qos:)`. A job queues itself again after each step, so that other jobs can run in between.
struct DispatchPool: Pool {
  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void
  ) {
    let queue = DispatchQueue.global(qos: Self.classes[qos.rawValue])
    queue.async {
      step()
      if steps > 1 { submit(qos, steps: steps - 1, step, done: done) } else { done() }
    }
  }

  private static let classes: [DispatchQoS.QoSClass] = [
    .background, .utility, .default, .userInitiated, .userInteractive,
  ]

  func end() {}
}

/// A first-in, first-out queue with a fixed number of threads.
final class FIFOPool: Pool {
  private struct Job: Sendable {
    let steps: Int
    let step: @Sendable () -> Void
    let done: @Sendable () -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var head = 0
    var isEnding = false
  }

  private let state = Monitor(State())
  /// Whether a job goes to the end of the queue after each step.
  private let takesTurns: Bool

  init(workers: Int, takesTurns: Bool) {
    self.takesTurns = takesTurns
    for _ in 0..<workers { startThread { self.work() } }
  }

  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void
  ) {
    state.withLock { $0.jobs.append(Job(steps: steps, step: step, done: done)) }
    state.notifyAll()
  }

  func end() {
    state.withLock { $0.isEnding = true }
    state.notifyAll()
  }

  private func work() {
    while let job = next() {
      if takesTurns {
        job.step()
        if job.steps > 1 {
          submit(.default, steps: job.steps - 1, job.step, done: job.done)
        } else {
          job.done()
        }
      } else {
        for _ in 0..<job.steps { job.step() }
        job.done()
      }
    }
  }

  private func next() -> Job? {
    state.wait { state -> Job?? in
      if state.isEnding { return .some(nil) }
      guard state.head < state.jobs.count else { return nil }
      let job = state.jobs[state.head]
      state.head += 1
      if state.head > 1000, state.head * 2 > state.jobs.count {
        state.jobs.removeFirst(state.head)
        state.head = 0
      }
      return .some(job)
    }
  }
}

/// Measures one pool in a process of its own and prints numbers.
enum PoolWorker {
  enum Kind: String { case imghost, dispatch, fifo, plain }

  /// Runs the subprocess with the arguments `KIND WORKERS ROUNDS MEASURE`; ROUNDS of `Spinning` take a millisecond.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 4, let kind = Kind(rawValue: arguments[0]),
      let workers = Int(arguments[1]), let rounds = Int(arguments[2])
    else { return 2 }
    let pool: any Pool =
      switch kind {
      case .imghost: OurPool(workers: workers)
      case .dispatch: DispatchPool()
      case .fifo: FIFOPool(workers: workers, takesTurns: true)
      case .plain: FIFOPool(workers: workers, takesTurns: false)
      }
    switch arguments[3] {
    case "idle": tell(latencies(pool, rounds))
    case "loaded": tell(loadedLatencies(pool, workers, rounds))
    case "batch": tell(batch(pool, .default, workers, rounds, interactive: false))
    case "batch-utility": tell(batch(pool, .utility, workers, rounds, interactive: false))
    case "batch-interactive": tell(batch(pool, .default, workers, rounds, interactive: true))
    case "jobs": tell([emptyJobs(pool)])
    case "serial": tell([QueueCosts.serial(kind, workers: workers)])
    case "group": tell([QueueCosts.group(kind, workers: workers)])
    case "strips": tell([emptyStrips(workers)])
    default: return 2
    }
    pool.end()
    return 0
  }

  private static func tell(_ numbers: [Double]) { print(numbers.map { String($0) }.joined(separator: " ")) }

  /// Measures the seconds from submitting a job of 2 ms to its end, many times.
  private static func latencies(_ pool: any Pool, _ rounds: Int) -> [Double] {
    (0..<300).map { index in
      // Jobs are submitted at irregular times.
      usleep(UInt32(6_000 + index * 7919 % 5_000))
      let isDone = Monitor(0)
      let start = Clock.nanoseconds
      pool.submit(
        .userInteractive, steps: 1, { Spinning.spin(2 * rounds) },
        done: {
          let end = Clock.nanoseconds
          isDone.withLock { $0 = end }
          isDone.notifyAll()
        })
      return Double(isDone.wait { $0 > 0 ? $0 : nil } - start) / 1e9
    }
  }

  /// Measures the same times as `latencies`, while jobs of 100 steps of half a millisecond keep every processor busy.
  private static func loadedLatencies(_ pool: any Pool, _ workers: Int, _ rounds: Int) -> [Double] {
    let isOver = Monitor(false)
    for index in 0..<workers * 4 { load(pool, index % 2 == 0 ? .utility : .background, rounds, isOver) }
    usleep(200_000)
    defer { isOver.withLock { $0 = true } }
    return latencies(pool, rounds)
  }

  private static func load(_ pool: any Pool, _ qos: QualityOfService, _ rounds: Int, _ isOver: Monitor<Bool>) {
    pool.submit(qos, steps: 100, { Spinning.spin(rounds / 2) }) {
      if !isOver.withLock({ $0 }) { load(pool, qos, rounds, isOver) }
    }
  }

  /// Returns two times in seconds: the elapsed time of a batch with 200 jobs per worker, each of 10 ms in steps of half
  /// a millisecond; and the processor time of the interactive jobs of 2 ms that ran ten times a second during the
  /// batch.
  private static func batch(_ pool: any Pool, _ qos: QualityOfService, _ workers: Int, _ rounds: Int, interactive: Bool)
    -> [Double]
  {
    let count = 200 * workers
    let left = Monitor(count)
    let start = Clock.nanoseconds
    for _ in 0..<count {
      pool.submit(qos, steps: 20, { Spinning.spin(rounds / 2) }) {
        left.withLock { $0 -= 1 }
        left.notifyAll()
      }
    }
    var served = 0
    if interactive {
      while left.wait(seconds: 0.1, until: { $0 == 0 ? true : nil }) == nil {
        pool.submit(.userInteractive, steps: 1, { Spinning.spin(2 * rounds) }, done: {})
        served += 1
      }
    }
    left.wait { $0 == 0 ? () : nil }
    return [Double(Clock.nanoseconds - start) / 1e9, Double(served) * 0.002]
  }

  /// Returns the seconds per empty job, for 200,000 jobs that one thread submits.
  private static func emptyJobs(_ pool: any Pool) -> Double {
    let count = 200_000
    let left = Monitor(count)
    let start = Clock.nanoseconds
    for _ in 0..<count {
      pool.submit(.default, steps: 1, {}) {
        if left.withLock({ left -> Bool in
          left -= 1
          return left == 0
        }) {
          left.notifyAll()
        }
      }
    }
    left.wait { $0 == 0 ? () : nil }
    return Double(Clock.nanoseconds - start) / 1e9 / Double(count)
  }

  /// Returns the seconds per index of a parallel loop with an empty body.
  private static func emptyStrips(_ workers: Int) -> Double {
    let scheduler = Scheduler(.init(workers: workers, memoryBudget: 1 << 40))
    scheduler.activate()
    let count = 10_000_000
    let start = Clock.nanoseconds
    scheduler.parallelFor(count, qos: .default) { _ in }
    let seconds = Double(Clock.nanoseconds - start) / 1e9 / Double(count)
    scheduler.invalidate()
    return seconds
  }
}

/// The cost of an empty item in queues and groups, in seconds.
private enum QueueCosts {
  private static let itemCount = 200_000
  private static let groupSize = 1_000

  /// Returns the seconds per item of a serial queue, for 200,000 items that one thread submits.
  static func serial(_ kind: PoolWorker.Kind, workers: Int) -> Double {
    let isDone = Monitor(false)
    let end: @Sendable () -> Void = {
      isDone.withLock { $0 = true }
      isDone.notifyAll()
    }
    let start = Clock.nanoseconds
    if kind == .dispatch {
      let queue = DispatchQueue(label: "serial", qos: .default)
      for _ in 0..<itemCount { queue.async {} }
      queue.async(execute: end)
      isDone.wait { $0 ? () : nil }
    } else {
      withScheduler(workers) { (scheduler) throws(SchedulingError) in
        let queue = JobQueue("serial", qos: .default, on: scheduler)
        for _ in 0..<itemCount { try queue.submit {} }
        try queue.submit(end)
        isDone.wait { $0 ? () : nil }
        queue.invalidate()
      }
    }
    return Double(Clock.nanoseconds - start) / 1e9 / Double(itemCount)
  }

  /// Returns the seconds per item of groups with 1,000 items. Each group begins after the notification of the previous
  /// one.
  static func group(_ kind: PoolWorker.Kind, workers: Int) -> Double {
    let groups = itemCount / groupSize
    let done = Monitor(0)
    let end: @Sendable () -> Void = {
      done.withLock { $0 += 1 }
      done.notifyAll()
    }
    let start = Clock.nanoseconds
    if kind == .dispatch {
      let queue = DispatchQueue.global(qos: .default)
      for index in 1...groups {
        let group = DispatchGroup()
        for _ in 0..<groupSize { queue.async(group: group) {} }
        group.notify(queue: queue, execute: end)
        done.wait { $0 == index ? () : nil }
      }
    } else {
      withScheduler(workers) { (scheduler) throws(SchedulingError) in
        for index in 1...groups {
          let group = WorkGroup(on: scheduler)
          for _ in 0..<groupSize { group.add(try scheduler.submit(.default) {}) }
          try group.notify(.default, end)
          done.wait { $0 == index ? () : nil }
        }
      }
    }
    return Double(Clock.nanoseconds - start) / 1e9 / Double(groups * groupSize)
  }

  private static func withScheduler(_ workers: Int, _ body: (Scheduler) throws(SchedulingError) -> Void) {
    let scheduler = Scheduler(.init(workers: workers))
    scheduler.activate()
    do throws(SchedulingError) {
      try body(scheduler)
    } catch {
      preconditionFailure("a scheduler that is active refused work")
    }
    scheduler.invalidate()
  }
}

/// Work that takes processor time and nothing else.
enum Spinning {
  private static let lastSum = Atomic<UInt64>(0)

  /// Spins for a number of rounds. A million take about a millisecond.
  @inline(never)
  static func spin(_ rounds: Int) {
    // splitmix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    var state: UInt64 = 0
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      sum ^= z ^ (z >> 31)
    }
    // The compiler would remove a loop whose result is not used.
    lastSum.store(sum, ordering: .relaxed)
  }

  /// Returns the number of rounds that take a millisecond on an idle processor.
  static func roundsOfAMillisecond() -> Int {
    let rounds = 100_000
    var best = Int.max
    for _ in 0..<50 {
      let start = Clock.nanoseconds
      spin(rounds)
      best = min(best, Clock.nanoseconds - start)
    }
    return rounds * 1_000_000 / max(1, best)
  }
}
