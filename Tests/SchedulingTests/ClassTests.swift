import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// The order of classes.
  @Suite struct ClassTests {
    @Test func everySubmittedItemRunsOnce() throws {
      let counts = try withScheduler { scheduler in
        let log = Log<Int>()
        for index in 0..<1000 { try scheduler.submit(QualityOfService.allCases[index % 5]) { log.add(index) } }
        return log.wait(count: 1000)
      }
      #expect(counts.sorted() == Array(0..<1000))
    }

    @Test func higherClassesGoFirstAndWithinAClassFirstInFirstOut() throws {
      let order = try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let order = Log<String>()
        try scheduler.submit(.userInteractive) { gate.wait() }
        for (qos, name) in [
          (QualityOfService.default, "d1"), (.userInitiated, "u1"), (.default, "d2"),
          (.userInteractive, "i1"), (.userInitiated, "u2"), (.userInteractive, "i2"),
        ] {
          try scheduler.submit(qos) { order.add(name) }
        }
        gate.open()
        return order.wait(count: 6)
      }
      #expect(order == ["i1", "i2", "u1", "u2", "d1", "d2"])
    }

    @Test func withinAClassThousandsGoFirstInFirstOut() throws {
      let order = try withScheduler(workers: 1) { scheduler in
        let order = Log<Int>()
        let gate = Gate()
        try scheduler.submit(.default) { gate.wait() }
        for index in 0..<5000 { try scheduler.submit(.default) { order.add(index) } }
        gate.open()
        return order.wait(count: 5000)
      }
      #expect(order == Array(0..<5000))
    }

    @Test(
      arguments: [
        (QualityOfService.default, QualityOfService.userInitiated), (.default, .userInteractive),
        (.userInitiated, .userInteractive), (.utility, .default), (.background, .utility),
        (.background, .userInteractive),
      ])
    func higherWorkGoesBetweenTwoSteps(low: QualityOfService, high: QualityOfService) throws {
      // On a machine that stands still for long, a low class would be owed a step.
      try withScheduler(workers: 1, leastShare: 1e-9) { scheduler in
        let order = Log<String>()
        let isSubmitted = Gate()
        let began = Gate()
        let long = Steps(count: 4) { index in
          // Steps that take nothing would be owed another at once.
          spin(milliseconds: 2)
          order.add("step \(index)")
          guard index == 1 else { return }
          began.open()
          isSubmitted.wait()
        }
        try scheduler.submit(long, qos: low)
        #expect(began.wait())
        try scheduler.submit(high) { order.add("high") }
        isSubmitted.open()
        #expect(order.wait(count: 5) == ["step 0", "step 1", "high", "step 2", "step 3"])
      }
    }

    @Test func whatWasPutAsideGoesBeforeWhatHasNotBegun() throws {
      try withScheduler(workers: 1) { scheduler in
        let order = Log<String>()
        let isSubmitted = Gate()
        let long = Steps(count: 2) { index in
          order.add("step \(index)")
          if index == 0 { isSubmitted.wait() }
        }
        try scheduler.submit(long, qos: .default)
        #expect(order.wait(count: 1) == ["step 0"])
        try scheduler.submit(.default) { order.add("later") }
        try scheduler.submit(.userInitiated) { order.add("high") }
        isSubmitted.open()
        #expect(order.wait(count: 4) == ["step 0", "high", "step 1", "later"])
      }
    }

    @Test func whatWasPutAsideGoesOnAtAnyWorker() throws {
      try withScheduler(workers: 2) { scheduler in
        let isSubmitted = Gate()
        let release = Gate()
        let workers = Log<Int>()
        let highWorker = Log<Int>()
        let long = Steps(count: 2) { index in
          workers.add(Worker.current!.index)
          if index == 0 { isSubmitted.wait() }
        }
        // Two workers busy; the one of the long item gets the high one and keeps it, the other then takes over.
        let otherGate = Gate()
        let otherBegan = Gate()
        try scheduler.submit(.default) {
          otherBegan.open()
          otherGate.wait()
        }
        #expect(otherBegan.wait())
        try scheduler.submit(long, qos: .default)
        #expect(workers.wait(count: 1).count == 1)
        try scheduler.submit(.userInteractive) {
          highWorker.add(Worker.current!.index)
          release.wait()
        }
        isSubmitted.open()
        #expect(highWorker.wait(count: 1) == [workers.all[0]])
        otherGate.open()
        let both = workers.wait(count: 2)
        #expect(both.count == 2 && both[0] != both[1])
        release.open()
      }
    }

    @Test func noTwoStepsOfOneItemRunAtATime() throws {
      try withScheduler(workers: 4) { scheduler in
        let inside = Counter()
        let most = Counter()
        let long = Steps(count: 500) { _ in
          most.raise(to: inside.add(1))
          inside.add(-1)
        }
        let item = try scheduler.submit(long, qos: .default)
        for _ in 0..<500 { try scheduler.submit(.userInitiated) {} }
        #expect(scheduler.waits(for: item))
        #expect(most.value == 1)
        #expect(long.stepsDone == 500)
      }
    }

    @Test func lowClassesWaitWhileTheForegroundIsBusy() throws {
      try withScheduler(workers: 1) { scheduler in
        let stop = Gate()
        let started = Gate()
        let low = Gate()
        try scheduler.submit(.default) {
          started.open()
          stop.wait()
        }
        #expect(started.wait())
        // Undivided: it may run when it is owed a turn, but not at once.
        try scheduler.submit(.utility) { low.open() }
        pause(0.01)
        #expect(!low.isOpen)
        stop.open()
        #expect(low.wait())
      }
    }

    @Test(arguments: [1, 2, 3])
    func lowClassesUseWhatTheForegroundLeaves(busy: Int) throws {
      try withScheduler(workers: 4) { scheduler in
        let stop = Gate()
        let begun = Log<Int>()
        for index in 0..<busy {
          try scheduler.submit(.default) {
            begun.add(index)
            stop.wait()
          }
        }
        #expect(begun.wait(count: busy).count == busy)
        let inside = Counter()
        let most = Counter()
        let items = try (0..<20).map { _ in
          try scheduler.submit(
            Steps(count: 5) { _ in
              most.raise(to: inside.add(1))
              spin(milliseconds: 0.05)
              inside.add(-1)
            }, qos: .utility)
        }
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
        // One more, for a step that a class is owed.
        #expect(most.value <= 4 - busy + 1)
        stop.open()
      }
    }

    @Test func neverMoreComputeThanThereAreWorkers() throws {
      try withScheduler(workers: 3) { scheduler in
        let inside = Counter()
        let most = Counter()
        let items = try (0..<300).map { index in
          try scheduler.submit(QualityOfService.allCases[2 + index % 3]) {
            most.raise(to: inside.add(1))
            inside.add(-1)
          }
        }
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
        #expect(most.value <= 3)
      }
    }

    @Test func namesReadBack() throws {
      for qos in QualityOfService.allCases { #expect(QualityOfService(name: qos.name) == qos) }
      #expect(QualityOfService(name: "urgent") == nil)
      #expect(QualityOfService.background < .utility)
      #expect(QualityOfService.userInitiated < .userInteractive)
    }
  }
}
