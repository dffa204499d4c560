import ImageCore
import Scheduling

/// The work on the outputs of one unit, strip by strip. The scheduler admits the task as a whole, and a step that
/// several outputs share is done once. A task may instead copy small files into several pages of a document, see
/// `PlanUnit.joined`.
final class PictureTask: Sendable {
  /// The objects that all tasks of a plan share.
  final class Shared: Sendable {
    /// The cache of pictures that the script may request again; nil if the script has ended.
    let kept: ResultCache?
    let run: RunProgress
    let scheduler: Scheduler

    init(kept: ResultCache?, run: RunProgress, scheduler: Scheduler) {
      self.kept = kept
      self.run = run
      self.scheduler = scheduler
    }
  }

  let unit: PlanUnit
  private let facts: PlanFacts
  let shared: Shared
  /// The number of workers that may share a strip.
  let parallelism: Int
  let qos: QualityOfService
  private let needs: UnitNeeds
  /// The predicted memory in bytes while the task runs.
  var byteCount: Int { needs.byteCount }
  var depth: Int { needs.depth }
  var sharedFrames: [SharedFrame] { needs.sharedFrames }
  /// The state of the work after the first step has begun. Steps never run at the same time, and each sees the writes
  /// of the previous one, see `Work`.
  private nonisolated(unsafe) var flow: TaskExecution?
  private var run: RunProgress { shared.run }

  init(_ unit: PlanUnit, _ facts: PlanFacts, parallelism: Int, _ shared: Shared) {
    self.unit = unit
    self.facts = facts
    self.shared = shared
    self.parallelism = parallelism
    qos = unit.jobs.map(\.qos).max() ?? .default
    needs = unit.needs(facts, parallelism: parallelism)
  }

  /// Returns a task for a page that was to be copied but has to be encoded.
  func encoding(_ entry: DocumentEntry) -> PictureTask {
    PictureTask(PlanUnit(encoding: entry), facts, parallelism: parallelism, shared)
  }

  /// Returns the plan of the rows. It is only made when needed, because the plans of thousands of waiting pictures
  /// would take much memory.
  func plan() -> RowPlan {
    var plan = unit.rowPlan(facts)
    if needs.isBroken { plan.breaks = plan.memory(parallelism: parallelism, budget: facts.memoryBudget).nodes.breaks }
    return plan
  }

  func outputs(_ files: [FileOutput], _ pages: [DocumentEntry]) -> [any TaskOutput] {
    files.map { FileWriter($0, run) } + pages.map { $0.document.makeOutput($0, run) }
  }

  /// Fails every output, except for pages that can be copied, because the task needs more memory than the limit.
  private func refuse() {
    let clause =
      "needs about \(PlanText.megabytes(byteCount)) MB of memory, and only "
      + "\(PlanText.megabytes(run.options.memoryLimit)) MB are free; make it smaller, or allow more "
      + "with --memory"
    for page in unit.copies {
      let output = page.document.makeOutput(page, run)
      if !output.deliverSource(keepsBytes: false, nil) { output.fail(.operation(.unsuitable(clause)), at: nil) }
    }
    for output in outputs(unit.files, unit.entries) { output.fail(.operation(.unsuitable(clause)), at: nil) }
    run.observer(.pictureDone)
  }
}

extension PictureTask: Work {
  /// Does the next part of the work, see `TaskExecution.step`. Refuses the work if it needs too much memory.
  func step() -> WorkStep {
    guard byteCount <= run.options.memoryLimit else {
      refuse()
      return .finished
    }
    return withStack(forDepth: depth) { () throws(Never) in
      let flow = self.flow ?? TaskExecution(self)
      self.flow = flow
      guard flow.step() else { return .more }
      self.flow = nil
      return .finished
    }
  }

  var isCancelled: Bool {
    // Must be fast, because the scheduler calls this often, under its lock.
    unit.files.allSatisfy { $0.job.cancellation.isCancelled }
      && unit.entries.allSatisfy { $0.job.cancellation.isCancelled }
      && unit.copies.allSatisfy { $0.job.cancellation.isCancelled }
  }

  func abandon(_ reason: CancellationReason) {
    for job in unit.jobs where !job.cancellation.isCancelled { job.cancellation.mark(reason) }
    let left = flow?.pictureCount ?? unit.pictureCount
    withStack(forDepth: depth) { () throws(Never) in
      let open = self.flow?.openOutputs ?? self.outputs(self.unit.files, self.unit.allEntries)
      for output in open { output.fail(.cancelled, at: nil) }
      self.flow = nil
    }
    for _ in 0..<left { run.observer(.pictureDone) }
  }

  var name: String {
    let count = unit.pictureCount
    return count > 1 ? "\(unit.sourceName) and \(count - 1) more" : unit.sourceName
  }

  var isInputReady: Bool {
    // These small files were read one after another a moment ago, so the first one shows whether they are still in the
    // system's cache.
    if unit.hasOnlySmallCopies, let path = unit.copies.first?.copiesSource?.path {
      return SourceBytes.areInMemory([path])
    }
    return SourceBytes.areInMemory(of: unit.pictures)
  }

  func fetchInput() { SourceBytes.readAhead(of: unit.pictures) { self.isCancelled } }
}

extension TaskOutput {
  package var needsRows: Bool { true }
}

/// An output of a task. It receives the rows of a node.
package protocol TaskOutput: AnyObject {
  var job: Job { get }
  /// The name of the output's work in a trace.
  var traceName: String { get }
  /// Prepares for the rows of `node`. The output may use the workers of `context` while rows are written.
  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError)
  /// Whether the output takes rows after its start. If not, only `finish` is called.
  var needsRows: Bool { get }
  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError)
  func finish() throws(PictureError)
  /// Removes the output and reports the failure.
  func fail(_ error: PictureError, at node: PlanNode?)
}
