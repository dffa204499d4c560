import CommandInterface
import ImagePipeline

/// The reason why a shard has no manifest, according to the state of its task or the end of its log.
package struct LostShard: Sendable, Equatable {
  package let shard: Int
  /// The path of the log; nil if there is none.
  package let log: String?
  /// The cause, as a clause.
  package let cause: String

  /// The maximum number of bytes that are read from a log.
  private static let mostBytes = 64 << 10

  /// - Parameter task: the task of the shard; nil if it is no longer in the queue.
  package init(shard: Int, in folder: RunFolder, _ task: QueuedTask?) {
    let path = folder.file(RunFolder.log(ofShard: shard))
    self.init(shard: shard, log: path, text: fileEnding(path, most: Self.mostBytes), state: task?.state)
  }

  /// The start of the message of a shard that cannot write its manifest; the cause follows.
  package static let unwrittenManifest = "the shard's manifest is not written: "

  /// Parts of lines that may end a log but never state the cause: the summary (see `SummaryLine`), and messages about
  /// jobs that were cancelled because another one failed.
  private static let consequences = [" written (", " was cancelled", " were cancelled"]

  /// - Parameters:
  ///   - text: the end of the log; nil if there is none.
  ///   - state: the state of the shard's task in Slurm's words; nil if it is unknown.
  init(shard: Int, log: String, text: String?, state: String? = nil) {
    self.shard = shard
    self.log = text == nil ? nil : log
    if let known = state.flatMap({ Self.states[$0] }) {
      cause = known
      return
    }
    guard let text else {
      cause = "not begun"
      return
    }
    let lines = text.split(separator: "\n").map(String.init)
    // The last match counts, because a restarted task appends to its log.
    let known = lines.reversed().lazy.compactMap(Self.statedCause).first
    let last = lines.last { line in !Self.consequences.contains { line.contains($0) } } ?? lines.last
    cause = known ?? last.map { printable($0) } ?? "ended without a word"
  }

  /// Returns the cause that a line of a log states in known words; nil if it states none.
  private static func statedCause(_ line: String) -> String? {
    if let cause = causes.first(where: { line.contains($0.part) }) { return cause.text }
    return line.firstRange(of: unwrittenManifest).map { printable(String(line[$0.lowerBound...])) }
  }

  private static let memory = "out of memory; give a larger --task-memory"
  private static let time = "time limit reached; give a longer --time or more --shards"

  /// The states of a task that explain the loss, with the causes to report.
  private static let states = [
    "OUT_OF_MEMORY": memory, "TIMEOUT": time, "NODE_FAIL": "the node failed", "CANCELLED": "cancelled",
  ]

  /// Parts of messages that slurmd and slurmstepd write to the logs of jobs, with the causes to report.
  private static let causes: [(part: String, text: String)] = [
    ("oom_kill", memory),
    ("oom-kill", memory),
    ("Exceeded job memory limit", memory),
    ("DUE TO TIME LIMIT", time),
    ("DUE TO NODE FAILURE", "the node failed"),
    ("DUE TO PREEMPTION", "gave way to another job"),
    ("CANCELLED AT", "cancelled"),
  ]

  /// Returns a line for each cause, with all shards that it affected.
  package static func lines(_ lost: [LostShard]) -> [String] {
    var groups: [(cause: String, shards: [LostShard])] = []
    for shard in lost {
      if let index = groups.firstIndex(where: { $0.cause == shard.cause }) {
        groups[index].shards.append(shard)
      } else {
        groups.append((shard.cause, [shard]))
      }
    }
    return groups.map { cause, shards in
      let names = arrayText(shards.map(\.shard))
      let start = "\(shards.count == 1 ? "shard" : "shards") \(names): \(cause)"
      guard let log = shards[0].log else { return start }
      return start + "; \(shards.count == 1 ? "its" : "the first") log is \(ShellWord.quoted(printable(log)))"
    }
  }
}
