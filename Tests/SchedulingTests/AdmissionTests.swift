import Platform
import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Items are admitted by their predicted memory.
  @Suite struct AdmissionTests {
    @Test(arguments: [QualityOfService.default, .utility, .background])
    func admittedBytesStayWithinTheBudget(qos: QualityOfService) throws {
      try withScheduler(workers: 4, memory: 100) { scheduler in
        let state = Monitor((used: 0, largest: 0, done: 0))
        for index in 0..<200 {
          let bytes = 10 + index * 7 % 60
          try scheduler.submit(qos, byteCount: bytes) {
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
        #expect(state.wait(seconds: patience) { $0.done == 200 ? true : nil } == true)
        #expect(scheduler.peakAdmittedBytes <= 100)
        #expect(state.withLock(\.largest) <= 100)
      }
    }

    @Test(arguments: [QualityOfService.default, .utility, .background], [1000, Int.max])
    func anItemLargerThanTheBudgetRunsAlone(qos: QualityOfService, size: Int) throws {
      try withScheduler(workers: 2, memory: 100) { scheduler in
        let state = Monitor((running: 0, done: 0, withLarge: 0))
        for index in 0..<20 {
          let isLarge = index == 10
          try scheduler.submit(qos, byteCount: isLarge ? size : 30) {
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
        #expect(state.wait(seconds: patience) { $0.done == 20 ? true : nil } == true)
        #expect(state.withLock(\.withLarge) == 1)
      }
    }

    @Test func nobodyOvertakesTheHeadThatWaitsForMemory() throws {
      try withScheduler(workers: 3, memory: 100) { scheduler in
        let gate = Gate()
        let began = Gate()
        let order = Log<String>()
        try scheduler.submit(.default, byteCount: 60) {
          began.open()
          gate.wait()
        }
        #expect(began.wait())
        try scheduler.submit(.default, byteCount: 60) { order.add("head") }
        try scheduler.submit(.default, byteCount: 50) { order.add("small") }
        try scheduler.submit(.default) { order.add("later and without memory") }
        try scheduler.submit(.utility, byteCount: 10) { order.add("low") }
        let alone = try scheduler.submit(.utility) {}
        pause(0.03)
        #expect(order.all.isEmpty)
        gate.open()
        let all = order.wait(count: 4)
        #expect(all.count == 4 && all.first == "head")
        #expect(scheduler.waits(for: alone))
      }
    }

    /// An item without memory in another class goes on.
    @Test(arguments: [QualityOfService.userInitiated, .utility, .background])
    func aHeadThatWaitsForMemoryKeepsNoWorker(other: QualityOfService) throws {
      try withScheduler(workers: 2, memory: 100) { scheduler in
        let gate = Gate()
        let began = Gate()
        try scheduler.submit(.userInteractive, byteCount: 60) {
          began.open()
          gate.wait()
        }
        #expect(began.wait())
        let head = try scheduler.submit(.userInteractive, byteCount: 60) {}
        let free = Gate()
        try scheduler.submit(Endless(free, 0.1, free), qos: other)
        #expect(free.wait())
        #expect(!head.state.isOver)
        gate.open()
        #expect(scheduler.waits(for: head))
      }
    }

    /// Workers sleep while a head waits for memory, instead of looking again and again.
    @Test(arguments: [QualityOfService.default, .utility])
    func waitingForMemoryCostsNoTime(qos: QualityOfService) throws {
      let scheduler = Scheduler(.init(workers: 2, memoryBudget: 100))
      scheduler.activate()
      defer { scheduler.invalidate() }
      let gate = Gate()
      let began = Gate()
      try scheduler.submit(qos, byteCount: 60) {
        began.open()
        gate.wait()
      }
      #expect(began.wait())
      let head = try scheduler.submit(qos, byteCount: 60) {}
      pause(0.02)
      #expect(scheduler.workersSleep)
      gate.open()
      #expect(scheduler.waits(for: head))
    }

    @Test(arguments: [1, 2])
    func memoryHeldByLowItemsThatWerePutAsideComesBack(workers: Int) throws {
      try withScheduler(workers: workers, memory: 100) { scheduler in
        let holders = (0..<workers).map { _ in Gate() }
        let pace = Pace()
        let items = try holders.map { began in
          try scheduler.submit(
            Steps(count: 40) { _ in
              began.open()
              pace.step()
              spin(milliseconds: 0.5)
            }, qos: .background, byteCount: 100 / workers)
        }
        #expect(holders.allSatisfy { $0.wait() })
        let busy = try scheduler.saturate(.default)
        pace.begin(beside: busy)
        let head = try scheduler.submit(.userInteractive, byteCount: 80) {}
        #expect(eventually { head.state.isOver || items.allSatisfy { $0.qos == .userInteractive } })
        #expect(scheduler.waits(for: head))
        // At a fiftieth of the time it would be 50.
        #expect((pace.middle ?? 0) < 20, "\(pace.distances)")
        #expect(items.contains { $0.state == .finished })
        #expect(eventually { items.allSatisfy { $0.state.isOver || $0.qos == .background } })
        busy.stop.open()
        #expect(items.allSatisfy { scheduler.waits(for: $0) })
      }
    }

    @Test func aCancelledMemoryWaiterLetsOthersPass() throws {
      try withScheduler(workers: 2, memory: 100) { scheduler in
        let gate = Gate()
        let began = Gate()
        let holder = try scheduler.submit(.utility, byteCount: 60) {
          began.open()
          gate.wait()
        }
        #expect(began.wait())
        let head = try scheduler.submit(.default, byteCount: 60) {}
        let next = try scheduler.submit(.default, byteCount: 40) {}
        #expect(eventually { holder.qos == .default })
        #expect(scheduler.cancel(head))
        #expect(scheduler.waits(for: next))
        #expect(holder.qos == .utility)
        gate.open()
      }
    }

    @Test func heldBytesCount() throws {
      try withScheduler(workers: 2, memory: 100) { scheduler in
        let gate = Gate()
        let began = Gate()
        try scheduler.submit(.default, byteCount: 10) {
          began.open()
          gate.wait()
        }
        #expect(began.wait())
        scheduler.hold(70)
        let head = try scheduler.submit(.default, byteCount: 30) {}
        pause(0.02)
        #expect(head.state == .ready)
        scheduler.letGo(40)
        #expect(scheduler.waits(for: head))
        scheduler.letGo(30)
        #expect(scheduler.peakAdmittedBytes == 80)
        gate.open()
      }
    }

    @Test func whatIsHeldDoesNotStopTheOnlyItem() throws {
      try withScheduler(workers: 2, memory: 100) { scheduler in
        scheduler.hold(1000)
        let item = try scheduler.submit(.default, byteCount: 50) {}
        #expect(scheduler.waits(for: item))
        scheduler.letGo(1000)
      }
    }
  }
}
