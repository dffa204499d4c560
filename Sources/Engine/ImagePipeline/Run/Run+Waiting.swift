import Scheduling

/// The script's thread and the jobs it waits for.
extension Run {
  /// Waits until more of the jobs are over than the caller knows of, and raises their work meanwhile. Returns at once if
  /// that is so or all are over. Not for jobs that a dry run only plans: they never end.
  ///
  /// - Parameters:
  ///   - known: the number of jobs that were over when the caller looked. A job may end before this call.
  ///   - onFinished: called on this thread for every job that has finished when this returns.
  package func wait(
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

  /// Stops a job soon; what it has written stays.
  package func cancel(_ job: Job, _ reason: CancellationReason) { job.cancel(reason, on: scheduler) }

  /// Starts what is left and waits for everything.
  ///
  /// - Parameters:
  ///   - onChecked: called on this thread between checking and starting, unless there are mistakes.
  ///   - onFinished: called on this thread for every job that finishes.
  package func finish(onChecked: () -> Void = {}, onFinished: (Job) throws -> Void) throws {
    try settle(isLast: true, onChecked: onChecked)
    if isForgetful { sharedFrames = [:] }
    results.close()
    while progress.state.withLock({ $0.openJobs > 0 }) { try drain(onFinished) }
    try drainReady(onFinished)
    // A callback may have asked for more.
    if !pending.isEmpty { return try finish(onFinished: onFinished) }
    progress.tellLosses()
  }

  /// Forgets pictures and the facts about their files, which only a script that goes on could ask for again. Work that
  /// was started keeps what it needs.
  package func forget(_ pictures: inout [Picture]) {
    // `ScriptSession` releases a chain of thousands in order.
    guard pictures.allSatisfy({ $0.depth <= 200 }) else { return }
    pictures = []
    files = [:]
    folders = InternedPath.Folders()
    taken.forgetSources()
    claimedPaths = [:]
    knownCalls = [:]
    isForgetful = true
  }

  /// Waits for every running job of a failed run, without starting more or reporting anything.
  package func abandon() {
    cancellation.cancel(CancellationReason("the script failed"))
    progress.state.wait { state in state.openJobs == 0 ? () : nil }
  }

  private func drain(_ onFinished: (Job) throws -> Void) throws {
    let jobs = progress.state.wait { state -> [Job]? in
      if state.finishedJobs.isEmpty && state.openJobs > 0 { return nil }
      defer { state.finishedJobs = [] }
      return state.finishedJobs
    }
    try tell(jobs, onFinished)
  }

  /// Calls `onFinished` for jobs. If it fails, the others are kept for the next time.
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

  /// Failures of outputs, in the order they happened.
  package var failures: [Diagnostic] { progress.state.withLock { $0.failures.all } }
  /// Books that were written but did not verify.
  package var unverified: [Diagnostic] { progress.state.withLock { $0.unverified } }

  /// Every job that was started, in the order the script asked for them.
  package var jobs: [Job] { startedJobs }

  /// The results of all outputs.
  package struct Totals: Sendable {
    /// Files that were written, including books that lack pages.
    package var written = 0
    package var byteCount = 0
    package var failed = 0
    package var cancelled = 0

    package init() {}
  }

  /// Counted when everything has ended.
  package var totals: Totals {
    var totals = elsewhere
    for output in startedJobs.flatMap(\.result.outputs) {
      if let byteCount = output.byteCount {
        totals.written += 1
        totals.byteCount.addClamping(byteCount)
      } else if output.failure != nil {
        totals.failed += 1
      } else if !output.isElsewhere {
        totals.cancelled += 1
      }
    }
    return totals
  }
}
