import ImageCore
import PictureTraits
import Platform
import Scheduling

/// A run of a script, from its requests to the end of its last job:
///
///     graph ─► check ─► CheckedGraph ─► plan ─► Plan ─► select ─► execute ─► events
///
/// When a script waits for a job, a batch ends: the requests so far go through these stages. Then the script adds
/// further requests to the graph. This object keeps what the batches share.
///
/// Only the script's thread uses it, except for `cancellation`. `finish()` waits for every job.
package final class Run {
  /// The error if the script cannot continue because of its mistakes, which have been recorded.
  package struct Stopped: Error {}

  package let environment: Environment
  package let options: RunOptions
  /// Records the script's requests and the mistakes in them.
  package let graph: GraphBuilder
  let paths: PathClaims
  let sinks: Sinks
  let planning: PlanMaker
  let facts: PixelFacts
  let execution: Execution
  let elsewhere: ElsewhereWork
  let scheduler: Scheduler
  /// Cancels the whole run.
  package let cancellation: CancellationToken
  /// Facts for reports.
  package internal(set) var results = RunResults()
  /// The division of the work among shards.
  package private(set) var division = DivisionRecord()
  /// Whether the script's pictures have been forgotten, because they cannot be requested again.
  private var isForgetful = false
  var progress: RunProgress { execution.progress }

  package init(
    environment: Environment, options: RunOptions, scheduler: Scheduler,
    cancellation: CancellationToken, observer: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.environment = environment
    self.options = options
    self.scheduler = scheduler
    self.cancellation = cancellation
    paths = PathClaims(options)
    sinks = Sinks(environment)
    let observer = options.part.finished == nil ? observer : NoteFilter(observer).observe
    let progress = RunProgress(
      files: paths.files, environment: environment, options: options, scheduler: scheduler,
      cancellation: cancellation, observer: observer)
    graph = GraphBuilder(
      environment: environment, options: options, paths: paths, cancellation: cancellation, observer: observer)
    planning = PlanMaker(environment, scheduler, cancellation) { [weak progress] note, file in
      progress?.add(note, of: file)
    }
    facts = PixelFacts(graph, planning, progress)
    execution = Execution(progress, kept: planning.kept)
    elsewhere = ElsewhereWork(progress)
    cancellation.onCancel { scheduler.sweepCancelled() }
  }

  // MARK: - Batches

  /// Checks all requests since the last call, and starts them unless mistakes prevent it. A dry run only plans them.
  ///
  /// - Parameters:
  ///   - isLast: whether the script has ended.
  ///   - onChecked: called between checking and starting, unless mistakes prevent the start.
  /// - Throws: `Stopped` if mistakes prevent the start; then nothing in this batch has been started.
  package func settle(isLast: Bool = false, onChecked: () -> Void = {}) throws(Stopped) {
    let graph = graph.take()
    self.graph.settings.close().forEach(self.graph.note)
    let checked = check(graph)
    try stopAtMistakes(checked)
    if options.keepsRecords { results.addSources(of: checked) }
    onChecked()
    let (plan, selection, tasks) = withStack(forDepth: graph.depth) { () throws(Never) in
      self.planned(checked, isLast: isLast)
    }
    if options.isDryRun {
      if options.keepsPlan { results.checked.append(checked) }
      for job in plan.jobs { job.markPlanned() }
    } else {
      start(tasks, selection, of: plan)
    }
  }

  /// Finds the mistakes in requests that were not started, to report them together with the failure of the script
  /// itself.
  package func checkPending() { _ = check(graph.take()) }

  private func check(_ graph: Graph) -> CheckedGraph {
    HeaderReader(scheduler: scheduler).read(for: graph, environment)
    let checked = graph.checked(
      by: sinks, environment, options, paths: paths, traits: { self.facts.traits(of: $0) })
    self.graph.add(checked)
    results.descriptions += checked.outputs.descriptions
    results.sinkRecords += checked.outputs.records
    return checked
  }

  /// Ends the batch if there are mistakes that prevent the run. With `--on-error continue`, unreadable files are
  /// reported, and the other outputs are made.
  private func stopAtMistakes(_ checked: CheckedGraph) throws(Stopped) {
    let mistakes = graph.mistakes
    let mustStop = mistakes.contains(where: \.kind.stopsRun) || (options.onError == .stop && !mistakes.isEmpty)
    if !mustStop { mistakes.forEach(progress.fail) }
    // A dry run reports notes even if there are mistakes.
    if !mustStop || options.isDryRun { for note in checked.outputs.notes { progress.observer(.note(note)) } }
    if mustStop { throw Stopped() }
    graph.forgetMistakes()
  }

  /// Plans a checked graph, and selects the part for this run. If that is the whole plan, also describes the tasks in
  /// the plan's lines.
  private func planned(_ checked: CheckedGraph, isLast: Bool)
    -> (plan: Plan, selection: Selection, tasks: [PictureTask])
  {
    // All shards must divide a script in the same way, even if their numbers of workers differ.
    let workers = options.part.isWhole ? scheduler.configuration.workers : 1
    let plan = planning.plan(checked, workers: workers, isLast: isLast)
    progress.add(plan.sources)
    var selection = plan.selecting(options.part, noting: &division)
    if options.records != nil || options.keepsDependencies {
      let outputs = plan.outputs(options.part, selection.here, environment)
      if options.keepsDependencies { results.read.formUnion(outputs.read) }
      if let records = options.records { selection = selection.due(of: plan, outputs, by: records, environment) }
    }
    let tasks = execution.tasks(of: selection.here, plan)
    if options.part.isWhole { describe(tasks) }
    return (plan, selection, tasks)
  }

  private func start(_ tasks: [PictureTask], _ selection: Selection, of plan: Plan) {
    let reported = options.part.finished == nil ? selection.here : selection.elsewhere
    execution.open(plan.jobs, pictures: reported.reduce(0) { $0 + $1.pictureCount })
    var documents = elsewhere.settle(selection.elsewhere, of: plan)
    if !selection.settled.isEmpty {
      // A document whose pack (see `ShardStore`) is kept is started as if its pages were made here, and ends without
      // pages of its own.
      if !documents.isEmpty {
        let settled = Set(selection.settled.lazy.filter { !$0.isPack }.map { OutputPlace($0.job, $0.index) })
        documents.removeAll { settled.contains(OutputPlace($0.job, $0.outputIndex)) }
      }
      selection.settled.forEach(progress.settle)
    }
    execution.start(tasks, documents: documents, of: plan.jobs)
  }

  /// Adds a line about each output of the tasks to the plan's lines, up to the requested number.
  private func describe(_ tasks: [PictureTask]) {
    let most = options.isDryRun ? Int.max : options.mostPlanLines
    let left = most - results.planLines.count
    guard left > 0, !tasks.isEmpty else { return }
    results.planLines += PlanText.lines(Array(tasks.prefix(left))).prefix(left)
  }

  /// Reports outputs of an earlier run as kept, instead of running the script.
  package func keep(_ outputs: [(path: String, byteCount: Int)]) {
    progress.observer(.started(pictures: 0))
    for (path, byteCount) in outputs { elsewhere.keep(path, byteCount: byteCount) }
  }

  // MARK: - Waiting

  /// Waits until more than `known` of the jobs have ended, see `Execution.wait`.
  package func wait(forNextOf jobs: [Job], known: Int = 0, onFinished: (Job) throws -> Void) throws {
    try execution.wait(forNextOf: jobs, known: known, onFinished: onFinished)
  }

  /// Asks a job to stop, without waiting for it. Files that it has written remain.
  package func cancel(_ job: Job, _ reason: CancellationReason) { job.cancel(reason, on: scheduler) }

  /// Starts all remaining work, and waits for its end.
  ///
  /// - Parameters:
  ///   - onChecked: called on this thread between checking and starting, unless mistakes prevent the start.
  ///   - onFinished: called on this thread for every job that finishes.
  package func finish(onChecked: () -> Void = {}, onFinished: (Job) throws -> Void) throws {
    try settle(isLast: true, onChecked: onChecked)
    if isForgetful { planning.forgetFrames() }
    planning.kept.close()
    try execution.waitForAll(onFinished: onFinished)
    // A callback may have made further requests.
    if graph.hasRequests { return try finish(onFinished: onFinished) }
    progress.tellUnreadable()
    progress.tellLosses()
  }

  /// Forgets pictures and the facts about their files. Called when the script cannot request them again. Work that has
  /// started keeps the pictures that it needs.
  package func forget(_ pictures: inout [Picture]) {
    // `ScriptSession` releases long chains in a safe order; releasing them here would recurse too deeply.
    guard pictures.allSatisfy({ $0.depth <= 200 }) else { return }
    pictures = []
    graph.forget()
    paths.forget()
    isForgetful = true
  }

  /// Cancels all jobs of a failed run, and waits for their end without calling functions of the script.
  package func abandon() {
    cancellation.cancel(CancellationReason("the script failed"))
    execution.waitForAll()
  }

  // MARK: - Facts about pictures

  /// Reads the headers of all files from which pictures are made, several at a time.
  package func readHeaders(_ pictures: [Picture]) { HeaderReader(scheduler: scheduler).read(pictures) }

  /// Decodes a picture now and measures it.
  ///
  /// - Throws: the problem of a picture that cannot be measured; `.reported` for wrong arguments, which have been
  ///   reported.
  package func measure(
    _ picture: Picture, _ definition: MeasurementDefinition, _ raw: RawArguments, at position: ScriptPosition?
  ) throws(Picture.Problem) -> ParameterValue {
    try facts.measure(picture, definition, raw, at: position)
  }

  /// Returns the traits of pictures; nil for each that cannot be decoded.
  package func traits(of pictures: [Picture]) -> [PictureTraits?] { facts.traits(of: pictures) }

  /// Returns the traits of one picture.
  ///
  /// - Throws: the reason why it cannot be decoded; `.reported` if the run was cancelled.
  package func traits(of picture: Picture) throws(Picture.Problem) -> PictureTraits { try facts.traits(of: picture) }

  /// Whether the script or a sink has read facts about pixels. That may be the only purpose of the script.
  package var hasMeasured: Bool { facts.isAsked }

  /// Reports a message that does not prevent the run.
  package func report(note: Diagnostic) { progress.observer(.note(note)) }

  // MARK: - Results

  /// The files that a shard has read, including the script's own files.
  package var shardInputs: Set<String> { division.inputs.union(graph.inputs.scripts) }

  /// Whether this shard had nothing to make, because earlier runs have made all its outputs.
  package var hasKeptAll: Bool {
    guard let store = options.part.store else { return false }
    let totals = totals
    return totals.written + totals.failed + totals.cancelled + store.madePageCount == 0
      && totals.kept + store.packedPageCount > 0
  }

  /// Returns the division of the script into shards, once the script has ended; empty unless the run plans shards.
  package func shardPlan() -> DividedPlan {
    guard case .plan(let wanted) = options.part else { return DividedPlan(shards: [], divisions: []) }
    return division.plan(wanted, workers: scheduler.configuration.workers)
  }

  /// All jobs that were started, in the script's order. A dry run starts none.
  package var jobs: [Job] { execution.jobs }
  /// Failures of outputs, in the order of their occurrence.
  package var failures: [Diagnostic] { progress.state.withLock { $0.failures.all } }
  /// Documents that were written but failed verification.
  package var unverified: [Diagnostic] { progress.state.withLock { $0.unverified } }
  /// The files that the run reads and writes.
  package var fileRegister: RunFiles { paths.files }

  /// The numbers of outputs by their result, and the number of bytes written.
  package struct Totals: Sendable {
    /// The number of files that were written, including documents with missing pages.
    package var written = 0
    /// The number of files that already existed, because an earlier run made them.
    package var kept = 0
    package var byteCount = 0
    package var failed = 0
    package var cancelled = 0

    package init() {}
  }

  /// The totals so far. They are final once all jobs have ended.
  package var totals: Totals {
    var totals = elsewhere.totals
    for output in execution.jobs.flatMap(\.result.outputs) {
      if output.isKept {
        totals.kept += 1
      } else if let byteCount = output.byteCount {
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

/// An event of a run. Observers are called on any thread.
package enum RunEvent: Sendable {
  case started(pictures: Int)
  /// The work on one picture has ended, successfully or not.
  case pictureDone
  /// - Parameter quality: the quality that was found for a goal of `save`; nil without a goal.
  case wrote(path: String, byteCount: Int, layout: PictureLayout?, quality: Int? = nil)
  /// The output already existed, because an earlier run made it.
  case kept(path: String, byteCount: Int)
  case failed(Diagnostic)
  case note(Diagnostic)
  case cancelled(path: String, CancellationReason)
  case verified(path: String, VerificationOutcome)
}
