import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import Scheduling

/// The observers of a run: messages and progress, and the files that the command line requests in addition to the
/// outputs.
///
/// Each file is written as soon as its contents are complete: the records, the manifests, the dependencies and the
/// design while workers are still available; the trace, the timeline and the report after the run has stopped. The
/// summary comes last.
struct RunObservers: Sendable {
  private let all: [any RunObserver]
  let reporter: RunReporter
  private let report: RunReport?
  private let traces: TraceFiles?
  private let output: StandardOutput
  private let workers: Int
  /// The notes about options that have no effect in a dry run.
  private let dryRunNotes: [String]
  /// Whether an observer describes pictures. In that case, a merge has to run the script, too.
  let describesPictures: Bool

  /// Opens the files that the command line requests, and sets in `options` what the run has to record for them.
  ///
  /// - Parameters:
  ///   - script: the script's path, which no file may replace.
  ///   - workers: the number of workers of each kind in the scheduler.
  init(
    _ line: ParsedLine, script: String, _ options: inout RunOptions, _ reporter: RunReporter, _ sharded: ShardedRun,
    _ report: RunReport?, _ recorded: RecordedRun?, workers: Int
  ) throws(UsageError) {
    (self.reporter, self.report, self.workers) = (reporter, report, workers)
    output = options.standardOutput
    traces = try TraceFiles(line, script: script, options: options)
    var own = traces?.paths ?? []
    let manifest = try ManifestFile(line, script: script, others: own, options: options)
    if let manifest { own.append(manifest.own) }
    let dependencies = try DependencyFile(line, script: script, others: own, options: options)
    if let dependencies { own.append(dependencies.own) }
    let design = try DesignFile(line, script: script, others: own, options: options)
    if line.has("--json") { own.append((PipedInput.standardInput, "--json")) }
    if let design { own.append(design.own) }
    options.ownFiles = own.map { (OutputPipe.path($0.path), $0.option) }
    if report != nil { options.mostPlanLines = RunReport.mostPlanLines + 1 }
    if manifest != nil || dependencies != nil { options.keepsRecords = true }
    let watched = WatchedFiles()
    if watched != nil { options.keepsRecords = true }
    options.keepsDependencies = dependencies != nil || watched != nil
    if design != nil { options.keepsSinkRecords = true }
    describesPictures =
      report != nil || manifest != nil || dependencies != nil || design != nil || watched != nil
    dryRunNotes = TraceFiles.dryRunNotes(line)
    let observers: [(any RunObserver)?] = [
      recorded, sharded, reporter, report?.log, manifest, dependencies, watched, design,
    ]
    all = observers.compactMap { $0 }
  }

  // MARK: While it runs

  func observe(_ event: RunEvent) {
    for observer in all where !output.isBroken || !(observer is RunReporter) { observer.observe(event) }
  }

  func printed(_ line: String) {
    let outputTakesLines = output.takesLine()
    for observer in all { observer.printed(line, outputTakesLines: outputTakesLines) }
  }

  /// Returns a running scheduler. Its events are recorded if a trace, timeline or report is requested.
  func scheduler(memory: Int) -> Scheduler {
    let scheduler = Scheduler(
      Scheduler.Configuration(workers: workers, memoryBudget: memory, recorder: traces?.recorder))
    traces?.begin(workers: workers)
    scheduler.activate()
    return scheduler
  }

  // MARK: At its end

  /// Completes the files and events of a run that is ended early.
  func cutShort(_ status: ExitStatus, requested: Int, by reason: CancellationReason?) {
    _ = traces?.write(page: report?.cutShort(status, workers))
    reporter.cutShort(status, requested: requested, end: reason)
  }

  /// Completes the files of a run whose script exceeded its limits.
  func endOverrun(_ message: Diagnostic) {
    report?.log.observe(.failed(message))
    _ = traces?.write(page: report?.cutShort(.scriptFailed, workers))
  }

  /// Describes the outputs while the scheduler still runs. Failing to write a file changes the exit status.
  func describeOutputs(of outcome: inout RunOutcome, on scheduler: Scheduler, _ plugins: PluginHost) {
    for observer in all {
      guard let problem = observer.describeOutputs(of: outcome, on: scheduler, plugins) else { continue }
      outcome.hasUnwrittenFiles = true
      observe(.failed(problem))
    }
    outcome.notes += dryRunNotes
  }

  /// Writes the trace, the timeline and the report after the run has stopped, unless the script reads a file that the
  /// program itself writes.
  ///
  /// - Parameter source: returns the text of a line of the script.
  func writeReportAndDrawings(
    _ outcome: inout RunOutcome, _ interruption: Interruption, source: (ScriptPosition) -> String?
  ) {
    traces?.end()
    outcome.interruption = interruption.cause
    if report != nil { interruption.allow(seconds: RunReport.secondsAfterInterruption + 1) }
    let facts = report?.facts(outcome, workers, source: source) { interruption.cause != nil }
    interruption.end()
    // If only the report exceeds the time limit, the run has not failed, because its outputs are written.
    if case .signal? = interruption.cause { outcome.interruption = interruption.cause }
    if outcome.run.graph.readsOwnFile { traces?.discard() }
    for problem in traces?.write(outcome.run.fileRegister, page: facts.map(RunReport.page)) ?? [] {
      outcome.hasUnwrittenFiles = true
      reporter.observe(.failed(problem))
    }
    outcome.notes += traces?.notes ?? []
  }

  /// Prints the remaining messages and the summary, unless standard output is broken.
  func finish(_ outcome: inout RunOutcome) {
    outcome.isOutputBroken = output.isBroken
    if !outcome.isOutputBroken { reporter.finish(outcome) }
  }
}
