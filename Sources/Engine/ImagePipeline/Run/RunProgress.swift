import ImageCore
import Platform
import Scheduling

/// Counts a run's outputs from any thread, and informs the observer and the script's thread.
package final class RunProgress: Sendable {
  struct State {
    var finishedJobs: [Job] = []
    var openJobs = 0
    var failures = DiagnosticLog()
    var unverified: [Diagnostic] = []
    /// The files that the run's pictures are made from. The run keeps them until the script has ended, so an address
    /// means one file only.
    var origins: Set<ObjectIdentifier> = []
    /// Files that are also part of pictures made from others, such as a watermark.
    var takenIn: Set<String> = []
    var losses = LossLog<MetadataLoss>()
    var operationNotes = LossLog<OperationNote>()
  }

  package let environment: Environment
  package let options: RunOptions
  package let scheduler: Scheduler
  package let cancellation: CancellationToken
  package let observer: @Sendable (RunEvent) -> Void
  let state = Monitor(State())
  package let files: RunFiles

  init(
    files: RunFiles = RunFiles(),
    environment: Environment, options: RunOptions, scheduler: Scheduler,
    cancellation: CancellationToken, observer: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.environment = environment
    self.options = options
    self.scheduler = scheduler
    self.cancellation = cancellation
    self.observer = observer
    self.files = files
  }

  package var recorder: TraceRecorder? { scheduler.configuration.recorder }

  /// Settles one output of a job. `failure` nil and no bytes means cancelled.
  ///
  /// - Parameter path: its final path.
  package func outputEnded(
    _ job: Job, _ index: Int, byteCount: Int?, failure: Diagnostic?, path: String, layout: PictureLayout? = nil,
    quality: Int? = nil
  ) {
    if let byteCount { observer(.wrote(path: path, byteCount: byteCount, layout: layout, quality: quality)) }
    if let failure { fail(failure) }
    let reason = job.cancellation.reason ?? .requested
    let isCancelled = byteCount == nil && failure == nil
    if failure != nil { recorder?.mark(.failed, path) }
    if isCancelled {
      recorder?.mark(.cancelled, "\(path), because \(reason)")
      observer(.cancelled(path: path, reason))
    }
    job.state.withLock { state in
      state.result.outputs[index].byteCount = byteCount
      state.result.outputs[index].rename(path)
      state.result.outputs[index].failure = failure
      if isCancelled {
        state.result.isCancelled = true
        state.result.reason = reason
      }
      state.remaining -= 1
    }
    finishIfDone(job)
  }

  /// Reports a failure once, and stops the run where that is what failures do.
  package func fail(_ diagnostic: Diagnostic) {
    let isNew = state.withLock { $0.failures.add(diagnostic) }
    guard isNew else { return }
    observer(.failed(diagnostic))
    if options.onError == .stop {
      let culprit = diagnostic.file ?? diagnostic.subject ?? "another output"
      cancellation.cancel(CancellationReason("'\(printable(culprit))' failed"))
    }
  }

  /// Returns the number of pictures, counted by their files, that a failing step of this one does not affect. Nil if
  /// there are none, if others may contain what failed, or if jobs come after this one.
  ///
  /// - Parameter path: the file at the start of the chain that failed.
  func others(than picture: Picture, of job: Job, failingFrom path: String) -> Int? {
    guard picture.origin?.path == path, !job.state.withLock({ $0.hasFollowers }) else { return nil }
    return state.withLock { state in
      guard state.origins.count > 1, !state.takenIn.contains(path) else { return nil }
      return state.origins.count - 1
    }
  }

  /// Ends the job once none of its outputs remain, and informs the script's thread.
  func finishIfDone(_ job: Job) {
    let isDone = state.withLock { state in
      let isDone = job.state.withLock { state in
        guard state.isStarted, state.remaining == 0, !state.isFinished else { return false }
        state.isFinished = true
        state.after = []
        return true
      }
      // Under both locks, so that a finished job is among the finished ones.
      if isDone {
        state.finishedJobs.append(job)
        state.openJobs -= 1
      }
      return isDone
    }
    guard isDone else { return }
    state.notifyAll()
    openGate(of: job)
  }

  /// Starts jobs that come after this one, or cancels them.
  private func openGate(of job: Job) {
    let (gate, result) = job.state.withLock { ($0.gate, $0.result) }
    guard let gate else { return }
    scheduler.complete(gate, result.isSuccess ? .finished : result.isCancelled ? .cancelled : .failed)
  }

  /// Reports a document that was written but did not verify.
  package func unverified(_ diagnostic: Diagnostic) {
    state.withLock { $0.unverified.append(diagnostic) }
    observer(.failed(diagnostic))
  }
}
