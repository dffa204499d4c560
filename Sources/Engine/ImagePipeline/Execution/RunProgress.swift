import ImageCore
import Platform
import Scheduling

/// Counts a run's outputs, from any thread, and notifies the observer and the script's thread.
package final class RunProgress: Sendable {
  struct State {
    var finishedJobs: [Job] = []
    var openJobs = 0
    var failures = DiagnosticLog()
    var unverified: [Diagnostic] = []
    /// The identities of the run's source files (`PictureFile`). The run keeps these files until the script has ended,
    /// so that no other object can have the same address.
    var origins: Set<ObjectIdentifier> = []
    /// The paths of files that are also used inside pictures made from other files, such as the file of a watermark.
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

  /// Settles one output of a job. An output with neither bytes nor a failure was cancelled.
  ///
  /// - Parameter path: the final path of the output.
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

  /// Settles an output that could not be made, and reports the failure unless the output was cancelled.
  func outputFailed(
    _ job: Job, _ index: Int, _ error: PictureError, at node: PlanNode?, of picture: Picture, path: String
  ) {
    let output = FailedOutput(
      path: path, picture: picture, job: job, consequence: "'\(printable(path))' is not written")
    outputEnded(job, index, byteCount: nil, failure: Diagnostic(error, at: node, of: output, self), path: path)
  }

  /// Reports a failure, unless it was already reported, and stops the run if `onError` is `.stop` and the failure is
  /// not a refusal.
  package func fail(_ diagnostic: Diagnostic) {
    let isNew = state.withLock { $0.failures.add(diagnostic) }
    guard isNew else { return }
    observer(.failed(diagnostic))
    if options.onError == .stop, !diagnostic.isRefusal {
      let culprit = diagnostic.file ?? diagnostic.subject ?? "another output"
      cancellation.cancel(CancellationReason("'\(printable(culprit))' failed"))
    }
  }

  /// Returns the number of source files other than this picture's. A failed step of this picture does not affect their
  /// pictures. Nil if there are none, if the failed chain does not start with this picture's file, if other pictures
  /// may contain that file, or if other jobs wait for `job`.
  ///
  /// - Parameter path: the file at the start of the chain that failed.
  func others(than picture: Picture, of job: Job, failingFrom path: String) -> Int? {
    guard picture.origin?.path == path, !job.state.withLock({ $0.hasFollowers }) else { return nil }
    return state.withLock { state in
      guard state.origins.count > 1, !state.takenIn.contains(path) else { return nil }
      return state.origins.count - 1
    }
  }

  /// Ends the job if all its outputs are settled, and notifies the script's thread.
  func finishIfDone(_ job: Job) {
    let isDone = state.withLock { state in
      let isDone = job.state.withLock { state in
        guard state.isStarted, state.remaining == 0, !state.isFinished else { return false }
        state.isFinished = true
        state.after = []
        return true
      }
      // This happens under both locks, so that every finished job is in `finishedJobs`.
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

  /// Starts the jobs that wait for this one, or cancels them.
  func openGate(of job: Job) {
    let (gate, result) = job.state.withLock { ($0.gate, $0.result) }
    guard let gate else { return }
    scheduler.complete(gate, result.isSuccess ? .finished : result.isCancelled ? .cancelled : .failed)
  }

  /// Reports a document that was written but failed verification.
  package func unverified(_ diagnostic: Diagnostic) {
    state.withLock { $0.unverified.append(diagnostic) }
    observer(.failed(diagnostic))
  }
}

// MARK: - Shards

extension RunProgress {
  /// Settles an output that another shard makes. Called before the job's work starts.
  package func leave(_ job: Job, _ index: Int) {
    job.state.withLock { state in
      state.remaining -= 1
      state.result.outputs[index].isElsewhere = true
    }
    finishIfDone(job)
  }

  /// Settles an output with the result of the shard that made it.
  package func settle(_ job: Job, _ index: Int, by shards: any FinishedShards) {
    let (path, key) = job.state.withLock { ($0.result.outputs[index].path, $0.result.outputs[index].key) }
    let result = shards.output(key)
    // The path comes from the script. Only a name with a digest comes from the manifest.
    func final(_ written: String) -> String {
      key == path ? path : InternedPath(path).renamed(InternedPath(written).name).text
    }
    if case .written(let byteCount, let written, isKept: true)? = result {
      let kept = KeptOutput(path: final(written), byteCount: byteCount, pages: 0, verification: nil)
      return settle(SettledOutput(job: job, index: index, isPack: false, verdict: .keep(kept)))
    }
    if job.state.withLock({ $0.isCancelledEarly }) {
      // A run on one machine would not have started this output, so its file is removed. A file with its digest in its
      // name stays, because it may belong to an equal output, too.
      if case .written? = result, key == path { _ = OutputRemoval.remove(path, in: options.outputFolder) }
      return outputEnded(job, index, byteCount: nil, failure: nil, path: path)
    }
    switch result {
    case .written(let byteCount, let written, _)?:
      outputEnded(job, index, byteCount: byteCount, failure: nil, path: final(written))
    case .failed(let diagnostic)?: outputEnded(job, index, byteCount: nil, failure: diagnostic, path: path)
    case .cancelled?: outputEnded(job, index, byteCount: nil, failure: nil, path: path)
    // The script cancels such an output in every shard.
    case nil where job.cancellation.isCancelled: outputEnded(job, index, byteCount: nil, failure: nil, path: path)
    case nil:
      outputEnded(
        job, index, byteCount: nil,
        failure: Diagnostic(.output, at: job.position, subject: job.kind.rawValue, file: path, message: Self.unplanned),
        path: path)
    }
  }

  /// The message about an output without a result from any shard.
  package static let unplanned =
    "no shard was to make this: a script that asks for outputs after it has seen results cannot be divided; "
    + "ask for all outputs before 'await' and 'on_done', or use 'imghost run'"
}

// MARK: - Losses

/// A collection of losses, such as metadata that outputs lack. Each kind becomes one note at the end of a run.
struct LossLog<Loss: Hashable & Sendable>: Sendable {
  /// The losses in the order in which they were added, with the affected source files.
  private(set) var entries: [(loss: Loss, files: [String])] = []
  private var places: [Loss: Int] = [:]
  private var known: Set<Entry> = []

  private struct Entry: Hashable {
    let loss: Loss
    let file: String
  }

  mutating func add(_ loss: Loss, _ file: String) {
    guard known.insert(Entry(loss: loss, file: file)).inserted else { return }
    if let place = places[loss] {
      entries[place].files.append(file)
    } else {
      places[loss] = entries.count
      entries.append((loss, [file]))
    }
  }
}

/// A note of an operation about something that it could not do for a picture.
package struct OperationNote: Hashable, Sendable {
  /// The name of the operation in scripts.
  let operation: String
  let text: String
}

extension RunProgress {
  /// Records which metadata of a picture is missing from the written file.
  package func add(_ losses: [MetadataLoss], of picture: Picture) {
    guard !losses.isEmpty else { return }
    let file = picture.origin?.path ?? "canvas"
    state.withLock { state in for loss in losses { state.losses.add(loss, file) } }
  }

  /// Adds the files of a plan that is about to be executed.
  func add(_ sources: PlanSources) {
    state.withLock { state in
      state.origins.formUnion(sources.origins)
      state.takenIn.formUnion(sources.arguments)
    }
  }

  /// Records a note of an operation about a picture.
  func add(_ note: OperationNote, of file: String) { state.withLock { $0.operationNotes.add(note, file) } }

  /// Reports each file whose header was read, but which was unreadable at another time. The script, or the layout of a
  /// document, may depend on the file's fields. A file that the failure of an output already names is left out.
  func tellUnreadable() {
    let named = Set(state.withLock { $0.failures.all }.compactMap(\.file))
    for file in files.unreadable where file.isRead && !file.isFailureTold && !named.contains(file.path) {
      guard let error = file.failure else { continue }
      fail(
        Diagnostic(
          unreadable: file.path, error, consequence: "what was made of it, or by its fields, may be wrong", at: nil))
    }
  }

  /// Reports the losses and notes so far, with one message for each kind.
  func tellLosses() {
    let (losses, notes) = state.withLock { state in
      defer { (state.losses, state.operationNotes) = (LossLog(), LossLog()) }
      return (state.losses.entries, state.operationNotes.entries)
    }
    for (loss, files) in losses.sorted(by: { $0.loss.description < $1.loss.description }) {
      tell("save", loss.description, files)
    }
    for (note, files) in notes.sorted(by: { ($0.loss.operation, $0.loss.text) < ($1.loss.operation, $1.loss.text) }) {
      tell(note.operation, note.text, files)
    }
  }

  private func tell(_ subject: String, _ text: String, _ files: [String]) {
    // A picture that is made from no file has an empty path.
    let files = files.filter { !$0.isEmpty }.sorted()
    let shown = 3
    let more = files.count > shown ? " and \(files.count - shown) more" : ""
    let note = Diagnostic(
      .output, at: nil, subject: subject,
      message: "note: \(text)" + (files.isEmpty ? "" : ": ")
        + files.prefix(shown).map { printable($0) }.joined(separator: ", ") + more)
    options.part.store?.lost(ShardLoss(subject: subject, text: text, files: files), told: note)
    observer(.note(note))
  }
}
