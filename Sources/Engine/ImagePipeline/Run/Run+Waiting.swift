import Scheduling

/// The script's thread and the jobs it waits for.
extension Run {
  /// Waits until more of the jobs are over than the caller knows of, raising their work meanwhile to the class
  /// of somebody who waits. Returns at once where that is so or all are over. Not for jobs that a dry run only
  /// plans: they never are.
  ///
  /// - Parameters:
  ///   - known: jobs that were over when the caller looked. One that ends between that and this call would not
  ///     be seen by comparing states here.
  ///   - onFinished: called on this thread for every job that finishes meanwhile, and for all that are over
  ///     when this returns.
  public func wait(
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
  public func cancel(_ job: Job, _ reason: CancellationReason) { job.cancel(reason, on: scheduler) }

  /// Starts what is left and waits for everything.
  ///
  /// - Parameters:
  ///   - onChecked: called on this thread when all that the script asked for has been checked, before it is
  ///     started; not where there are mistakes.
  ///   - onFinished: called on this thread for every job that finishes.
  public func finish(onChecked: () -> Void = {}, onFinished: (Job) throws -> Void) throws {
    try settle(isLast: true, onChecked: onChecked)
    if isForgetful { sharedFrames = [:] }
    results.close()
    while progress.state.withLock({ $0.openJobs > 0 }) { try drain(onFinished) }
    try drainReady(onFinished)
    // A callback may have asked for more.
    if !pending.isEmpty { try finish(onFinished: onFinished) }
  }

  /// Forgets what only a script that goes on could ask for again: the pictures that are handed over and what
  /// is known of their files. What has been started keeps what it needs, until it is done.
  public func forget(_ pictures: inout [Picture]) {
    // A chain of thousands is released in order, by whoever made it: see `ScriptSession`.
    guard pictures.allSatisfy({ $0.depth <= 200 }) else { return }
    pictures = []
    files = [:]
    folders = SplitPath.Folders()
    taken.forgetSources()
    claimedPaths = [:]
    knownCalls = [:]
    isForgetful = true
  }

  /// Waits for every job that runs, without starting more or telling anybody: the end of a failed run.
  public func abandon() {
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

  /// A callback that fails keeps the others for the next time.
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
  public var failures: [Diagnostic] { progress.state.withLock { $0.failures.all } }
  /// Books that were written but did not verify.
  public var unverified: [Diagnostic] { progress.state.withLock { $0.unverified } }

  /// Every job that was started, in the order the script asked for them.
  public var jobs: [Job] { startedJobs }

  /// What became of the outputs of all jobs that were started.
  public struct Totals: Sendable {
    /// Files that are there, a book that lacks pages included.
    public var written = 0
    public var byteCount = 0
    public var failed = 0
    public var cancelled = 0

    public init() {}
  }

  /// Counted when everything has ended.
  public var totals: Totals {
    var totals = Totals()
    for output in startedJobs.flatMap(\.result.outputs) {
      if let byteCount = output.byteCount {
        totals.written += 1
        totals.byteCount += byteCount
      } else if output.failure != nil {
        totals.failed += 1
      } else {
        totals.cancelled += 1
      }
    }
    return totals
  }
}
