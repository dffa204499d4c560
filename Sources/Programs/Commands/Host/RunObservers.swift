import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import Scheduling

/// The observers of a run: messages and progress, and the files that the command line asks for besides the outputs.
///
/// A file is written when what it describes is complete: the record of a shard, the manifest and the design while
/// workers are still there; the report and the drawings of the run when nothing runs any more. The summary comes last.
struct RunObservers: Sendable {
  private let all: [any RunObserver]
  let reporter: RunReporter
  private let report: RunReport?
  private let traces: TraceFiles?
  private let output: StandardOutput
  private let workers: Int
  /// The notes about options that have nothing to describe in a dry run.
  private let dryRunNotes: [String]
  /// Whether an observer describes pictures, so that the script has to run.
  let describesPictures: Bool

  /// Opens the files that the command line asks for, and says in `options` what they need to know of the run.
  ///
  /// - Parameters:
  ///   - script: the script's path, which no file may replace.
  ///   - workers: the number of workers of each kind that the scheduler has.
  init(
    _ line: ParsedLine, script: String, _ options: inout RunOptions, _ reporter: RunReporter, _ sharded: ShardedRun,
    _ report: RunReport?, workers: Int
  ) throws(UsageError) {
    (self.reporter, self.report, self.workers) = (reporter, report, workers)
    output = options.standardOutput
    traces = try TraceFiles(line, script: script, options: options)
    var own = traces?.paths ?? []
    let manifest = try ManifestFile(line, script: script, others: own, options: options)
    if let manifest { own.append(manifest.own) }
    let design = try DesignFile(line, script: script, others: own, options: options)
    if line.has("--json") { own.append((PipedInput.standardInput, "--json")) }
    if let design { own.append(design.own) }
    options.ownFiles = own
    options.mostPlanLines = report == nil ? 0 : RunReport.mostPlanLines + 1
    if manifest != nil { options.keepsRecords = true }
    if design != nil { options.keepsDesigns = true }
    describesPictures = report != nil || manifest != nil || design != nil
    dryRunNotes = TraceFiles.dryRunNotes(line)
    let observers: [(any RunObserver)?] = [sharded, reporter, report?.log, manifest, design]
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

  /// Returns an active scheduler. Its events are recorded for a trace, timeline or report.
  func scheduler(memory: Int) -> Scheduler {
    let scheduler = Scheduler(
      Scheduler.Configuration(workers: workers, memoryBudget: memory, recorder: traces?.recorder))
    traces?.begin(workers: workers)
    scheduler.activate()
    return scheduler
  }

  // MARK: At its end

  /// Ends the files and events of a run that does not stop by itself.
  func cutShort(_ status: ExitStatus, requested: Int, by reason: CancellationReason?) {
    _ = traces?.write(page: report?.cutShort(status, workers))
    reporter.cutShort(status, requested: requested, end: reason)
  }

  /// Ends the files of a run whose script takes more than it may.
  func endOverrun(_ message: Diagnostic) {
    report?.log.observe(.failed(message))
    _ = traces?.write(page: report?.cutShort(.scriptFailed, workers))
  }

  /// Describes the outputs while the scheduler works. A file that is missing changes the status.
  func describeOutputs(of outcome: inout RunOutcome, on scheduler: Scheduler, _ plugins: PluginHost) {
    for observer in all {
      guard let problem = observer.describeOutputs(of: outcome, on: scheduler, plugins) else { continue }
      outcome.hasUnwrittenFiles = true
      observe(.failed(problem))
    }
    outcome.notes += dryRunNotes
  }

  /// Writes the trace, the timeline and the report, when nothing runs any more.
  ///
  /// - Parameter source: returns the text of a script's line.
  func writeReportAndDrawings(
    _ outcome: inout RunOutcome, _ interruption: Interruption, source: (ScriptPosition) -> String?
  ) {
    traces?.end()
    outcome.interruption = interruption.cause
    if report != nil { interruption.allow(seconds: RunReport.secondsAfterInterruption + 1) }
    let facts = report?.facts(outcome, workers, source: source) { interruption.cause != nil }
    interruption.end()
    // A run whose outputs are written has not failed when its time ends during its report.
    if case .signal? = interruption.cause { outcome.interruption = interruption.cause }
    if outcome.run.graph.readsOwnFile { traces?.discard() }
    for problem in traces?.write(outcome.run.fileRegister, page: facts.map(RunReport.page)) ?? [] {
      outcome.hasUnwrittenFiles = true
      reporter.observe(.failed(problem))
    }
    outcome.notes += traces?.notes ?? []
  }

  /// Prints the remaining messages and the summary.
  func finish(_ outcome: inout RunOutcome) {
    outcome.isOutputBroken = output.isBroken
    if !outcome.isOutputBroken { reporter.finish(outcome) }
  }
}
