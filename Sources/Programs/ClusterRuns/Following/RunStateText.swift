import CommandInterface
import ImageCore
import ImagePipeline
import Reporting

/// Describes the state of a run in words.
package enum RunStateText {
  /// Returns the number of finished shards: `3/8 shards, `. If all other shards wait in the queue, or only the merge is
  /// left, the text also says so.
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

  /// Returns the state in lines for people, without the messages of failures.
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
    // A finished merge has removed the manifests, so there may be nothing to count.
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

/// The messages about a finished run, and its exit status. After a merge, both are those of `imghost merge`.
package struct RunEndingText {
  /// The text for standard output: lines that the script printed during the merge.
  package private(set) var output = ""
  /// The messages for standard error.
  package private(set) var messages: [String] = []
  package private(set) var status = ExitStatus.success

  /// Reads the logs that the verdict on the run requires.
  package init(_ snapshot: RunSnapshot, of record: RunRecord, in folder: RunFolder) {
    let resume = "'imghost resume \(record.reference)'"
    switch snapshot.verdict(stopsAtFailure: record.command.stopsAtFailure) {
    case .goesOn: break
    case .merged(let status):
      output = Self.contents(of: folder.file(RunFolder.mergeOutput))
      messages = Self.lines(Self.contents(of: folder.file(RunFolder.mergeLog)))
      self.status = ExitStatus(rawValue: status)
    case .failed:
      let failed = snapshot.reports.filter { $0.value.status != 0 }.sorted { $0.key < $1.key }
      messages = FailureList.lines(failed.flatMap { $0.value.failures })
      let numbers = failed.map(\.key)
      messages.append(
        "imghost: \(numbers.count == 1 ? "shard" : "shards") \(arrayText(numbers)) of \(snapshot.shards) failed; "
          + "\(resume) makes what is left")
      status = ExitStatus(rawValue: failed.map(\.value.status).max() ?? 1)
    case .lostShards(let shards):
      messages = FailureList.lines(snapshot.reports.sorted { $0.key < $1.key }.flatMap { $0.value.failures })
      messages += LostShard.lines(
        shards.map { shard in
          LostShard(
            shard: shard, in: folder,
            snapshot.tasks?.first { $0.jobName == record.name.arrayJob && $0.holds(shard) })
        })
      messages.append(
        "imghost: \(shards.count) of \(snapshot.shards) shards \(shards.count == 1 ? "is" : "are") not made; "
          + "\(resume) makes what is left")
      status = .someFailed
    case .lostMerge:
      messages = Self.lines(Self.contents(of: folder.file(RunFolder.mergeLog)))
      messages.append("imghost: all shards are made, but the merge has not ended; \(resume) merges them")
      status = .someFailed
    }
  }

  /// - Parameter withOutput: whether to print the lines of the script, too.
  package func print(withOutput: Bool = true) {
    if withOutput, !output.isEmpty { Terminal.output(output.hasSuffix("\n") ? String(output.dropLast()) : output) }
    for line in messages { Terminal.error(line) }
  }

  private static func contents(of path: String) -> String {
    (try? readBytes(path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static func lines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}

/// Returns the last whole lines of a text file, at most `most` bytes; nil if it cannot be read.
func fileEnding(_ path: String, most: Int) -> String? {
  guard let file = try? InputFile(path: path) else { return nil }
  let start = max(0, file.byteCount - most)
  guard let bytes = try? file.bytes(at: start, count: file.byteCount - start) else { return nil }
  let whole = start == 0 ? bytes[...] : bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst()
  return String(decoding: whole, as: UTF8.self)
}
