/// A job, or a task of an array job, in the queue. Finished jobs stay in the queue for some minutes (`MinJobAge`).
package struct QueuedTask: Sendable, Equatable {
  package let jobName: String
  /// The number of the job, or of the array job that the task belongs to.
  package let job: String
  /// The index in the array; nil for a job that is not an array, and for a whole array.
  package let index: Int?
  /// The state in Slurm's words: `PENDING`, `RUNNING`.
  package let state: String
  /// The reason why the task waits, in Slurm's words: `Resources`.
  package let reason: String

  /// Returns whether this is the task of a shard, or represents all tasks of an array that was cancelled before they
  /// started.
  package func holds(_ shard: Int) -> Bool { index == nil || index == shard }

  /// Whether the task has ended, successfully or not.
  package var isOver: Bool { Self.finalStates.contains(state) }

  package var isWaiting: Bool { state == "PENDING" || state.hasPrefix("REQUEUE") || state == "SPECIAL_EXIT" }

  /// The fields of `squeue --format`, one task per line.
  static let format = "%j|%F|%K|%T|%r"

  /// Parses a line in this format; returns nil for any other line.
  init?(line: Substring) {
    let fields = line.split(separator: "|", omittingEmptySubsequences: false)
    guard fields.count == 5, Int(fields[1]) != nil else { return nil }
    jobName = String(fields[0])
    job = String(fields[1])
    index = Int(fields[2])
    state = String(fields[3])
    reason = String(fields[4])
  }

  /// Whether the task waits for something that needs human action, such as a permission.
  package var isHeldBack: Bool { isWaiting && !Self.usualReasons.contains(reason) }

  /// Whether the task can never start, because the job that it depends on has failed.
  package var isOrphaned: Bool { reason == "DependencyNeverSatisfied" }

  /// Whether the task may still produce output: it can still start, or it runs and is not being ended.
  package var isAlive: Bool { !isOver && !isOrphaned && state != "COMPLETING" }

  /// The final states of `job_states` in slurm.h.
  private static let finalStates: Set<String> = [
    "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
    "REVOKED",
  ]

  /// The values of `job_reason_codes` in slurm.h that pass without human action.
  private static let usualReasons: Set<String> = [
    "None", "", "Priority", "Resources", "Dependency", "BeginTime", "Cleaning", "JobArrayTaskLimit", "Reservation",
    "Prolog", "InitializingNodes", "Licenses",
  ]
}
