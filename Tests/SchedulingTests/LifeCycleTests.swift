import Platform
import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// The order of setting up, activating, invalidating and releasing a scheduler.
  @Suite struct LifeCycleTests {
    fileprivate static func scheduler(_ workers: Int = 2) -> Scheduler {
      Scheduler(.init(workers: workers, memoryBudget: 1 << 20))
    }

    // MARK: - bugs stop the program

    @Test func activatedTwice() async {
      await #expect(processExitsWith: .failure) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.activate()
        scheduler.activate()
      }
    }

    @Test func submittedBeforeActivation() async {
      await #expect(processExitsWith: .failure) {
        try SchedulingTests.LifeCycleTests.scheduler().submit(.default) {}
      }
      await #expect(processExitsWith: .failure) {
        do { try SchedulingTests.LifeCycleTests.scheduler().submitWaiting(.default) {} } catch {}
      }
    }

    @Test func invalidatedTwice() async {
      await #expect(processExitsWith: .failure) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.invalidate()
        scheduler.invalidate()
      }
    }

    @Test func releasedWhileActive() async {
      await #expect(processExitsWith: .failure) {
        SchedulingTests.LifeCycleTests.scheduler().activate()
      }
      // With workers that sleep.
      await #expect(processExitsWith: .failure) {
        do {
          let scheduler = SchedulingTests.LifeCycleTests.scheduler()
          scheduler.activate()
          for qos in QualityOfService.allCases { try scheduler.submit(qos) {} }
        }
        // Ends sooner: the background has its turn late beside other programs.
        pause(patience)
      }
    }

    @Test func aQueueReleasedWhileActive() async {
      await #expect(processExitsWith: .failure) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.activate()
        _ = JobQueue("book", qos: .default, on: scheduler)
      }
    }

    @Test func onTheWrongQueue() async {
      await #expect(processExitsWith: .failure) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.activate()
        JobQueue("book", qos: .default, on: scheduler).preconditionOnQueue()
      }
      await #expect(processExitsWith: .failure) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.activate()
        let queue = JobQueue("book", qos: .default, on: scheduler)
        try queue.submit { queue.preconditionNotOnQueue() }
        pause(patience)
      }
    }

    @Test func waitingOnAWorker() async {
      await #expect(processExitsWith: .failure) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.activate()
        let item = try scheduler.submit(.default) {}
        try scheduler.submit(.default) { scheduler.wait(for: [item], as: .default) }
        pause(patience)
      }
      await #expect(processExitsWith: .failure) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.activate()
        try scheduler.submit(.default) { scheduler.invalidate() }
        pause(patience)
      }
    }

    @Test func moreLetGoThanHeld() async {
      await #expect(processExitsWith: .failure) {
        SchedulingTests.LifeCycleTests.scheduler().letGo(1)
      }
    }

    /// The correct order succeeds, so the other tests fail for the intended reason.
    @Test func inOrder() async {
      await #expect(processExitsWith: .success) {
        let scheduler = SchedulingTests.LifeCycleTests.scheduler()
        scheduler.activate()
        let queue = JobQueue("book", qos: .default, on: scheduler)
        let item = try queue.submit { queue.preconditionOnQueue() }
        scheduler.wait(for: [item], as: .default)
        queue.preconditionNotOnQueue()
        queue.invalidate()
        scheduler.invalidate()
      }
    }

    // MARK: - invalidation

    @Test func anInvalidatedSchedulerThrows() throws {
      let scheduler = Self.scheduler()
      scheduler.activate()
      let queue = JobQueue("book", qos: .default, on: scheduler)
      let group = WorkGroup(on: scheduler)
      scheduler.invalidate()
      #expect(throws: SchedulingError.invalidated) { try scheduler.submit(.default) {} }
      #expect(
        SchedulingError.invalidated.description
          == "the queue was invalidated and accepts no more work")
      #expect(throws: SchedulingError.invalidated) { try scheduler.submit(Steps(), qos: .utility) }
      #expect(throws: SchedulingError.invalidated) {
        try scheduler.submitStep(.default) { .finished }
      }
      #expect(throws: SchedulingError.invalidated) { try scheduler.submitWaiting(.default) {} }
      #expect(throws: SchedulingError.invalidated) { try queue.submit {} }
      #expect(throws: SchedulingError.invalidated) { try group.notify(.default) {} }
      queue.invalidate()
      // Nobody helps, but it is done.
      let sum = Counter()
      scheduler.parallelFor(10, qos: .default) { sum.add($0) }
      #expect(sum.value == 45)
    }

    @Test func oneThatWasNeverActiveMayBeInvalidated() { Self.scheduler().invalidate() }

    @Test(arguments: QualityOfService.allCases)
    func invalidatingStopsWorkAfterItsStep(qos: QualityOfService) throws {
      let scheduler = Self.scheduler(1)
      scheduler.activate()
      let began = Gate()
      let running = Steps(count: .max) { _ in began.open() }
      let queued = Steps()
      let item = try scheduler.submit(running, qos: qos)
      #expect(began.wait())
      try scheduler.submit(queued, qos: qos, after: [.success(of: item)])
      let ended = Gate()
      startThread {
        scheduler.invalidate()
        ended.open()
      }
      #expect(ended.wait())
      #expect(item.state == .cancelled)
      #expect(running.abandoned + queued.abandoned == [.invalidated, .invalidated])
      #expect(queued.stepsDone == 0)
    }

    @Test func invalidatingEndsWhatWaitsForADisk() throws {
      let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1, waitingThreads: 1))
      scheduler.activate()
      let gate = Gate()
      let works = (0..<3).map { _ in SlowInput(gate) }
      let items = try works.map { try scheduler.submit($0, qos: .default) }
      let last = try scheduler.submit(.default, after: items.map { .end(of: $0) }) {}
      #expect(works[0].began.wait())
      scheduler.invalidate()
      #expect((items + [last]).allSatisfy { $0.state == .cancelled })
      gate.open()
      #expect(eventually { scheduler.threadCount == 0 })
      #expect(works.allSatisfy { !$0.ran.isOpen && $0.abandoned == [.invalidated] })
    }

    // MARK: - nothing is left behind

    @Test func nothingKeepsAnInvalidatedSchedulerAlive() throws {
      weak var released: Scheduler?
      do {
        let scheduler = Self.scheduler()
        released = scheduler
        scheduler.activate()
        scheduler.parallelFor(10, qos: .default) { _ in }
        for qos in QualityOfService.allCases { try scheduler.submit(qos) {} }
        try scheduler.submitWaiting(.default) {}
        let queue = JobQueue("book", qos: .default, on: scheduler)
        for _ in 0..<10 { try queue.submit {} }
        queue.invalidate()
        scheduler.invalidate()
      }
      // Threads let go of it a moment after they have said that they end.
      #expect(eventually { released == nil })
    }

    @Test func nothingKeepsAnItemThatIsOver() throws {
      try withScheduler(workers: 2) { scheduler in
        let gate = Gate()
        let busy = try (0..<2).map { _ in try scheduler.submit(.userInteractive) { gate.wait() } }
        var items = WeakItems()
        do {
          var previous: WorkItem?
          var all: [WorkItem] = []
          for index in 0..<300 {
            let work = Steps(count: 3, outcome: index % 7 == 0 ? .failed : .finished)
            let item = try scheduler.submit(
              work, qos: QualityOfService.allCases[index % 5],
              after: previous.map { index % 3 == 0 ? [.end(of: $0)] : [.success(of: $0)] } ?? [])
            items.add(item, work)
            all.append(item)
            previous = index % 10 == 9 ? nil : item
          }
          for item in all[100..<150] { scheduler.cancel(item) }
          let boost = scheduler.raise(Array(all[150..<200]), to: .userInitiated)
          boost.end()
          let kept = scheduler.raise(Array(all[200..<250]), to: .userInteractive)
          gate.open()
          #expect((all + busy).allSatisfy { scheduler.waits(for: $0) })
          kept.end()
        }
        #expect(eventually { items.liveItems == 0 && items.liveWorks == 0 })
      }
    }

    @Test func nothingKeepsWhatWasSweptBehindALongQueue() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        try scheduler.submit(.userInteractive) { gate.wait() }
        let kept = try scheduler.submit(.default) {}
        var items = WeakItems()
        do {
          let token = CancellationToken()
          for _ in 0..<5000 {
            let work = Steps(token: token)
            items.add(try scheduler.submit(work, qos: .default), work)
          }
          token.cancel()
        }
        scheduler.sweepCancelled()
        #expect(items.liveWorks == 0)
        // A few places in the queue may still be there.
        try scheduler.submit(.default) {}
        #expect(items.liveItems < 200)
        gate.open()
        #expect(scheduler.waits(for: kept))
      }
    }

    @Test func nothingKeepsWhatAnInvalidatedSchedulerAbandoned() throws {
      var items = WeakItems()
      do {
        let scheduler = Self.scheduler(1)
        scheduler.activate()
        let queue = JobQueue("book", qos: .default, on: scheduler)
        for index in 0..<200 {
          let work = Steps(count: 3)
          items.add(try index % 2 == 0 ? scheduler.submit(work, qos: .background) : queue.submit(work), work)
        }
        queue.invalidate()
        scheduler.invalidate()
      }
      #expect(eventually { items.liveItems == 0 && items.liveWorks == 0 })
    }
  }
}

/// Weak references to items and their work.
struct WeakItems {
  private struct Entry {
    weak var item: WorkItem?
    weak var work: (any Work)?
  }

  private var entries: [Entry] = []

  mutating func add(_ item: WorkItem, _ work: any Work) { entries.append(Entry(item: item, work: work)) }

  var liveItems: Int { entries.count { $0.item != nil } }
  var liveWorks: Int { entries.count { $0.work != nil } }
}
