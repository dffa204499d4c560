import ImagePipeline
import PluginHost
import Scheduling

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
