import Synchronization
import Testing

import Platform

@testable import Scheduling

extension SchedulingTests {
  @Suite struct ParallelForTests {
    @Test(arguments: [0, 1, 2, 3, 64, 1001], [1, 4])
    func eachIndexIsCalledOnce(count: Int, workers: Int) {
      let counts = withScheduler(workers: workers) { scheduler in
        let counts = Monitor([Int](repeating: 0, count: count))
        scheduler.parallelFor(count, qos: .default) { index in counts.withLock { $0[index] += 1 } }
        return counts.withLock { $0 }
      }
      #expect(counts == [Int](repeating: 1, count: count))
    }

    @Test func loopsOnWorkersNest() throws {
      let total = try withScheduler(workers: 2) { scheduler in
        let total = Counter()
        let items = try (0..<50).map { _ in
          try scheduler.submit(.default) {
            scheduler.parallelFor(5, qos: .default) { _ in
              scheduler.parallelFor(4, qos: .default) { index in
                total.add(index)
              }
            }
          }
        }
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
        return total.value
      }
      #expect(total == 50 * 5 * 6)
    }

    @Test func workersHelp() {
      withScheduler(workers: 2) { scheduler in
        let both = Monitor(0)
        scheduler.parallelFor(2, qos: .default) { _ in
          both.withLock { $0 += 1 }
          both.notifyAll()
          // Neither goes on without the other.
          #expect(both.wait(seconds: patience) { $0 == 2 ? true : nil } == true)
        }
      }
    }

    @Test(arguments: [2, 5, 100_000]) func theFirstIndexIsTheCallers(count: Int) throws {
      try withScheduler(workers: 4) { scheduler in
        for _ in 0..<50 {
          let item = try scheduler.submit(.default) {
            let caller = pthread_self()
            scheduler.parallelFor(count, qos: .default) { index in
              if index == 0 { #expect(pthread_equal(caller, pthread_self()) != 0) }
            }
          }
          #expect(scheduler.waits(for: item))
        }
      }
    }

    @Test func whoeverWaitsHelpsTheLoopsWithin() throws {
      try withScheduler(workers: 2) { scheduler in
        let hasBegun = Gate()
        let both = Monitor(0)
        let item = try scheduler.submit(.default) {
          scheduler.parallelFor(2, qos: .default) { index in
            // One of the two workers has this one, and only waits when it is done.
            if index == 0 {
              #expect(hasBegun.wait())
              return
            }
            hasBegun.open()
            scheduler.parallelFor(2, qos: .default) { _ in
              both.withLock { $0 += 1 }
              both.notifyAll()
              #expect(both.wait(seconds: patience) { $0 == 2 ? true : nil } == true)
            }
          }
        }
        #expect(scheduler.waits(for: item))
      }
    }

    @Test func helpersLeaveForSomethingMoreUrgent() {
      withScheduler(workers: 2) { scheduler in
        let urgent = Gate()
        let isSubmitted = Gate()
        scheduler.parallelFor(20_000, qos: .default) { index in
          if index == 100, !isSubmitted.isOpen {
            isSubmitted.open()
            try! scheduler.submit(.userInteractive) { urgent.open() }
          }
          if index == 19_999 { #expect(urgent.wait()) }
          spin(milliseconds: 0.001)
        }
        #expect(urgent.wait())
      }
    }

    /// A loop of a low class that nobody may help costs no time.
    @Test func nobodyLooksAgainAndAgainAtALowLoop() throws {
      let scheduler = Scheduler(.init(workers: 2, memoryBudget: 1))
      scheduler.activate()
      defer { scheduler.invalidate() }
      let gate = Gate()
      let begun = Log<Int>()
      for index in 0..<2 {
        try scheduler.submit(.default) {
          begun.add(index)
          gate.wait()
        }
      }
      #expect(begun.wait(count: 2).count == 2)
      let low = try scheduler.submit(.utility) {}
      scheduler.parallelFor(4, qos: .utility) { _ in #expect(scheduler.workersSleep) }
      gate.open()
      #expect(scheduler.waits(for: low))
    }

    @Test func whatTheBodyHoldsIsReleased() {
      final class Token: Sendable {}
      weak var released: Token?
      withScheduler(workers: 4) { scheduler in
        let token = Token()
        released = token
        for _ in 0..<100 { scheduler.parallelFor(8, qos: .default) { _ in _ = token } }
      }
      #expect(released == nil)
    }
  }
}
