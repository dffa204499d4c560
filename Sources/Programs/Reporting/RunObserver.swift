import ImagePipeline
import PluginHost
import Scheduling

/// Receives the events of a run, and may describe its outputs in a file.
package protocol RunObserver: Sendable {
  /// From any thread.
  func observe(_ event: RunEvent)
  /// A line that the script has printed. On the script's thread.
  ///
  /// - Parameter outputTakesLines: whether standard output is for lines; otherwise a picture goes there.
  func printed(_ line: String, outputTakesLines: Bool)
  /// Called once all outputs are there or have failed, while the scheduler's workers can still compute digests.
  ///
  /// - Returns: The failure to describe them; nil if all is well.
  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _ plugins: PluginHost) -> Diagnostic?
}

extension RunObserver {
  package func observe(_: RunEvent) {}
  package func printed(_: String, outputTakesLines: Bool) {}
  package func describeOutputs(of _: RunOutcome, on _: Scheduler, _: PluginHost) -> Diagnostic? { nil }
}
