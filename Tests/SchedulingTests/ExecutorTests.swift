import Synchronization
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Swift's tasks on the scheduler's workers.
  @Suite struct ExecutorTests {
    @Test func tasksRunOnWorkersOfTheirClass() async {
      let scheduler = Scheduler(.init(workers: 2, memoryBudget: 1))
      scheduler.activate()
      let executor = scheduler.executor(.userInitiated)
      let sum = await withTaskGroup(of: Int.self, returning: Int.self) { group in
        for index in 1...100 {
          group.addTask(executorPreference: executor) {
            Scheduler.isOnWorker && Worker.current?.item?.qos == .userInitiated ? index : 0
          }
        }
        return await group.reduce(0, +)
      }
      #expect(sum == 5050)
      scheduler.invalidate()
    }

    @Test func anAwaitedItemIsRaisedAndHoldsNoThread() async throws {
      let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1))
      scheduler.activate()
      let gate = try scheduler.submitGate("gate", for: [])
      let item = try scheduler.submit(.background, after: [.end(of: gate)]) {}
      let task = Task(executorPreference: scheduler.executor(.default)) {
        await scheduler.end(of: item, as: .userInteractive)
      }
      while item.qos != .userInteractive { await Task.yield() }
      // The only worker is free: something else runs on it.
      let other = try scheduler.submit(.default) {}
      #expect(await scheduler.end(of: other, as: .default) == .finished)
      scheduler.complete(gate, .finished)
      #expect(await task.value == .finished)
      scheduler.invalidate()
    }

    @Test func aTaskOnAFailedItemSeesItsState() async throws {
      let scheduler = Scheduler(.init(workers: 1, memoryBudget: 1))
      scheduler.activate()
      let item = try scheduler.submitStep(.default) { .failed }
      #expect(await scheduler.end(of: item, as: .default) == .failed)
      scheduler.invalidate()
    }
  }
}
