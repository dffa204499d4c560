import CommandInterface
import ImagePipeline
import Platform
import PluginHost
import Scheduling

/// The outcome of a run: everything that its exit status depends on.
package struct RunOutcome {
  package let run: Run
  /// The error that ended the script; nil if there was none.
  package let failure: Diagnostic?
  /// Whether the script did not run to its end.
  package let stopped: Bool
  package var interruption: Interruption.Cause?
  /// The notes for the end of the run, such as probable mistakes that do not prevent any output.
  package var notes: [String]
  /// Whether a file that describes the run, such as the manifest of a shard or a timeline, could not be written.
  package var hasUnwrittenFiles = false
  /// Whether the reader of standard output closed it before everything was written.
  package var isOutputBroken = false
  private let mistakeStatus: ExitStatus

  /// - Parameter mistakeStatus: the exit status after mistakes in the script. It differs for scripts that are generated
  ///   from the command line, because their mistakes are usage errors.
  package init(
    run: Run, failure: Diagnostic?, stopped: Bool, notes: [String], mistakeStatus: ExitStatus
  ) {
    self.run = run
    self.failure = failure
    self.stopped = stopped
    self.notes = notes
    self.mistakeStatus = mistakeStatus
  }

  /// The exit status of the most serious problem.
  package var status: ExitStatus {
    if isOutputBroken { return .interrupted(by: SIGPIPE) }
    switch interruption {
    case .signal(let number)?: return .interrupted(by: number)
    case .timeout?: return .someFailed
    case nil: break
    }
    if failure != nil || run.graph.mistakes.contains(where: { $0.kind == .script }) { return mistakeStatus }
    if run.graph.mistakes.contains(where: { $0.kind == .usage }) { return .wrongUsage }
    if !run.failures.isEmpty || !run.graph.mistakes.isEmpty || stopped { return .someFailed }
    if !run.unverified.isEmpty { return .notVerified }
    return hasUnwrittenFiles ? .someFailed : .success
  }
}

/// Receives the events of a run, and may describe its outputs in a file.
package protocol RunObserver: Sendable {
  /// Receives an event. Called on any thread.
  func observe(_ event: RunEvent)
  /// Receives a line that the script has printed. Called on the script's thread.
  ///
  /// - Parameter outputTakesLines: whether lines may go to standard output; false if a picture is written there.
  func printed(_ line: String, outputTakesLines: Bool)
  /// Describes the outputs in a file. Called after all outputs are written or have failed, while the scheduler's
  /// workers can still compute digests.
  ///
  /// - Returns: the failure to describe the outputs; nil on success.
  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _ plugins: PluginHost) -> Diagnostic?
}

extension RunObserver {
  package func observe(_: RunEvent) {}
  package func printed(_: String, outputTakesLines: Bool) {}
  package func describeOutputs(of _: RunOutcome, on _: Scheduler, _: PluginHost) -> Diagnostic? { nil }
}
