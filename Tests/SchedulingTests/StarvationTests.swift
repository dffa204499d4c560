import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Items of low classes while foreground work keeps all workers busy.
  @Suite struct StarvationTests {
    /// The steps of low work and of foreground work, which cost the same, and the time that they took.
    private struct Share {
      let ofSteps: Double
      let ofTime: Double

      /// Whether low work got about a fiftieth. On a busy machine, the foreground makes fewer steps in the same time,
      /// while low work gets its share of the time. So the lower bound is for the steps, and the upper bound for the
      /// time.
      var isAFiftieth: Bool { ofSteps > 0.008 && ofTime < 0.05 }
    }

    private static func shares(of classes: [QualityOfService], workers: Int) throws -> [Share] {
      try withScheduler(workers: workers) { scheduler in
        let busy = try scheduler.saturate(.default)
        let low = try classes.map { qos in
          let work = Endless(busy.stop, 0.5)
          try scheduler.submit(work, qos: qos)
          return work
        }
        #expect(low.allSatisfy { $0.began.wait() })
        let before = (low: low.map(\.stepsDone), busy: busy.steps, time: monotonicSeconds())
        #expect(eventually { busy.steps - before.busy >= 500 })
        let steps = Double(busy.steps - before.busy)
        let time = (monotonicSeconds() - before.time) * Double(workers)
        let shares = zip(low, before.low).map { work, before in
          let done = Double(work.stepsDone - before)
          return Share(ofSteps: done / steps, ofTime: done * 0.0005 / time)
        }
        busy.stop.open()
        return shares
      }
    }

    @Test(arguments: [QualityOfService.utility, .background], [1, 2])
    func aSaturatedForegroundLeavesAFiftieth(qos: QualityOfService, workers: Int) throws {
      let shares = try Self.shares(of: [qos], workers: workers)
      #expect(shares[0].isAFiftieth, "\(shares)")
    }

    @Test func utilityAndBackgroundEachGetTheirs() throws {
      let shares = try Self.shares(of: [.utility, .background], workers: 1)
      #expect(shares[0].isAFiftieth && shares[1].isAFiftieth, "\(shares)")
    }

    @Test func backgroundGetsItsShareBehindUtility() throws {
      try withScheduler(workers: 1) { scheduler in
        let busy = try scheduler.saturate(.utility)
        let low = Endless(busy.stop, 0.5)
        try scheduler.submit(low, qos: .background)
        #expect(low.began.wait())
        busy.stop.open()
      }
    }

    @Test(arguments: [QualityOfService.utility, .background])
    func anUndividedItemFinishes(qos: QualityOfService) throws {
      try withScheduler(workers: 1) { scheduler in
        let busy = try scheduler.saturate(.default)
        let done = Gate()
        try scheduler.submit(qos) { done.open() }
        #expect(done.wait())
        busy.stop.open()
      }
    }

    /// The low worker has gone to sleep when nothing was to be done.
    @Test(arguments: [QualityOfService.utility, .background])
    func anUndividedItemFinishesAfterTheLowWorkersHaveSlept(qos: QualityOfService) throws {
      try withScheduler(workers: 1) { scheduler in
        let first = try scheduler.submit(qos) {}
        #expect(scheduler.waits(for: first))
        pause(0.02)
        let busy = try scheduler.saturate(.default)
        pause(0.01)
        let done = Gate()
        try scheduler.submit(qos) { done.open() }
        #expect(done.wait())
        busy.stop.open()
      }
    }

    /// The head of utility cannot be divided; background behind it still gets its turns.
    @Test func anUndividedUtilityItemDoesNotKeepBackgroundFromItsTurns() throws {
      try withScheduler(workers: 1) { scheduler in
        let busy = try scheduler.saturate(.default)
        for _ in 0..<3 { try scheduler.submit(.utility) { spin(milliseconds: 1) } }
        let low = Endless(busy.stop, 0.5)
        try scheduler.submit(low, qos: .background)
        #expect(eventually { low.stepsDone >= 5 })
        busy.stop.open()
      }
    }

    @Test func aRunOfManyLowItemsFinishes() throws {
      try withScheduler(workers: 2) { scheduler in
        let busy = try scheduler.saturate(.userInteractive)
        let items = try (0..<20).map { index in
          try scheduler.submit(
            Steps(count: 3), qos: index % 2 == 0 ? .utility : .background)
        }
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
        busy.stop.open()
      }
    }
  }
}
