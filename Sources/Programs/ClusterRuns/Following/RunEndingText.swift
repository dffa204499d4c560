import CommandInterface
import ImageCore
import ImagePipeline
import Reporting

/// The messages about a finished run, and its exit status. Both match those of `imghost run`.
package struct RunEndingText {
  /// The text for standard output: lines that the script printed during the merge.
  package private(set) var output = ""
  /// The messages for standard error.
  package private(set) var messages: [String] = []
  package private(set) var status = ExitStatus.success

  /// Reads the logs of a run.
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
