import Synchronization
import Testing

@testable import Scheduling

@Suite struct SchedulerTests {
  /// A scheduler that is invalidated at the end of the test's body.
  private func withScheduler<Result>(
    workers: Int = 2, memory: Int = 1 << 30, leastShare: Double = 0.02,
    _ body: (Scheduler) throws -> Result
  ) rethrows -> Result {
    let scheduler = Scheduler(
      .init(workers: workers, memoryBudget: memory, leastShare: leastShare))
    scheduler.activate()
    defer { scheduler.invalidate() }
    return try body(scheduler)
  }

  /// Something to wait for.
  private final class Gate: Sendable {
    private let isOpen = Monitor(false)
    func open() {
      isOpen.withLock { $0 = true }
      isOpen.notifyAll()
    }
    func wait() { isOpen.wait { $0 ? () : nil } }
  }

  @Test func everySubmittedItemRunsOnce() throws {
    let counts = try withScheduler { scheduler in
      let counts = Monitor([Int](repeating: 0, count: 1000))
      for index in 0..<1000 {
        try scheduler.submit(QualityOfService.allCases[index % 5]) {
          counts.withLock { $0[index] += 1 }
          counts.notifyAll()
        }
      }
      counts.wait { $0.allSatisfy { $0 > 0 } ? () : nil }
      return counts.withLock { $0 }
    }
    #expect(counts.allSatisfy { $0 == 1 })
  }

  @Test func higherClassesGoFirstAndWithinAClassFirstInFirstOut() throws {
    let order = try withScheduler(workers: 1) { scheduler in
      let gate = Gate()
      let order = Monitor<[String]>([])
      try scheduler.submit(.userInteractive) { gate.wait() }
      for (qos, name) in [
        (QualityOfService.default, "d1"), (.userInitiated, "u1"), (.default, "d2"),
        (.userInteractive, "i1"), (.userInitiated, "u2"), (.userInteractive, "i2"),
      ] {
        try scheduler.submit(qos) {
          order.withLock { $0.append(name) }
          order.notifyAll()
        }
      }
      gate.open()
      return order.wait { $0.count == 6 ? $0 : nil }
    }
    #expect(order == ["i1", "i2", "u1", "u2", "d1", "d2"])
  }

  @Test func raisingAnItemMovesItAhead() throws {
    let order = try withScheduler(workers: 1) { scheduler in
      let gate = Gate()
      let order = Monitor<[String]>([])
      try scheduler.submit(.userInteractive) { gate.wait() }
      var items: [WorkItem] = []
      for name in ["a", "b", "c"] {
        items.append(
          try scheduler.submit(.default) {
            order.withLock { $0.append(name) }
            order.notifyAll()
          })
      }
      let boost = scheduler.raise([items[2]], to: .userInitiated)
      let lower = scheduler.raise([items[2]], to: .background)
      #expect(items[2].qos == .userInitiated)
      defer {
        boost.end()
        lower.end()
      }
      gate.open()
      return order.wait { $0.count == 3 ? $0 : nil }
    }
    #expect(order == ["c", "a", "b"])
  }

  @Test func lowClassesFinishBehindABusyForeground() throws {
    try withScheduler(workers: 1) { scheduler in
      let stop = Gate()
      let done = Gate()
      try scheduler.submit(.default) { stop.wait() }
      try scheduler.submit(.background) { done.open() }
      done.wait()
      stop.open()
    }
  }

  @Test func lowClassesWaitWhileTheForegroundIsBusy() throws {
    let ranEarly = try withScheduler(workers: 1) { scheduler in
      let stop = Gate()
      let started = Gate()
      let ran = Atomic<Bool>(false)
      try scheduler.submit(.default) {
        started.open()
        stop.wait()
      }
      started.wait()
      let low = Gate()
      try scheduler.submit(.utility) {
        ran.store(true, ordering: .relaxed)
        low.open()
      }
      // Nothing can tell that something never happens; a tenth of a second is many turns of a worker.
      _ = Monitor(false).wait(seconds: 0.1) { $0 ? true : nil }
      let early = ran.load(ordering: .relaxed)
      stop.open()
      low.wait()
      return early
    }
    #expect(!ranEarly)
  }

  @Test func admittedBytesStayWithinTheBudget() throws {
    let (peak, largest) = try withScheduler(workers: 4, memory: 100) { scheduler in
      let state = Monitor((used: 0, largest: 0, done: 0))
      for index in 0..<200 {
        let bytes = 10 + index * 7 % 60
        try scheduler.submit(.default, byteCount: bytes) {
          state.withLock { state in
            state.used += bytes
            state.largest = max(state.largest, state.used)
          }
          state.withLock { state in
            state.used -= bytes
            state.done += 1
          }
          state.notifyAll()
        }
      }
      state.wait { $0.done == 200 ? () : nil }
      return (scheduler.peakAdmittedBytes, state.withLock(\.largest))
    }
    #expect(peak <= 100)
    #expect(largest <= 100)
  }

  @Test func anItemLargerThanTheBudgetRunsAlone() throws {
    let ranWith = try withScheduler(workers: 2, memory: 100) { scheduler in
      let state = Monitor((running: 0, done: 0, withLarge: 0))
      for index in 0..<20 {
        let isLarge = index == 10
        try scheduler.submit(.default, byteCount: isLarge ? 1000 : 30) {
          state.withLock { state in
            state.running += 1
            if isLarge { state.withLarge = state.running }
          }
          state.withLock { state in
            state.running -= 1
            state.done += 1
          }
          state.notifyAll()
        }
      }
      state.wait { $0.done == 20 ? () : nil }
      return state.withLock(\.withLarge)
    }
    #expect(ranWith == 1)
  }

  @Test(arguments: [0, 1, 2, 3, 64, 1001])
  func parallelForCallsEachIndexOnce(count: Int) {
    let counts = withScheduler(workers: 4) { scheduler in
      let counts = Monitor([Int](repeating: 0, count: count))
      scheduler.parallelFor(count, qos: .default) { index in counts.withLock { $0[index] += 1 } }
      return counts.withLock { $0 }
    }
    #expect(counts == [Int](repeating: 1, count: count))
  }

  @Test func parallelForFromWorkersNests() throws {
    let total = try withScheduler(workers: 2) { scheduler in
      let total = Atomic<Int>(0)
      let done = Monitor(0)
      for _ in 0..<50 {
        try scheduler.submit(.default) {
          scheduler.parallelFor(20, qos: .default) { index in
            total.wrappingAdd(index, ordering: .relaxed)
          }
          done.withLock { $0 += 1 }
          done.notifyAll()
        }
      }
      done.wait { $0 == 50 ? () : nil }
      return total.load(ordering: .relaxed)
    }
    #expect(total == 50 * 190)
  }

  @Test func invalidatingWaitsForRunningItemsAndDropsQueuedOnes() throws {
    let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1))
    scheduler.activate()
    let started = Gate()
    let ran = Atomic<Int>(0)
    try scheduler.submit(.default) {
      started.open()
      ran.wrappingAdd(1, ordering: .relaxed)
    }
    started.wait()
    scheduler.invalidate()
    #expect(ran.load(ordering: .relaxed) == 1)
  }

  @Test func nothingKeepsAnInvalidatedSchedulerAlive() throws {
    weak var released: Scheduler?
    do {
      let scheduler = Scheduler(.init(workers: 2, memoryBudget: 1))
      released = scheduler
      scheduler.activate()
      scheduler.parallelFor(10, qos: .default) { _ in }
      scheduler.invalidate()
    }
    // Threads let go of it a moment after they have said that they end.
    for _ in 0..<200 where released != nil {
      _ = Monitor(false).wait(seconds: 0.01) { $0 ? true : nil }
    }
    #expect(released == nil)
  }
}

@Suite struct CancellationTests {
  @Test func childrenFollowTheirParentAndNotTheOtherWay() throws {
    let parent = CancellationToken()
    let child = CancellationToken(parent: parent)
    let other = CancellationToken(parent: parent)
    child.cancel()
    #expect(child.isCancelled && !parent.isCancelled && !other.isCancelled)
    parent.cancel()
    #expect(other.isCancelled)
  }
}

@Suite struct QualityOfServiceTests {
  @Test func namesReadBack() throws {
    for qos in QualityOfService.allCases { #expect(QualityOfService(name: qos.name) == qos) }
    #expect(QualityOfService(name: "urgent") == nil)
    #expect(QualityOfService.background < .utility)
    #expect(QualityOfService.userInitiated < .userInteractive)
  }
}
