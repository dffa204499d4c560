import BookComposing
import ClusterRuns
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import RunRecords
import Scheduling
import Sharding

/// The part of a run that the command line requests.
enum RequestedPart {
  case whole
  case shard(ShardIndex)
  case merge
  case plan(ShardCount)
}

/// The observer of a shard or a merge. In a shard, it writes the manifest; in a merge, it reads the manifests of all
/// shards. In other runs, it does nothing.
struct ShardedRun: RunObserver {
  let part: RunPart
  /// The work of one shard; nil in other runs.
  let work: ShardWork?
  private let merged: MergedShards?
  /// Whether a merge keeps the records of its shards for later runs.
  private let keepsRecords: Bool
  private let startedAt = monotonicSeconds()

  /// The reasons why a shard cannot be made, or why shards cannot be merged, one per line.
  struct Problem: Error { let lines: [String] }

  /// - Parameters:
  ///   - script: the path of the script; `-` for standard input.
  ///   - source: the text of the script.
  init(_ requested: RequestedPart, _ line: ParsedLine, script: String, source: [UInt8], _ options: RunOptions)
    throws(Problem)
  {
    let folder = ShardFolder(outputFolder: options.outputFolder, script: script == "-" ? "stdin" : script)
    switch requested {
    case .shard, .merge: if let link = folder.link { throw Problem(lines: [Self.isLink(link)]) }
    case .whole, .plan: break
    }
    var (work, merged): (ShardWork?, MergedShards?) = (nil, nil)
    switch requested {
    case .whole: part = .whole
    case .plan(let count): part = .plan(count)
    case .shard(let index):
      TemporaryFiles.setShard("\(folder.path) \(index)")
      let made = ShardWork(index, folder, Self.identity(line, script, source, options))
      work = made
      part = .shard(index, made)
    case .merge:
      TemporaryFiles.setShard("\(folder.path) merge")
      do throws(MergedShards.Problem) {
        let shards = try MergedShards(
          folder, Self.identity(line, script, source, options), count: line.value("--shards").flatMap { Int($0) },
          confines: options.isConfined
        ) { shard in
          Self.command(for: shard, line, options)
        }
        merged = shards
        part = .merge(shards)
      } catch {
        throw Problem(lines: error.lines)
      }
    }
    (self.work, self.merged) = (work, merged)
    keepsRecords = merged != nil && RecordedRun.isWanted(line, script, options)
  }

  /// Returns the command that makes a shard, with the `--out`, `--set` and `--on-error` of this merge.
  private static func command(for shard: ShardIndex, _ line: ParsedLine, _ options: RunOptions) -> String {
    var words = ["imghost", "run", "--shard", "\(shard)", "--out", options.outputFolder]
    for pair in line.values("--set") { words += ["--set", pair] }
    if options.onError != .stop { words += ["--on-error", options.onError.rawValue] }
    return (words + line.operands).map(ShellWord.quoted).joined(separator: " ")
  }

  private static func isLink(_ path: String) -> String {
    "'\(printable(path))' is a link; imghost keeps the files of shards in a folder of its own there: remove the link"
  }

  /// Returns the identity of the run that a command line requests.
  static func identity(_ line: ParsedLine, _ script: String, _ source: [UInt8], _ options: RunOptions)
    -> RunIdentity
  {
    RunIdentity(
      version: version, script: script == "-" ? "stdin" : String(PathName.name(script)),
      digest: SHA256.digest(of: source).description, arguments: Array(line.operands.dropFirst()),
      options: line.values("--set").map { "--set " + $0 } + ["--on-error " + options.onError.rawValue])
  }

  /// The version, and the first digits of the program's build ID or digest, because two builds of one version may write
  /// different bytes.
  private static var version: String {
    let build = CodeFacts.build
    return build.isEmpty ? CommandList.version : "\(CommandList.version) (\(build.prefix(12)))"
  }

  /// Records failures and notes of a shard, which the merge has to report.
  func observe(_ event: RunEvent) { work?.observe(event) }

  /// Records a line that the script prints.
  func printed(_ line: String, outputTakesLines: Bool) { work?.printed(line) }

  /// Merges without running the script, if its shards have recorded everything that this requires.
  ///
  /// - Parameter print: called with the lines that the script printed.
  /// - Returns: The notes about the end of the script; nil, before anything is printed or written, if the script has to
  ///   run.
  func mergeRecorded(_ run: Run, print: (String) -> Void) -> [String]? {
    guard let merged, let record = merged.record else { return nil }
    do throws(RefusedDocument) {
      try run.merge(record, of: merged, onStart: { merged.printed.forEach(print) })
      return record.notes
    } catch {
      merged.refuse(error)
      return nil
    }
  }

  /// Writes the manifest of a shard. The records, which observe the run first, already contain the outputs' digests.
  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _ plugins: PluginHost) -> Diagnostic? {
    let (run, status) = (outcome.run, outcome.status)
    guard let work else { return nil }
    let path = work.folder.manifest(work.shard)
    let records = run.options.records as? RunRecords
    if work.isMerged || records?.isForgotten ?? false {
      return Diagnostic(
        .output, at: nil, file: path, message: "the shards have been merged meanwhile; nothing is left to do")
    }
    if run.hasKeptAll, work.isDescribed(divisions: run.division.digests) { return nil }
    // A script with mistakes, or an interrupted one, has not finished its shard.
    guard status == .success || status == .someFailed || status == .notVerified else { return nil }
    do throws(PictureError) {
      try work.finish(
        run, on: scheduler, plugins: plugins.versions, seconds: monotonicSeconds() - startedAt,
        status: Int(status.rawValue), notes: outcome.notes, known: { records?.facts(of: $0) })
      return nil
    } catch {
      return Diagnostic(.output, at: nil, file: path, message: "\(LostShard.unwrittenManifest)\(error)")
    }
  }

  /// Records the books that a merge has written, if records are kept. After a complete merge, removes the files of the
  /// shards, except for records that are kept.
  ///
  /// - Parameter script: the path of the script; `-` for standard input.
  func tidy(_ run: Run, _ script: String, _ status: ExitStatus) {
    guard let merged else { return }
    let books = run.jobs.filter { $0.kind == .book }.flatMap(\.result.outputs)
    // Later runs must know a book that was written, even if another one failed.
    let written = books.filter { $0.byteCount != nil }
    if keepsRecords, !written.isEmpty { RecordedRun.note(written, of: script, run.options) }
    guard status == .success || status == .someFailed || status == .notVerified else { return }
    // A run that stopped at a failure can be resumed with the finished shards.
    if run.options.onError == .stop, run.failures.contains(where: { !$0.isRefusal }) { return }
    // A merge without the script has only books as jobs, and may have none.
    if merged.record != nil || !run.jobs.isEmpty, written.count == books.count {
      merged.folder.remove(keepsRecords: keepsRecords)
    }
  }
}

extension ShardIndex {
  /// Reads `K/N`, or `auto/N` with K from the environment of a cluster scheduler.
  static func option(_ text: String) throws(UsageError) -> ShardIndex {
    if let index = ShardIndex(text) { return index }
    let expected = "K/N with K from 0 to N - 1, such as 3/8, or auto/8"
    guard text.hasPrefix("auto/"), let count = Int(text.dropFirst(5)), count >= 1 else {
      throw .badValue(option: "--shard", value: text, expected: expected)
    }
    let names = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"]
    guard let name = names.first(where: { Executable.environment($0) != nil }) else {
      throw .other(
        "--shard \(text): none of \(names.joined(separator: ", ")) is set; give the number: --shard 0/\(count)")
    }
    guard let number = Executable.environment(name).flatMap({ Int($0) }), let index = ShardIndex(number, of: count)
    else {
      throw .other(
        "--shard \(text): \(name) is '\(printable(Executable.environment(name) ?? ""))', not a number from 0 to \(count - 1)"
      )
    }
    return index
  }
}
