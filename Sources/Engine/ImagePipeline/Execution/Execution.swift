import Scheduling

/// Carries out plans: submits their units to the scheduler as tasks, and lets the script's thread wait for jobs. It
/// knows neither the script nor the command line; others learn about its work from `RunEvent`s.
///
/// Only the script's thread uses it.
final class Execution {
  let progress: RunProgress
  private let scheduler: Scheduler
  private let kept: ResultCache
  /// All jobs that were started, in the script's order.
  private(set) var jobs: [Job] = []

  /// - Parameter kept: the cache for pictures that later plans may need again.
  init(_ progress: RunProgress, kept: ResultCache) {
    self.progress = progress
    self.kept = kept
    scheduler = progress.scheduler
  }

  // MARK: - Starting

  /// Returns the tasks of units, in their order. Units that only copy small files are joined. If there are fewer units
  /// than workers, all workers share each picture.
  func tasks(of units: [PlanUnit], _ plan: Plan) -> [PictureTask] {
    let workers = scheduler.configuration.workers
    let shared = PictureTask.Shared(kept: plan.isLast ? nil : kept, run: progress, scheduler: scheduler)
    let parallelism = units.count < workers ? workers : 1
    return PlanUnit.joined(units, workers: workers).map {
      PictureTask($0, plan.facts, parallelism: parallelism, shared)
    }
  }

  /// Registers jobs as started. A job stays open until all its outputs are settled.
  func open(_ jobs: [Job], pictures count: Int) {
    self.jobs += jobs
    progress.state.withLock { $0.openJobs += jobs.count }
    for job in jobs {
      job.state.withLock { $0.isStarted = true }
      for earlier in job.after { earlier.state.withLock { $0.hasFollowers = true } }
    }
    progress.observer(.started(pictures: count))
  }

  func start(_ tasks: [PictureTask], documents: [any Document], of jobs: [Job]) {
    for document in documents { document.start(progress) }
    do throws(SchedulingError) {
      for task in tasks { try submit(task) }
    } catch {
      preconditionFailure("a run outlived its scheduler")
    }
    for job in jobs { progress.finishIfDone(job) }
  }

  private func submit(_ task: PictureTask) throws(SchedulingError) {
    var dependencies: [WorkItem.Dependency] = []
    for frame in task.sharedFrames { dependencies.append(.end(of: try frame.item(scheduler, qos: task.qos))) }
    for job in task.unit.after { dependencies.append(.success(of: try gate(of: job))) }
    let item = try scheduler.submit(task, qos: task.qos, byteCount: task.byteCount, after: dependencies)
    for job in task.unit.jobs { job.add(item) }
  }

  /// Returns the work item that ends when the job does.
  private func gate(of job: Job) throws(SchedulingError) -> WorkItem {
    if let known = job.state.withLock({ $0.gate }) { return known }
    let items = job.state.withLock { $0.items }
    let place = job.position.map { " of \($0.file):\($0.line)" } ?? " before it"
    let gate = try scheduler.submitGate("the job" + place, for: items)
    job.state.withLock { $0.gate = gate }
    if job.isFinished { progress.openGate(of: job) }
    return gate
  }

  // MARK: - Waiting

  /// Waits until more than `known` of the jobs have ended. Meanwhile, their work has a higher priority. Returns at once
  /// if more have already ended, or if all have. Must not be called for jobs of a dry run, which never end.
  ///
  /// - Parameters:
  ///   - known: the number of jobs that had ended when the caller last looked.
  ///   - onFinished: called on this thread, once for each job of the run that has finished when this returns, not only
  ///     for `jobs`.
  func wait(
    forNextOf jobs: [Job], known: Int = 0, onFinished: (Job) throws -> Void
  ) throws {
    try drainReady(onFinished)
    let open = jobs.filter { !$0.isFinished }
    if !open.isEmpty, jobs.count - open.count <= known {
      let boost = scheduler.raise(open.flatMap(\.waitedFor), to: .userInitiated)
      defer { boost.end() }
      while jobs.count(where: \.isFinished) <= known { try drain(onFinished) }
    }
    try drainReady(onFinished)
  }

  /// Waits for all jobs.
  ///
  /// - Parameter onFinished: called on this thread for every job that finishes.
  func waitForAll(onFinished: (Job) throws -> Void) throws {
    while progress.state.withLock({ $0.openJobs > 0 }) { try drain(onFinished) }
    try drainReady(onFinished)
  }

  func waitForAll() { progress.state.wait { state in state.openJobs == 0 ? () : nil } }

  private func drain(_ onFinished: (Job) throws -> Void) throws {
    let jobs = progress.state.wait { state -> [Job]? in
      if state.finishedJobs.isEmpty && state.openJobs > 0 { return nil }
      defer { state.finishedJobs = [] }
      return state.finishedJobs
    }
    try tell(jobs, onFinished)
  }

  /// Calls `onFinished` for jobs. If it throws for a job, this job and those after it are kept for the next call.
  private func tell(_ jobs: [Job], _ onFinished: (Job) throws -> Void) throws {
    for index in jobs.indices {
      do {
        try onFinished(jobs[index])
      } catch {
        progress.state.withLock { $0.finishedJobs = jobs[index...] + $0.finishedJobs }
        throw error
      }
    }
  }

  private func drainReady(_ onFinished: (Job) throws -> Void) throws {
    let jobs = progress.state.withLock { state in
      defer { state.finishedJobs = [] }
      return state.finishedJobs
    }
    try tell(jobs, onFinished)
  }
}
