import ImageCore
import ImagePipeline
import Reporting

/// Describes the state of a run in words.
package enum RunStateText {
  /// Returns the number of finished shards and what the others wait for: `3/8 shards, `.
  ///
  /// - Parameter isQueueFresh: whether no shard has finished since the queue was last polled.
  static func shards(_ snapshot: RunSnapshot, isQueueFresh: Bool) -> String {
    let facts = "\(snapshot.reports.count)/\(snapshot.shards) shards, "
    if snapshot.missing.isEmpty { return facts + "merging, " }
    guard isQueueFresh, let tasks = snapshot.tasks?.filter({ !$0.isOver }), !tasks.isEmpty,
      tasks.allSatisfy(\.isWaiting)
    else { return facts }
    let reason = tasks.first { $0.index != nil }?.reason ?? "None"
    return facts + "waiting in the queue\(reason == "None" ? "" : " (\(printable(reason)))"), "
  }

  /// Returns the state in lines for people, without failures.
  ///
  ///     book-20261125-173126-3f9a1c: book.lua, 8 shards into /shared/books
  ///       done      5 shards, 300 of 480 pictures
  ///       running   2 shards
  ///       waiting   1 shard (Resources)
  package static func lines(_ snapshot: RunSnapshot, of record: RunRecord) -> [String] {
    let pictures = record.division.pictures
    let made = snapshot.reports.filter { $0.value.status == 0 }.keys
    let done = made.map { pictures[$0] }.clampedSum
    var rows: [(String, String)] = []
    // The merge removes the manifests, so they are only counted before it.
    if snapshot.mergeStatus == nil || done > 0 {
      rows.append(
        ("done", "\(count(made.count, "shard")), \(done) of \(count(pictures.clampedSum, "picture"))"))
    }
    let failed = snapshot.reports.count - made.count
    if failed > 0 { rows.append(("failed", count(failed, "shard"))) }
    if let tasks = snapshot.tasks?.filter({ !$0.isOver }) {
      let shards = tasks.filter { $0.jobName == record.name.arrayJob }
      let waiting = shards.filter(\.isWaiting)
      let running = shards.count - waiting.count
      if running > 0 { rows.append(("running", count(running, "shard"))) }
      if !waiting.isEmpty {
        rows.append(("waiting", count(waiting.count, "shard") + reasons(waiting)))
      }
      if let merge = tasks.first(where: { $0.jobName == record.name.mergeJob }) {
        rows.append(("merge", merge.isWaiting ? "waiting" + reasons([merge]) : "running"))
      }
    }
    if let status = snapshot.mergeStatus { rows.append(("merge", "ended with status \(status)")) }
    let title =
      "\(record.name.text): \(printable(record.command.script)), \(count(record.division.shards, "shard")) into "
      + printable(record.command.outputFolder)
    return [title] + rows.map { "  " + $0.0 + String(repeating: " ", count: 10 - $0.0.count) + $0.1 }
  }

  /// Returns the reasons why tasks wait, in parentheses; empty if Slurm gives none.
  private static func reasons(_ tasks: [QueuedTask]) -> String {
    var known: [String] = []
    for task in tasks where task.reason != "None" && !known.contains(task.reason) { known.append(task.reason) }
    return known.isEmpty ? "" : " (\(printable(known.joined(separator: ", "))))"
  }

  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
