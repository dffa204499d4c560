import Platform
import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Steps that allow it are interrupted by more urgent work.
  @Suite struct PreemptionTests {
    /// Work of a single step that goes on, allowing preemption, until a gate opens.
    private static func long(
      _ scheduler: Scheduler, _ qos: QualityOfService, until stop: Gate
    ) throws -> (item: WorkItem, began: Gate) {
      let began = Gate()
      let item = try scheduler.submit(qos) { [scheduler] in
        began.open()
        while !stop.isOpen { scheduler.allowPreemption() }
      }
      return (item, began)
    }

    @Test(arguments: [1, 2, 4], [QualityOfService.userInitiated, .default])
    func urgentWorkRunsInTheMiddleOfALongStep(workers: Int, qos: QualityOfService) throws {
      try withScheduler(workers: workers) { scheduler in
        let stop = Gate()
        let long = try (0..<workers).map { _ in try Self.long(scheduler, qos, until: stop) }
        #expect(long.allSatisfy { $0.began.wait() })
        for _ in 0..<20 {
          let urgent = try scheduler.submit(.userInteractive) {}
          #expect(scheduler.waits(for: urgent))
        }
        #expect(long.allSatisfy { !$0.item.state.isOver })
        stop.open()
        #expect(long.allSatisfy { scheduler.waits(for: $0.item) })
      }
    }

    @Test(arguments: [QualityOfService.default, .utility])
    func workOfTheSameOrALowerClassWaits(other: QualityOfService) throws {
      try withScheduler(workers: 1) { scheduler in
        let stop = Gate()
        let long = try Self.long(scheduler, .default, until: stop)
        #expect(long.began.wait())
        let item = try scheduler.submit(other) {}
        pause(0.02)
        if other == .default { #expect(!item.state.isOver) }
        stop.open()
        #expect(scheduler.waits(for: item))
        #expect(scheduler.waits(for: long.item))
      }
    }

    @Test func noMoreComputeAtATimeThanThereAreWorkers() throws {
      try withScheduler(workers: 2) { scheduler in
        let stop = Gate()
        let inside = Counter()
        let most = Counter()
        let long = try (0..<2).map { _ in try Self.long(scheduler, .default, until: stop) }
        #expect(long.allSatisfy { $0.began.wait() })
        let urgent = try (0..<200).map { _ in
          try scheduler.submit(.userInteractive) {
            most.raise(to: inside.add(1))
            spin(milliseconds: 0.05)
            inside.add(-1)
          }
        }
        #expect(urgent.allSatisfy { scheduler.waits(for: $0) })
        #expect(most.value <= 2)
        stop.open()
        #expect(long.allSatisfy { scheduler.waits(for: $0.item) })
        #expect(scheduler.threadCount <= scheduler.threadLimit)
      }
    }

    /// Three classes deep: what paused last goes on first.
    @Test func pausesNest() throws {
      try withScheduler(workers: 1) { scheduler in
        let (stopFirst, stopSecond) = (Gate(), Gate())
        let first = try Self.long(scheduler, .default, until: stopFirst)
        #expect(first.began.wait())
        let second = try Self.long(scheduler, .userInitiated, until: stopSecond)
        #expect(second.began.wait())
        let urgent = try scheduler.submit(.userInteractive) {}
        #expect(scheduler.waits(for: urgent))
        stopFirst.open()
        pause(0.02)
        #expect(!first.item.state.isOver && !second.item.state.isOver)
        stopSecond.open()
        #expect(scheduler.waits(for: second.item) && scheduler.waits(for: first.item))
      }
    }

    /// Somebody urgent waits for the paused item itself.
    @Test func aPausedItemThatIsRaisedGoesOn() throws {
      try withScheduler(workers: 1) { scheduler in
        let (stop, stopUrgent) = (Gate(), Gate())
        let paused = try Self.long(scheduler, .default, until: stop)
        #expect(paused.began.wait())
        let urgent = try Self.long(scheduler, .userInitiated, until: stopUrgent)
        #expect(urgent.began.wait())
        stop.open()
        let boost = scheduler.raise([paused.item], to: .userInteractive)
        #expect(scheduler.waits(for: paused.item))
        #expect(!urgent.item.state.isOver)
        stopUrgent.open()
        boost.end()
        #expect(scheduler.waits(for: urgent.item))
      }
    }

    @Test func loopsAreInterruptedToo() throws {
      try withScheduler(workers: 2) { scheduler in
        let stop = Gate()
        let began = Log<Int>()
        let loop = try scheduler.submit(.default) { [scheduler] in
          scheduler.parallelFor(2, qos: .default) { index in
            began.add(index)
            while !stop.isOpen { scheduler.allowPreemption() }
          }
        }
        #expect(began.wait(count: 2).count == 2)
        let urgent = try scheduler.submit(.userInteractive) {}
        #expect(scheduler.waits(for: urgent))
        stop.open()
        #expect(scheduler.waits(for: loop))
      }
    }

    /// A chain of hundreds of operations runs on a thread with a deeper stack, as the same worker.
    @Test func deepStepsAreInterruptedToo() throws {
      try withScheduler(workers: 1) { scheduler in
        let (stop, began) = (Gate(), Gate())
        let pauses = Log<Bool>()
        let deep = try scheduler.submit(.default) { [scheduler] in
          runOnOwnThread(stackByteCount: 16 << 20) {
            began.open()
            while !stop.isOpen { scheduler.allowPreemption { pauses.add($0) } }
          }
        }
        #expect(began.wait())
        for round in 1...20 {
          #expect(scheduler.waits(for: try scheduler.submit(.userInteractive) {}))
          // It has gone on; otherwise one pause might serve two items.
          #expect(pauses.wait(count: 2 * round).count == 2 * round)
        }
        #expect(!deep.state.isOver)
        stop.open()
        #expect(scheduler.waits(for: deep))
        #expect(pauses.all.count == 40)
        #expect(pauses.all.enumerated().allSatisfy { $1 == ($0 % 2 == 0) })
      }
    }

    @Test func invalidatingLetsPausedWorkersGoOn() throws {
      for _ in 0..<20 {
        let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1 << 20))
        scheduler.activate()
        let stop = Gate()
        let long = try Self.long(scheduler, .default, until: stop)
        #expect(long.began.wait())
        let began = Gate()
        try scheduler.submit(.userInteractive) {
          began.open()
          stop.wait()
        }
        #expect(began.wait())
        startThread {
          pause(0.001)
          stop.open()
        }
        scheduler.invalidate()
        #expect(long.item.state.isOver)
      }
    }

    @Test func otherThreadsAndBlockedWorkersGoOn() throws {
      try withScheduler(workers: 1) { scheduler in
        scheduler.allowPreemption()
        let item = try scheduler.submit(.default) { [scheduler] in
          scheduler.blocking { scheduler.allowPreemption() }
        }
        #expect(scheduler.waits(for: item))
      }
    }
  }
}
