import ImagePipeline

/// The way in which a run came to its end.
package struct RunEnding {
  package let run: Run
  /// An error of the script itself.
  package let failure: Diagnostic?
  /// Whether the script ended before its last line.
  package let stopped: Bool
  package let interruption: Interruption.Cause?
  /// Probable mistakes that keep nothing from being written.
  package let notes: [String]
  /// Whether a drawing of the run, or the manifest of a shard, could not be written.
  package let lacksTraces: Bool

  package init(
    run: Run, failure: Diagnostic?, stopped: Bool, interruption: Interruption.Cause?, notes: [String], lacksTraces: Bool
  ) {
    self.run = run
    self.failure = failure
    self.stopped = stopped
    self.interruption = interruption
    self.notes = notes
    self.lacksTraces = lacksTraces
  }
}
