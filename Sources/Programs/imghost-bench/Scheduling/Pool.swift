import Dispatch
import Platform
import Scheduling

/// A pool that runs jobs of several steps on all processors.
protocol Pool: Sendable {
  /// Queues a job. `step` is called `steps` times, one after the other, then `done`.
  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void,
    done: @escaping @Sendable () -> Void)
  func end()
}

/// The scheduler of imghost.
struct OurPool: Pool {
  private let scheduler: Scheduler

  init(workers: Int) {
    scheduler = Scheduler(.init(workers: workers, memoryBudget: 1 << 40))
    scheduler.activate()
  }

  private final class Steps: Scheduling.Work {
    private let body: @Sendable () -> Void
    private let done: @Sendable () -> Void
    // Only used by the worker that runs the job.
    private nonisolated(unsafe) var left: Int

    init(_ steps: Int, _ body: @escaping @Sendable () -> Void, _ done: @escaping @Sendable () -> Void) {
      left = steps
      self.body = body
      self.done = done
    }

    var name: String { "load" }

    func step() -> WorkStep {
      body()
      left -= 1
      if left > 0 { return .more }
      done()
      return .finished
    }
  }

  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void
  ) {
    // Refused only after the pool has ended.
    _ = try? scheduler.submit(Steps(steps, step, done), qos: qos)
  }

  func end() { scheduler.invalidate() }
}

/// `DispatchQueue.global(qos:)`. A job queues itself again after each step, so that others can go first.
struct DispatchPool: Pool {
  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void
  ) {
    let queue = DispatchQueue.global(qos: Self.classes[qos.rawValue])
    queue.async {
      step()
      if steps > 1 { submit(qos, steps: steps - 1, step, done: done) } else { done() }
    }
  }

  private static let classes: [DispatchQoS.QoSClass] = [
    .background, .utility, .default, .userInitiated, .userInteractive,
  ]

  func end() {}
}

/// A queue, first in first out, with a thread for each processor.
final class FIFOPool: Pool {
  private struct Job: Sendable {
    let steps: Int
    let step: @Sendable () -> Void
    let done: @Sendable () -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var head = 0
    var isEnding = false
  }

  private let state = Monitor(State())
  /// Whether a job goes to the end of the queue after each step.
  private let takesTurns: Bool

  init(workers: Int, takesTurns: Bool) {
    self.takesTurns = takesTurns
    for _ in 0..<workers { startThread { self.work() } }
  }

  func submit(
    _ qos: QualityOfService, steps: Int, _ step: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void
  ) {
    state.withLock { $0.jobs.append(Job(steps: steps, step: step, done: done)) }
    state.notifyAll()
  }

  func end() {
    state.withLock { $0.isEnding = true }
    state.notifyAll()
  }

  private func work() {
    while let job = next() {
      if takesTurns {
        job.step()
        if job.steps > 1 {
          submit(.default, steps: job.steps - 1, job.step, done: job.done)
        } else {
          job.done()
        }
      } else {
        for _ in 0..<job.steps { job.step() }
        job.done()
      }
    }
  }

  private func next() -> Job? {
    state.wait { state -> Job?? in
      if state.isEnding { return .some(nil) }
      guard state.head < state.jobs.count else { return nil }
      let job = state.jobs[state.head]
      state.head += 1
      if state.head > 1000, state.head * 2 > state.jobs.count {
        state.jobs.removeFirst(state.head)
        state.head = 0
      }
      return .some(job)
    }
  }
}
