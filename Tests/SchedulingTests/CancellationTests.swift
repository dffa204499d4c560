import Platform
import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  @Suite struct CancellationTokenTests {
    @Test func childrenFollowTheirParentAndNotTheOtherWay() throws {
      let parent = CancellationToken()
      let child = CancellationToken(parent: parent)
      let other = CancellationToken(parent: parent)
      child.cancel(.init("of a child"))
      #expect(child.isCancelled && !parent.isCancelled && !other.isCancelled)
      #expect(parent.reason == nil)
      parent.cancel(.init("of the parent"))
      #expect(other.isCancelled)
      #expect(other.reason?.description == "of the parent")
      #expect(child.reason?.description == "of a child")
    }

    @Test func theFirstReasonStays() {
      let token = CancellationToken()
      #expect(token.reason == nil)
      token.cancel(.init("first"))
      token.cancel(.init("second"))
      #expect(token.reason?.description == "first")
    }

    @Test func handlersHearOfChildren() {
      let parent = CancellationToken()
      let child = CancellationToken(parent: parent)
      let log = Log<String>()
      parent.onCancel { log.add("parent's") }
      parent.onCancel { log.add("a second one") }
      child.onCancel { log.add("child's") }
      child.cancel()
      #expect(log.all == ["child's", "parent's"])
    }

    @Test func reasonsAreThereWhenTheFlagIs() {
      for _ in 0..<50 {
        let token = CancellationToken()
        let started = Gate()
        startThread {
          started.open()
          token.cancel(.init("why"))
        }
        started.wait()
        while !token.isCancelled {}
        #expect(token.reason?.description == "why")
      }
    }
  }
}

extension SchedulingTests {
  @Suite struct CancellationTests {
    enum Place: CaseIterable, Sendable { case waiting, ready, putAside }

    @Test(arguments: Place.allCases)
    func whatNoWorkerHasEndsAtOnce(place: Place) throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let began = Gate()
        let work = Steps(count: 100) { _ in
          began.open()
          spin(milliseconds: 0.1)
        }
        var item: WorkItem!
        if place == .putAside {
          item = try scheduler.submit(work, qos: .default)
          #expect(began.wait())
        }
        let busy = Gate()
        let blocker = try scheduler.submit(.userInteractive) {
          busy.open()
          gate.wait()
        }
        #expect(busy.wait())
        if place != .putAside {
          item = try scheduler.submit(work, qos: .default, after: place == .waiting ? [.end(of: blocker)] : [])
        }
        #expect(item.state == [.waiting, .ready, .running][Place.allCases.firstIndex(of: place)!])
        let steps = work.stepsDone
        #expect(scheduler.cancel(item, .init("a reason")))
        #expect(!scheduler.cancel(blocker))
        #expect(item.state == .cancelled)
        #expect(work.abandoned.map(\.description) == ["a reason"])
        #expect(scheduler.cancel(item, .init("again")))
        gate.open()
        #expect(scheduler.waits(for: blocker))
        #expect(work.stepsDone == steps && work.abandoned.count == 1)
      }
    }

    @Test func aTokenKeepsWorkFromStarting() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let token = CancellationToken()
        let work = Steps(token: token)
        try scheduler.submit(.default) { gate.wait() }
        let closure = try scheduler.submit(.default, token: token) { Issue.record("it ran") }
        let item = try scheduler.submit(work, qos: .default)
        token.cancel()
        gate.open()
        #expect(scheduler.waits(for: closure))
        #expect(scheduler.waits(for: item))
        #expect(closure.state == .cancelled && item.state == .cancelled)
        #expect(work.stepsDone == 0)
        #expect(eventually { work.abandoned.count == 1 })
      }
    }

    @Test func runningWorkSeesItBetweenSteps() throws {
      try withScheduler(workers: 1) { scheduler in
        let token = CancellationToken()
        let began = Gate()
        let work = Steps(count: .max, token: token) { _ in began.open() }
        let item = try scheduler.submit(work, qos: .default)
        #expect(began.wait())
        token.cancel()
        #expect(scheduler.waits(for: item))
        #expect(item.state == .cancelled)
        // It has stopped itself.
        #expect(work.abandoned.isEmpty)
      }
    }

    @Test func tenThousandAreSweptInMilliseconds() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let token = CancellationToken()
        let isBusy = Gate()
        try scheduler.submit(.default) {
          isBusy.open()
          gate.wait()
        }
        #expect(isBusy.wait())
        let works = (0..<10_000).map { _ in Steps(token: token) }
        let items = try works.enumerated().map { index, work in
          try scheduler.submit(work, qos: QualityOfService.allCases[2 + index % 3])
        }
        let kept = try scheduler.submit(.default) {}
        token.cancel(.init("the time is over"))
        let began = threadNanoseconds()
        scheduler.sweepCancelled(token.reason!)
        let milliseconds = (threadNanoseconds() - began) / 1_000_000
        // Processor time: a few milliseconds, more in unoptimised builds with a sanitizer.
        #expect(milliseconds < 3000, "it took \(milliseconds) ms")
        #expect(items.allSatisfy { $0.state == .cancelled })
        #expect(works.allSatisfy { $0.abandoned.map(\.description) == ["the time is over"] })
        #expect(kept.state == .ready)
        gate.open()
        #expect(scheduler.waits(for: kept))
      }
    }

    /// Nobody waits for a disk that does not answer.
    @Test func whatIsBeingFetchedIsSweptAndCancelled() throws {
      try withScheduler(workers: 1, waitingThreads: 2) { scheduler in
        let gate = Gate()
        let token = CancellationToken()
        let works = (0..<2).map { _ in SlowInput(gate, token: token) }
        let items = try works.map { try scheduler.submit($0, qos: .default) }
        #expect(works.allSatisfy { $0.began.wait() })
        let next = try scheduler.submit(.default, after: [.end(of: items[0])]) {}
        #expect(scheduler.cancel(items[1]))
        #expect(items[1].state == .cancelled)
        token.cancel()
        scheduler.sweepCancelled(.init("swept"))
        #expect(items[0].state == .cancelled)
        #expect(works[0].abandoned.map(\.description) == ["swept"])
        #expect(scheduler.waits(for: next))
        gate.open()
        #expect(works.allSatisfy { !$0.ran.isOpen })
      }
    }

    @Test func observersAreToldOnce() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let log = Log<WorkItem.State>()
        try scheduler.submit(.default) { gate.wait() }
        let items = try (0..<3).map { index in
          try scheduler.submitStep(.default) { index == 0 ? .failed : .finished }
        }
        for item in items { scheduler.observe(item) { log.add($0) } }
        scheduler.cancel(items[2])
        gate.open()
        #expect(log.wait(count: 3) == [.cancelled, .failed, .finished])
        scheduler.observe(items[0]) { log.add($0) }
        #expect(log.all.count == 4 && log.all.last == .failed)
      }
    }
  }
}
