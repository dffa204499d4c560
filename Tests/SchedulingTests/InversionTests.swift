import Synchronization
import TestSupport
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// An item gets the class of the most urgent one that waits for it.
  @Suite struct InversionTests {
    /// Low holds a serial queue, middle saturates the workers, high waits for an item behind low's.
    @Test(arguments: [1, 2], [QualityOfService.utility, .background])
    func theClassicThreeJobs(workers: Int, low: QualityOfService) throws {
      try withScheduler(workers: workers) { scheduler in
        let queue = JobQueue("document", qos: low, on: scheduler)
        defer { queue.invalidate() }
        let hasBegun = Gate()
        let pace = Pace()
        let step: @Sendable (Int) -> Void = { _ in
          pace.step()
          spin(milliseconds: 0.5)
        }
        let holder = Steps(count: 40) { index in
          hasBegun.open()
          step(index)
        }
        let held = try queue.submit(holder)
        #expect(hasBegun.wait())
        let busy = try scheduler.saturate(.default)
        pace.begin(beside: busy)
        let wanted = try queue.submit(Steps(count: 5, step))
        let other = try scheduler.submit(Steps(count: 1000) { _ in spin(milliseconds: 0.5) }, qos: low)
        scheduler.wait(for: [wanted], as: .userInteractive)
        #expect(held.state == .finished && wanted.state == .finished)
        // At a fiftieth of the time it would be 50.
        #expect((pace.middle ?? 0) < 20, "\(pace.distances)")
        #expect(!other.state.isOver)
        scheduler.cancel(other)
        busy.stop.open()
      }
    }

    /// An undivided item runs at the lowest OS priority: it gets a processor, because one foreground worker
    /// stays away for it.
    @Test func anUndividedRunningItemGetsAProcessor() throws {
      try withScheduler(workers: 2) { scheduler in
        let began = Gate()
        let go = Gate()
        let low = try scheduler.submit(.utility) {
          began.open()
          go.wait()
          spin(milliseconds: 1)
        }
        #expect(began.wait())
        let stop = Gate()
        let busy = (0..<2).map { _ in Endless(stop, 0.5) }
        for work in busy { try scheduler.submit(work, qos: .default) }
        #expect(busy.allSatisfy { $0.began.wait() })
        let boost = scheduler.raise([low], to: .userInteractive)
        #expect(eventually { scheduler.state.withLock { $0.activeForeground } == 1 })
        go.open()
        #expect(scheduler.waits(for: low))
        boost.end()
        #expect(eventually { scheduler.state.withLock { $0.activeForeground } == 2 })
        stop.open()
      }
    }

    @Test func classesGoBackWhenTheWaiterWaitsNoMore() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let began = Gate()
        let running = try scheduler.submit(.utility) {
          began.open()
          gate.wait()
        }
        #expect(began.wait())
        let busy = Gate()
        try scheduler.submit(.userInteractive) {
          busy.open()
          gate.wait()
        }
        #expect(busy.wait())
        let queued = try scheduler.submit(.default) {}
        let waiting = try scheduler.submit(.background, after: [.success(of: running), .end(of: queued)]) {}
        let first = scheduler.raise([waiting], to: .userInitiated)
        let second = scheduler.raise([waiting, running], to: .userInteractive)
        #expect(
          [running.qos, queued.qos, waiting.qos] == Array(repeating: .userInteractive, count: 3))
        second.end()
        second.end()
        #expect(
          [running.qos, queued.qos, waiting.qos] == Array(repeating: .userInitiated, count: 3))
        first.end()
        #expect([running.qos, queued.qos, waiting.qos] == [.utility, .default, .background])
        gate.open()
        #expect(scheduler.waits(for: waiting))
      }
    }

    @Test func aReleasedBoostEnds() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        // Work of the background has a worker of its own, which runs when a processor is free.
        for qos in [QualityOfService.userInteractive, .background] { try scheduler.submit(qos) { gate.wait() } }
        let item = try scheduler.submit(.background) {}
        do {
          let boost = scheduler.raise([item], to: .userInitiated)
          #expect(item.qos == .userInitiated)
          withExtendedLifetime(boost) {}
        }
        #expect(item.qos == .background)
        gate.open()
      }
    }

    @Test func raisingNeverLowers() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        try scheduler.submit(.userInteractive) { gate.wait() }
        let item = try scheduler.submit(.userInitiated) {}
        for qos in QualityOfService.allCases {
          let boost = scheduler.raise([item], to: qos)
          #expect(item.qos == max(qos, .userInitiated))
          boost.end()
          #expect(item.qos == .userInitiated)
        }
        gate.open()
      }
    }

    @Test(.thorough) func moreWaitersThanSixteenBitsCount() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let item = try scheduler.submit(.default) { gate.wait() }
        let boosts = (0..<70_000).map { _ in scheduler.raise([item], to: .userInitiated) }
        #expect(item.qos == .userInitiated)
        for boost in boosts { boost.end() }
        #expect(item.qos == .default)
        gate.open()
      }
    }

    /// Whoever waits names them in any order; the first that came would wait for one that takes long.
    @Test(arguments: [([2, 3], ["c", "d", "a", "b"]), ([3, 1, 2], ["b", "c", "d", "a"])])
    func raisedItemsGoAheadInTheOrderInWhichTheyCame(
      _ raised: [Int], _ expected: [String]
    ) throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let order = Log<String>()
        try scheduler.submit(.userInteractive) { gate.wait() }
        let items = try ["a", "b", "c", "d"].map { name in
          try scheduler.submit(.default) { order.add(name) }
        }
        let boost = scheduler.raise(raised.map { items[$0] }, to: .userInitiated)
        gate.open()
        #expect(order.wait(count: 4) == expected)
        boost.end()
      }
    }

    @Test func whatGoesBackKeepsItsOrder() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let order = Log<String>()
        try scheduler.submit(.userInteractive) { gate.wait() }
        let items = try ["a", "b", "c"].map { name in
          try scheduler.submit(.default) { order.add(name) }
        }
        scheduler.raise(items, to: .userInitiated).end()
        try scheduler.submit(.default) { order.add("d") }
        gate.open()
        #expect(order.wait(count: 4) == ["a", "b", "c", "d"])
      }
    }

    @Test func aRaisedLowItemThatRunsMovesToAForegroundWorker() throws {
      try withScheduler(workers: 1) { scheduler in
        let stop = Gate()
        let work = Endless(stop, 0.2)
        let item = try scheduler.submit(work, qos: .utility)
        #expect(work.began.wait())
        let busy = try scheduler.saturate(.default)
        let boost = scheduler.raise([item], to: .userInitiated)
        // It goes on at the pace of the foreground: with a turn now and then it would be fifty to one.
        let before = (work.stepsDone, busy.steps)
        #expect(eventually { work.stepsDone - before.0 > 100 })
        #expect(busy.steps - before.1 < 200)
        boost.end()
        #expect(item.qos == .utility)
        stop.open()
        busy.stop.open()
      }
    }

    @Test func anItemWhoseInputIsFetchedIsRaised() throws {
      try withScheduler(workers: 1, waitingThreads: 1) { scheduler in
        let gate = Gate()
        let fetched = Log<Int>()
        let works = (0..<3).map { index in SlowInput(gate) { fetched.add(index) } }
        let items = try works.map { try scheduler.submit($0, qos: .utility) }
        #expect(works[0].began.wait())
        #expect(eventually { scheduler.state.withLock { $0.calls.items.count } == 2 })
        let boost = scheduler.raise([items[2], items[0]], to: .userInteractive)
        #expect(items.map(\.qos) == [.userInteractive, .utility, .userInteractive])
        gate.open()
        #expect(fetched.wait(count: 3) == [0, 2, 1])
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
        boost.end()
      }
    }
  }
}
