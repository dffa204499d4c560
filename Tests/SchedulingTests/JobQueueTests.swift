import Platform
import Synchronization
import TestSupport
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Serial queues, and concurrent ones with barriers.
  @Suite struct JobQueueTests {
    @Test(arguments: [false, true])
    func aSerialQueueRunsOneAtATimeInOrder(mixed: Bool) throws {
      try withScheduler(workers: 4) { scheduler in
        let queue = JobQueue("book", qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let inside = Counter()
        let most = Counter()
        let log = Log<Int>()
        for index in 0..<500 {
          try queue.submit(qos: mixed ? QualityOfService.allCases[index % 5] : nil) {
            most.raise(to: inside.add(1))
            log.add(index)
            inside.add(-1)
          }
        }
        #expect(log.wait(count: 500) == Array(0..<500))
        #expect(most.value == 1)
      }
    }

    @Test func aPutAsideItemKeepsTheQueue() throws {
      try withScheduler(workers: 2) { scheduler in
        let queue = JobQueue("book", qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let log = Log<String>()
        try queue.submit(
          Steps(count: 50) { index in
            log.add("a")
            try! scheduler.submit(.userInteractive) { spin(milliseconds: 0.01) }
          })
        try queue.submit(Steps(count: 3) { _ in log.add("b") })
        #expect(
          log.wait(count: 53)
            == [String](repeating: "a", count: 50) + [String](repeating: "b", count: 3))
      }
    }

    @Test func aFailingItemDoesNotStopTheQueue() throws {
      try withScheduler { scheduler in
        let queue = JobQueue("book", qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let failing = try queue.submit(Steps(outcome: .failed))
        let next = try queue.submit {}
        #expect(scheduler.waits(for: next))
        #expect(failing.state == .failed && next.state == .finished)
      }
    }

    /// A, B and C in a row; B is cancelled while A runs: C must not start beside A.
    @Test func aCancelledItemKeepsItsPlace() throws {
      try withScheduler(workers: 4) { scheduler in
        let queue = JobQueue("book", qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let gate = Gate()
        let inside = Counter()
        let overlaps = Counter()
        let began = Gate()
        try queue.submit {
          inside.add(1)
          began.open()
          gate.wait()
          inside.add(-1)
        }
        #expect(began.wait())
        let cancelled = try (0..<10).map { _ in try queue.submit {} }
        for item in cancelled { #expect(scheduler.cancel(item)) }
        let last = try queue.submit {
          overlaps.add(inside.value)
        }
        pause(0.01)
        #expect(last.state == .waiting)
        gate.open()
        #expect(scheduler.waits(for: last))
        #expect(overlaps.value == 0)
      }
    }

    /// A cancelled item that was put aside may have the document open until `abandon` has returned.
    @Test(arguments: [JobQueue.Kind.serial, .concurrent])
    func theNextComesWhenTheCancelledHasLetGo(kind: JobQueue.Kind) throws {
      final class Slow: Work {
        let name = "slow to let go"
        let began = Gate()
        let hasLetGo = Gate()
        func step() -> WorkStep {
          began.open()
          spin(milliseconds: 0.1)
          return .more
        }
        func abandon(_ reason: CancellationReason) {
          pause(0.03)
          hasLetGo.open()
        }
      }
      try withScheduler(workers: 1) { scheduler in
        let queue = JobQueue("book", kind, qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let slow = Slow()
        let item = try queue.submit(slow)
        #expect(slow.began.wait())
        let gate = Gate()
        let busy = Gate()
        try scheduler.submit(.userInteractive) {
          busy.open()
          gate.wait()
        }
        #expect(busy.wait())
        // More than a queue keeps before it looks for those that are over.
        if kind == .concurrent { for _ in 0..<100 { scheduler.cancel(try queue.submit {}) } }
        let log = Log<Bool>()
        if kind == .serial { try queue.submit { log.add(slow.hasLetGo.isOpen) } }
        startThread { scheduler.cancel(item) }
        #expect(eventually { item.state.isOver })
        if kind == .concurrent { try queue.submit(isBarrier: true) { log.add(slow.hasLetGo.isOpen) } }
        gate.open()
        #expect(log.wait(count: 1) == [true])
      }
    }

    /// Two items that wait for each other: one after the other, neither would end.
    @Test func concurrentItemsRunSideBySide() throws {
      try withScheduler(workers: 2) { scheduler in
        let queue = JobQueue("cache", .concurrent, qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let first = Gate()
        let second = Gate()
        let met = Log<Bool>()
        try queue.submit {
          first.open()
          met.add(second.wait())
        }
        try queue.submit {
          second.open()
          met.add(first.wait())
        }
        #expect(met.wait(count: 2) == [true, true])
      }
    }

    @Test func barriersRunAlone() throws {
      try withScheduler(workers: 4) { scheduler in
        let queue = JobQueue("cache", .concurrent, qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let state = Monitor(
          (inside: 0, wrong: 0, isOver: [Bool](repeating: false, count: 400)))
        for index in 0..<400 {
          let isBarrier = index % 20 == 10
          let item = try queue.submit(isBarrier: isBarrier) {
            state.withLock { state in
              state.inside += 1
              // All before it are over, and nothing runs beside it.
              if isBarrier, state.inside != 1 || !state.isOver[..<index].allSatisfy(\.self) { state.wrong += 1 }
            }
            spin(milliseconds: 0.02)
            state.withLock { state in
              state.inside -= 1
              state.isOver[index] = true
            }
            state.notifyAll()
          }
          if index % 7 == 3 && !isBarrier, scheduler.cancel(item) { state.withLock { $0.isOver[index] = true } }
        }
        let isOver = state.wait(seconds: patience) { $0.isOver.allSatisfy(\.self) ? true : nil }
        #expect(isOver == true)
        #expect(state.withLock(\.wrong) == 0)
      }
    }

    @Test(.unsanitized) func thousandsInAConcurrentQueueCostLittle() throws {
      try withScheduler(workers: 1) { scheduler in
        let queue = JobQueue("cache", .concurrent, qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let gate = Gate()
        try queue.submit { gate.wait() }
        let began = threadNanoseconds()
        for _ in 0..<10_000 { try queue.submit {} }
        // Processor time, which a busy machine does not change; a quadratic queue needs seconds.
        #expect(threadNanoseconds() - began < 2_000_000_000)
        let last = try queue.submit(isBarrier: true) {}
        gate.open()
        #expect(scheduler.waits(for: last))
      }
    }

    @Test func aQueueKnowsItsItems() throws {
      try withScheduler { scheduler in
        let queue = JobQueue("book", qos: .default, on: scheduler)
        defer { queue.invalidate() }
        let log = Log<Bool>()
        try queue.submit {
          queue.preconditionOnQueue()
          log.add(queue.isCurrent)
        }
        #expect(log.wait(count: 1) == [true])
        try scheduler.submit(.default) {
          queue.preconditionNotOnQueue()
          log.add(queue.isCurrent)
        }
        #expect(log.wait(count: 2) == [true, false])
        #expect(!queue.isCurrent)
      }
    }

    @Test func anInvalidatedQueueTakesNoMoreAndFinishesWhatItHas() throws {
      try withScheduler(workers: 1) { scheduler in
        let queue = JobQueue("book", qos: .default, on: scheduler)
        let gate = Gate()
        let log = Log<Int>()
        try queue.submit { gate.wait() }
        for index in 0..<10 { try queue.submit { log.add(index) } }
        queue.invalidate()
        #expect(throws: SchedulingError.invalidated) { try queue.submit {} }
        gate.open()
        #expect(log.wait(count: 10) == Array(0..<10))
      }
    }
  }
}

extension SchedulingTests {
  /// Groups of items.
  @Suite struct WorkGroupTests {
    @Test func notifyComesAfterTheLast() throws {
      try withScheduler(workers: 3) { scheduler in
        let group = WorkGroup(on: scheduler)
        let done = Counter()
        let gate = Gate()
        for index in 0..<300 {
          group.add(
            try scheduler.submitStep(QualityOfService.allCases[index % 5]) {
              gate.wait()
              done.add(1)
              return index % 3 == 0 ? .failed : .finished
            })
        }
        let seen = Log<Int>()
        let item = try group.notify(.userInteractive) { seen.add(done.value) }
        #expect(item.state == .waiting)
        gate.open()
        #expect(seen.wait(count: 1) == [300])
        #expect(scheduler.waits(for: item))
        #expect(item.state == .finished)
      }
    }

    @Test func anEmptyGroupNotifiesAtOnce() throws {
      try withScheduler { scheduler in
        let group = WorkGroup(on: scheduler)
        let done = Gate()
        try group.notify(.default) { done.open() }
        #expect(done.wait())
        group.wait(as: .default)
      }
    }

    @Test func waitingRaisesAndCancellingEnds() throws {
      try withScheduler(workers: 1) { scheduler in
        let group = WorkGroup(on: scheduler)
        let gate = Gate()
        // Work of the background has a worker of its own, which runs when a processor is free.
        for qos in [QualityOfService.userInteractive, .background] { try scheduler.submit(qos) { gate.wait() } }
        let items = try (0..<200).map { _ in try scheduler.submit(.background) {} }
        for item in items { group.add(item) }
        let waited = Gate()
        startThread {
          group.wait(as: .userInitiated)
          waited.open()
        }
        #expect(eventually { items.allSatisfy { $0.qos == .userInitiated } })
        group.cancel()
        #expect(waited.wait())
        #expect(items.allSatisfy { $0.state == .cancelled })
        let done = Gate()
        try group.notify(.default) { done.open() }
        gate.open()
        #expect(done.wait())
      }
    }
  }
}
