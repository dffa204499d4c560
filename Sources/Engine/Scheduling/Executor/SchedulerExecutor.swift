/// Runs Swift's own tasks as items of one class: `Task(executorPreference: scheduler.executor(.utility))`.
///
/// For structured concurrency around jobs: groups of tasks that live no longer than their scope. Each
/// resumption is an item, so it is for jobs, not for strips. A task that awaits something holds no worker.
///
/// Tasks must have ended before the scheduler is invalidated: Swift has no way to refuse one, so running one
/// later is a bug and stops the program.
public final class SchedulerExecutor: TaskExecutor {
  private let scheduler: Scheduler
  private let qos: QualityOfService

  init(_ scheduler: Scheduler, _ qos: QualityOfService) {
    self.scheduler = scheduler
    self.qos = qos
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    do throws(SchedulingError) {
      try scheduler.submit(qos, name: "task") { job.runSynchronously(on: executor) }
    } catch {
      preconditionFailure("a task outlived the scheduler it ran on")
    }
  }
}

extension Scheduler {
  /// An executor that runs tasks in a class. As long as tasks use it, somebody must hold it.
  public func executor(_ qos: QualityOfService) -> SchedulerExecutor {
    SchedulerExecutor(self, qos)
  }

  /// Waits, without holding a thread, until an item is over; raises it to a class meanwhile.
  ///
  /// - Returns: How it ended.
  public func end(of item: WorkItem, as qos: QualityOfService) async -> WorkItem.State {
    let boost = raise([item], to: qos)
    defer { boost.end() }
    return await withCheckedContinuation { continuation in
      observe(item) { continuation.resume(returning: $0) }
    }
  }
}
