import Dispatch
import Platform
import Scheduling

/// The cost of an empty item in queues and groups, in seconds.
enum QueueCosts {
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
