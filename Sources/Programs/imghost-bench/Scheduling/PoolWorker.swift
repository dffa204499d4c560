import Platform
import Scheduling

/// Measures one pool in a process of its own and prints numbers.
enum PoolWorker {
  enum Kind: String { case imghost, dispatch, fifo, plain }

  /// `KIND WORKERS ROUNDS MEASURE`; ROUNDS of `Spinning` are a millisecond.
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
      // At irregular times.
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

  /// Measures the same while jobs of 100 steps of half a millisecond keep every processor busy.
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

  /// Returns the seconds for 200 jobs of 10 ms a worker, in steps of half a millisecond; then the processor's seconds of the
  /// interactive jobs of 2 ms that were served ten times a second meanwhile.
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

  /// Returns the seconds of an empty job, of 200,000 submitted by one thread.
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

  /// Returns the seconds of an empty strip of a parallel loop.
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
