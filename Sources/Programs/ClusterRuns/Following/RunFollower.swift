import CommandInterface
import ImageCore
import ImagePipeline
import Reporting

/// Follows a run until it ends. It scans the manifests of the shards, and polls the queue less often.
package final class RunFollower {
  /// The intervals between polls, in seconds.
  package struct Pace: Sendable {
    /// The interval between scans of the manifests: `folder`, plus `folderOfEachShard` for each shard, because a slow
    /// file server needs time for each file.
    package var folder = 0.5
    package var folderOfEachShard = 0.002
    /// The initial interval for the queue. It grows by half after each poll, up to `slowestQueue`, because a controller
    /// serves many users.
    package var queue = 2.0
    package var slowestQueue = 15.0
    /// The time between the end of the last job and the conclusion that files are missing, because network file systems
    /// show new files late.
    package var settling = 4.0

    package init() {}
  }

  /// The clock and all external inputs and outputs.
  package struct Surroundings {
    package var now: () -> Double
    /// Waits for a number of seconds.
    package var sleep: (Double) -> Void
    package var tasks: () throws(SlurmError) -> [QueuedTask]
    package var reports: () -> [Int: ShardReport]
    package var mergeStatus: () -> Int32?
    /// Shows the progress line; nil if none is wanted.
    package var progress: ((String) -> Void)?
    package var note: (String) -> Void

    package init(
      now: @escaping () -> Double, sleep: @escaping (Double) -> Void,
      tasks: @escaping () throws(SlurmError) -> [QueuedTask], reports: @escaping () -> [Int: ShardReport],
      mergeStatus: @escaping () -> Int32?
    ) {
      self.now = now
      self.sleep = sleep
      self.tasks = tasks
      self.reports = reports
      self.mergeStatus = mergeStatus
      note = { _ in }
    }
  }

  private let record: RunRecord
  private let pace: Pace
  private let world: Surroundings
  private let startedAt: Double
  /// The number of pictures in shards that were already finished when following began; nil before the first progress
  /// line.
  private var before: Int?
  private var tasks: [QueuedTask]?
  /// The number of finished shards when the queue was last polled; nil until they are counted.
  private var countAtQueue: Int?
  private var nextQueueAt: Double
  private var queueInterval: Double
  /// The time at which no jobs were left for the first time; nil while the run goes on.
  private var emptySince: Double?
  private var noted: Set<String> = []

  package init(_ record: RunRecord, pace: Pace = Pace(), _ surroundings: Surroundings) {
    self.record = record
    self.pace = pace
    world = surroundings
    startedAt = surroundings.now()
    queueInterval = pace.queue
    nextQueueAt = startedAt
  }

  /// Follows the run, and returns its final state.
  package func follow() -> RunSnapshot {
    defer { world.progress?("") }
    while true {
      let snapshot = look()
      if isOver(snapshot) { return snapshot }
      world.sleep(pace.folder + pace.folderOfEachShard * Double(record.division.shards))
    }
  }

  private func isOver(_ snapshot: RunSnapshot) -> Bool {
    switch snapshot.verdict(stopsAtFailure: record.command.stopsAtFailure) {
    case .goesOn:
      emptySince = nil
      return false
    case .merged, .failed: return true
    case .lostShards, .lostMerge:
      let since = emptySince ?? world.now()
      emptySince = since
      if world.now() - since >= pace.settling { return true }
      // The last jobs may have been too new to appear in the queue, so the queue is polled again.
      nextQueueAt = min(nextQueueAt, since + pace.settling)
      return false
    }
  }

  private func look() -> RunSnapshot {
    // The queue is polled first: a job that has left it has already written its files.
    askQueue()
    let snapshot = RunSnapshot(
      shards: record.division.shards, reports: world.reports(), tasks: tasks, mergeStatus: world.mergeStatus())
    countAtQueue = countAtQueue ?? snapshot.reports.count
    if let progress = world.progress { progress(line(snapshot)) }
    return snapshot
  }

  private func askQueue() {
    guard world.now() >= nextQueueAt else { return }
    do throws(SlurmError) {
      let answer = try world.tasks()
      tasks = answer
      countAtQueue = nil
      for task in answer where task.isHeldBack { noteOnce(Self.note(on: task)) }
      queueInterval = min(queueInterval * 1.5, pace.slowestQueue)
    } catch {
      tasks = nil
      noteOnce(error.text + "; the run is followed by its files meanwhile")
      queueInterval = pace.slowestQueue
    }
    nextQueueAt = world.now() + queueInterval
  }

  private func noteOnce(_ text: String) { if noted.insert(text).inserted { world.note(text) } }

  private static func note(on task: QueuedTask) -> String {
    "job \(task.job) waits for more than a free node: \(printable(task.reason)); "
      + "'scontrol show job \(task.job)' tells more"
  }

  private func line(_ snapshot: RunSnapshot) -> String {
    let done = snapshot.reports.keys.map { record.division.pictures[$0] }.clampedSum
    let before = self.before ?? done
    self.before = before
    return ProgressLine.text(
      done: done, of: record.division.pictures.clampedSum, before: before,
      seconds: world.now() - startedAt, width: Terminal.width,
      prefix: RunStateText.shards(snapshot, isQueueFresh: snapshot.reports.count == countAtQueue))
  }
}
