import ClusterRuns
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting
import Sharding

enum ClusterPlan {
  /// Plans the shards of a run as `imghost plan` does, and stores the facts that the run's record needs. Paths are
  /// relative to the current folder.
  ///
  /// - Returns: the plan and the exit status. If the script has mistakes or fails, the messages have been printed, and
  ///   the plan is nil.
  static func make(for record: inout RunRecord, _ count: ShardCount) throws(UsageError) -> (DividedPlan?, ExitStatus) {
    let command = record.command
    let script = ["--", command.script] + command.arguments
    let runLine = try ParsedLine(command.words + script, of: RunCommand.self)
    let workers = try runLine.count("--jobs") ?? record.batch.taskProcessors ?? 1
    let words = command.words.filter { word in
      PlanCommand.options.contains { word == $0.name || word.hasPrefix($0.name + "=") }
    }
    let planLine = try ParsedLine(words + ["--jobs=\(workers)"] + script, of: PlanCommand.self)
    var options = RunOptions(runLine)
    let identity = ShardedRun.identity(runLine, command.script, try source(of: command.script), options)
    options.isDryRun = true
    var plan = DividedPlan(shards: [], divisions: [])
    let status = try ScriptRunner.run(
      planLine, options: options,
      reporter: RunReporter(asJSON: false, showsProgress: false, printsPlan: false, passesPrintedLines: false),
      part: .plan(count)
    ) { run, status in
      if status == .success { plan = run.shardPlan() }
    }
    guard status == .success else { return (nil, status) }
    record.identity = identity
    record.division = RunDivision(pictures: plan.shards.map(\.pictures))
    // All workers may process pictures as large as the largest one at the same time.
    record.batch.predictedMemory = (plan.shards.map(\.byteCount).max() ?? 0) * workers
    record.batch.planMemory = peakByteCount
    return (plan, status)
  }

  private static func source(of script: String) throws(UsageError) -> [UInt8] {
    do throws(FileError) {
      return try ScriptRunner.readScript(script)
    } catch {
      throw .other("\(printable(script)): \(error)")
    }
  }
}
