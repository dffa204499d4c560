import ImageCore
import Scheduling
import Synchronization

/// Settles the outputs that other programs make: a shard continues without them, and a merge takes the results of the
/// shards.
///
/// A run has one object of this class. Only the script's thread uses it.
final class ElsewhereWork {
  private let part: RunPart
  private let progress: RunProgress
  /// The totals of outputs, made by shards or earlier runs, that no job of this run has requested.
  private(set) var totals = Run.Totals()
  /// Whether the events and losses of the shards have been reported.
  private var hasReplayed = false

  init(_ progress: RunProgress) {
    self.progress = progress
    part = progress.options.part
  }

  /// Settles the units of a plan that are not made here.
  ///
  /// - Returns: the documents that have to be started in this run.
  func settle(_ left: [PlanUnit], of plan: Plan) -> [any Document] {
    guard let shards = part.finished else {
      for unit in left { unit.leave(progress) }
      return plan.documents
    }
    merge(left, of: plan, shards)
    return []
  }

  private func merge(_ left: [PlanUnit], of plan: Plan, _ shards: any FinishedShards) {
    replay(shards)
    let files = Dictionary(grouping: left.flatMap(\.files)) { ObjectIdentifier($0.job) }
    let pages = Dictionary(grouping: left.flatMap(\.allEntries)) { ObjectIdentifier($0.document) }
    let ofJob = Dictionary(grouping: plan.documents) { ObjectIdentifier($0.job) }
    // Each job comes after the jobs that it waits for.
    for job in plan.jobs {
      cancelIfOutdone(job)
      for file in files[ObjectIdentifier(job)] ?? [] {
        progress.settle(file.job, file.index, by: shards)
      }
      for document in ofJob[ObjectIdentifier(job)] ?? [] {
        let own = (pages[ObjectIdentifier(document)] ?? []).sorted { $0.index < $1.index }
        document.merge(own, shards, progress)
      }
    }
    for unit in left { for _ in 0..<unit.pictureCount { progress.observer(.pictureDone) } }
  }

  /// Reports the events and losses of the shards, once.
  func replay(_ shards: any FinishedShards) {
    guard !hasReplayed else { return }
    hasReplayed = true
    for event in shards.events { progress.replay(event) }
    for loss in shards.losses {
      let files = loss.files.isEmpty ? [""] : loss.files
      for file in files { progress.add(OperationNote(operation: loss.subject, text: loss.text), of: file) }
    }
  }

  /// Reports and counts an output that an earlier run has made, and that no job of this run has requested.
  func keep(_ path: String, byteCount: Int) {
    totals.kept += 1
    progress.observer(.kept(path: path, byteCount: byteCount))
  }

  /// Waits for the jobs that must end before this one, and cancels it if one of them has failed.
  private func cancelIfOutdone(_ job: Job) {
    for earlier in job.after {
      progress.state.wait { _ in earlier.isFinished ? () : nil }
      guard !earlier.result.isSuccess else { continue }
      let place = earlier.position.map { " of \($0.file):\($0.line)" } ?? " before it"
      job.cancellation.mark(CancellationReason("the job\(place) has failed"))
      job.state.withLock { $0.isCancelledEarly = true }
    }
  }

  /// Reports and counts the files that shards have made.
  ///
  /// - Parameter documents: the keys of documents that shards have made in parts. Their failures are not counted.
  func countFiles(of shards: any FinishedShards, but documents: Set<String>) {
    // If no shard could start an output, each of them has recorded the failure.
    var failed: Set<String> = []
    shards.eachOutput { key, output in
      switch output {
      case .written(let byteCount, let path, isKept: true):
        totals.kept += 1
        progress.observer(.kept(path: path, byteCount: byteCount))
      case .written(let byteCount, let path, isKept: false):
        totals.written += 1
        totals.byteCount.addClamping(byteCount)
        progress.observer(.wrote(path: path, byteCount: byteCount, layout: nil))
      case .failed(let diagnostic):
        guard !documents.contains(key), failed.insert(key).inserted else { return }
        totals.failed += 1
        progress.fail(diagnostic)
      case .cancelled: totals.cancelled += 1
      }
    }
  }
}

extension PlanUnit {
  func leave(_ run: RunProgress) {
    for file in files { run.leave(file.job, file.index) }
    for page in allEntries { page.document.leave(page, run) }
  }
}

extension RunProgress {
  fileprivate func replay(_ event: RunEvent) {
    if case .failed(let diagnostic) = event { fail(diagnostic) } else { observer(event) }
  }
}

/// Passes each note on only once: shards have recorded the notes of checking, and `merge` checks again.
final class NoteFilter: Sendable {
  private let observer: @Sendable (RunEvent) -> Void
  private let told = Mutex<Set<Diagnostic>>([])

  init(_ observer: @escaping @Sendable (RunEvent) -> Void) { self.observer = observer }

  @Sendable func observe(_ event: RunEvent) {
    if case .note(let diagnostic) = event, !told.withLock({ $0.insert(diagnostic).inserted }) { return }
    observer(event)
  }
}
