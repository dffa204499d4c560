import CommandInterface
import ImagePipeline
import Platform

/// The end of a run: all that its exit status depends on.
package struct RunOutcome {
  package let run: Run
  /// An error of the script itself.
  package let failure: Diagnostic?
  /// Whether the script ended before its last line.
  package let stopped: Bool
  package var interruption: Interruption.Cause?
  /// Probable mistakes that keep nothing from being written.
  package var notes: [String]
  /// Whether a file that describes the run, such as the manifest of a shard or a timeline, could not be written.
  package var hasUnwrittenFiles = false
  /// Whether standard output was closed by its reader while something was left to write.
  package var isOutputBroken = false
  /// The status after mistakes of the script.
  private let mistakeStatus: ExitStatus

  /// - Parameter mistakeStatus: the status after mistakes of the script. A script that the user has not written stands for
  ///   words of the command line.
  package init(
    run: Run, failure: Diagnostic?, stopped: Bool, notes: [String], mistakeStatus: ExitStatus
  ) {
    self.run = run
    self.failure = failure
    self.stopped = stopped
    self.notes = notes
    self.mistakeStatus = mistakeStatus
  }

  /// The exit status: the gravest of what has happened.
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
