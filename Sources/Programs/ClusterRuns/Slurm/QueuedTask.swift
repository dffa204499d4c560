/// A job, or a task of an array, that the queue knows. It knows those that have ended for some minutes (`MinJobAge`).
package struct QueuedTask: Sendable, Equatable {
  package let jobName: String
  /// The number of the job, or of the array that the task belongs to.
  package let job: String
  /// The place in the array; nil for a job that is no array.
  package let index: Int?
  /// Slurm's word: `PENDING`, `RUNNING`.
  package let state: String
  /// The reason why it waits, in Slurm's words: `Resources`.
  package let reason: String

  /// Whether it is the task of a shard, or stands for all tasks of an array that was cancelled before they began.
  package func holds(_ shard: Int) -> Bool { index == nil || index == shard }

  /// Whether it has ended, well or not.
  package var isOver: Bool { Self.finalStates.contains(state) }

  package var isWaiting: Bool { state == "PENDING" || state.hasPrefix("REQUEUE") || state == "SPECIAL_EXIT" }

  /// Fields of `squeue --format`, one task a line.
  static let format = "%j|%F|%K|%T|%r"

  /// Reads a line in this format; nil if it is another one.
  init?(line: Substring) {
    let fields = line.split(separator: "|", omittingEmptySubsequences: false)
    guard fields.count == 5, Int(fields[1]) != nil else { return nil }
    jobName = String(fields[0])
    job = String(fields[1])
    index = Int(fields[2])
    state = String(fields[3])
    reason = String(fields[4])
  }

  /// Whether it waits for something that does not come by itself, such as a permission.
  package var isHeldBack: Bool { isWaiting && !Self.usualReasons.contains(reason) }

  /// Whether it can never begin because what it depends on has failed.
  package var isOrphaned: Bool { reason == "DependencyNeverSatisfied" }

  /// Whether it may still make something: it waits for what can happen, or runs and is not being ended.
  package var isAlive: Bool { !isOver && !isOrphaned && state != "COMPLETING" }

  /// States of job_states in slurm.h that no other follows.
  private static let finalStates: Set<String> = [
    "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
    "REVOKED",
  ]

  /// Reasons of job_reason_codes in slurm.h that pass by themselves.
  private static let usualReasons: Set<String> = [
    "None", "", "Priority", "Resources", "Dependency", "BeginTime", "Cleaning", "JobArrayTaskLimit", "Reservation",
    "Prolog", "InitializingNodes", "Licenses",
  ]
}
