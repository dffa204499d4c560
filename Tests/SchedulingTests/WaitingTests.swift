import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Work that waits for disks and other programs does not occupy a worker.
  @Suite struct WaitingTests {
    /// Threads of this process: the entries of `/proc/self/task`, as `/proc/self/status` counts them.
    private static var processThreads: Int? {
      let status = textFile("/proc/self/status")
      return status?.split(separator: "\n").first { $0.hasPrefix("Threads:") }
        .flatMap { Int($0.dropFirst(8).filter { !$0.isWhitespace }) }
    }

    @Test(arguments: [1, 2], [false, true])
    func computingGoesOnWhileItemsBlock(workers: Int, seldom: Bool) throws {
      try withScheduler(workers: workers) { scheduler in
        let gate = Gate()
        let begun = Log<Int>()
        for index in 0..<Scheduler.spareWorkers {
          try scheduler.submit(.userInteractive) {
            let wait = {
              begun.add(index)
              _ = gate.wait()
            }
            if seldom { scheduler.seldomBlocking(wait) } else { scheduler.blocking(wait) }
          }
        }
        #expect(begun.wait(count: Scheduler.spareWorkers).count == Scheduler.spareWorkers)
        let inside = Counter()
        let most = Counter()
        let items = try (0..<200).map { _ in
          try scheduler.submit(.default) {
            most.raise(to: inside.add(1))
            spin(milliseconds: 0.01)
            inside.add(-1)
          }
        }
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
        #expect(most.value <= workers)
        gate.open()
      }
    }

    @Test func aHundredBlockedAndTenThousandQueuedKeepTheThreadLimit() throws {
      try withScheduler(workers: 2) { scheduler in
        let before = Self.processThreads
        let gate = Gate()
        let blocked = try (0..<100).map { index in
          try scheduler.submit([.userInteractive, .utility][index % 2]) {
            scheduler.blocking { _ = gate.wait() }
          }
        }
        for _ in 0..<100 { try scheduler.submitWaiting(.default) { gate.wait() } }
        let queued = try (0..<10_000).map { index in
          try scheduler.submit(QualityOfService.allCases[index % 5]) {}
        }
        pause(0.1)
        #expect(scheduler.threadCount <= scheduler.threadLimit)
        #expect(scheduler.threadLimit <= 2 * 2 + 13)
        if let before, let now = Self.processThreads {
          // Other tests run beside this one, with schedulers of their own.
          #expect(now - before < 100)
        }
        gate.open()
        #expect(blocked.allSatisfy { scheduler.waits(for: $0) })
        #expect(queued.allSatisfy { scheduler.waits(for: $0) })
        #expect(scheduler.threadCount <= scheduler.threadLimit)
      }
    }

    @Test(arguments: [QualityOfService.default, .utility])
    func inputsThatHangTakeNoWorker(qos: QualityOfService) throws {
      try withScheduler(workers: 1, waitingThreads: 3) { scheduler in
        let gate = Gate()
        let slow = (0..<100).map { _ in SlowInput(gate) }
        let items = try slow.map { try scheduler.submit($0, qos: qos) }
        let done = Gate()
        try scheduler.submit(qos) { done.open() }
        #expect(done.wait())
        #expect(scheduler.threadCount <= scheduler.threadLimit)
        #expect(slow.filter(\.began.isOpen).count <= 3)
        #expect(slow.allSatisfy { !$0.ran.isOpen })
        gate.open()
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
        #expect(slow.allSatisfy { $0.ran.isOpen && $0.fetches.value == 1 })
      }
    }

    @Test func fetchingIsNotFarAheadOfUsing() throws {
      try withScheduler(workers: 1, waitingThreads: 2) { scheduler in
        let open = Gate()
        open.open()
        let slow = (0..<100).map { _ in SlowInput(open) }
        let items = try slow.map { try scheduler.submit($0, qos: .default) }
        #expect(eventually { slow.contains { $0.began.isOpen } })
        let gate = Gate()
        let busy = Gate()
        try scheduler.submit(.userInteractive) {
          busy.open()
          gate.wait()
        }
        #expect(busy.wait())
        pause(0.05)
        let ahead = zip(slow, items).filter { $0.began.isOpen && !$1.state.isOver }.count
        // As many as may be ahead, and those that the waiting threads had in hand.
        #expect(ahead <= 1 + 2 + 2)
        gate.open()
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
      }
    }

    /// A disk that does not answer takes the threads of low classes, and what was fetched for a batch does not
    /// hold up what somebody waits for.
    @Test func theForegroundsInputsAreFetchedAtAnyTime() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let held = try (0..<40).map { index in
          try scheduler.submit(
            Fetching(wait: { if index < 20 { gate.wait() } }), qos: .background)
        }
        pause(0.05)
        let urgent = try scheduler.submit(Fetching(wait: {}), qos: .userInitiated)
        #expect(scheduler.waits(for: urgent))
        gate.open()
        #expect(held.allSatisfy { scheduler.waits(for: $0) })
      }
    }

    private final class Fetching: Work {
      private let isFetched = Atomic<Bool>(false)
      private let wait: @Sendable () -> Void
      init(wait: @escaping @Sendable () -> Void) { self.wait = wait }
      var name: String { "fetching" }
      var isInputReady: Bool { isFetched.load(ordering: .acquiring) }
      func fetchInput() {
        wait()
        isFetched.store(true, ordering: .releasing)
      }
      func step() -> WorkStep { .finished }
    }

    @Test func waitingCallsRunSideBySide() throws {
      try withScheduler(workers: 1, waitingThreads: 4) { scheduler in
        // None ends before all have begun: a call must never stand behind one that waits for it.
        for _ in 0..<20 {
          let begun = Log<Int>()
          let done = Log<Bool>()
          for index in 0..<4 {
            try scheduler.submitWaiting(.default) {
              begun.add(index)
              done.add(begun.wait(count: 4).count == 4)
            }
          }
          #expect(done.wait(count: 4) == [true, true, true, true])
        }
      }
    }

    @Test func waitingCallsTakeTheHighestClassFirst() throws {
      try withScheduler(workers: 1, waitingThreads: 1) { scheduler in
        let gate = Gate()
        let began = Gate()
        let order = Log<QualityOfService>()
        try scheduler.submitWaiting(.background) {
          began.open()
          gate.wait()
        }
        #expect(began.wait())
        for qos in QualityOfService.allCases { try scheduler.submitWaiting(qos) { order.add(qos) } }
        gate.open()
        #expect(order.wait(count: 5) == QualityOfService.allCases.reversed())
      }
    }

    @Test func blockingWithinBlockingCountsOnce() throws {
      try withScheduler(workers: 2) { scheduler in
        let gate = Gate()
        let inside = Gate()
        let item = try scheduler.submit(.default) {
          scheduler.blocking {
            scheduler.blocking {
              inside.open()
              _ = gate.wait()
            }
          }
        }
        #expect(inside.wait())
        #expect(scheduler.state.withLock { $0.activeForeground } == 0)
        gate.open()
        #expect(scheduler.waits(for: item))
        #expect(eventually { scheduler.state.withLock { $0.activeForeground } == 0 })
        #expect(scheduler.blocking { 7 } == 7)
      }
    }

    @Test func idleWaitingThreadsEnd() throws {
      try withScheduler(workers: 1) { scheduler in
        let done = Gate()
        try scheduler.submitWaiting(.default) { done.open() }
        #expect(done.wait())
        #expect(eventually { scheduler.threadCount == 0 })
        let again = Gate()
        try scheduler.submitWaiting(.default) { again.open() }
        #expect(again.wait())
      }
    }
  }
}
