/// An executor that runs Swift's tasks as items of one class: `Task(executorPreference: scheduler.executor(.utility))`.
///
/// Intended for structured concurrency around jobs: groups of tasks that live no longer than their scope. Each
/// resumption is an item, so a task should take much longer than the overhead of an item. A task that awaits something
/// does not occupy a worker.
///
/// Tasks must end before the scheduler is invalidated. Swift cannot reject a task, so starting or resuming a task later
/// is a bug and stops the program.
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
  /// Makes an executor that runs tasks in a class. The executor must be kept while tasks use it.
  public func executor(_ qos: QualityOfService) -> SchedulerExecutor { SchedulerExecutor(self, qos) }

  /// Waits until an item has ended, without blocking a thread, and raises the item during the wait.
  ///
  /// - Returns: its final state.
  public func end(of item: WorkItem, as qos: QualityOfService) async -> WorkItem.State {
    let boost = raise([item], to: qos)
    defer { boost.end() }
    return await withCheckedContinuation { continuation in
      observe(item) { continuation.resume(returning: $0) }
    }
  }
}
