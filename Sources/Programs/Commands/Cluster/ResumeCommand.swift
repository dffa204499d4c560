import ClusterRuns
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting

enum ResumeCommand: Command {
  static let name = "resume"
  static let summary = "make what is left of a run on a cluster"
  static let operands = "RUN"
  static let maximumOperands = 1
  static let options =
    ClusterOptions.resources
    + [TrustedOwners.option, ClusterOptions.detach, ClusterOptions.runs, CommandOption.progress]
  static let details = """
    RUN is the name that 'imghost submit' printed, or the folder of the run. Shards are made again if their
    manifest is missing, names failures, or does not agree with the script, its options, its pictures or
    imghost itself; outputs of these that are complete and unchanged are kept. The merge follows.

    Exit status: that of 'imghost run'.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    var run = try ClusterOptions.run(line)
    try ClusterOptions.read(line, into: &run.record.batch)
    let name = run.record.name.text
    let waiting: Int
    do throws(SlurmError) {
      waiting = try run.tasks().filter { !$0.isOver }.count
    } catch {
      Terminal.error("imghost: \(error.text)")
      return .someFailed
    }
    guard waiting == 0 else {
      throw .other("run \(name) still has jobs in the queue; 'imghost status --follow \(name)' follows them")
    }
    if run.folder.mergeStatus == 0 {
      Terminal.error("imghost: run \(name) is finished; nothing is left to make")
      return .success
    }
    guard chdir(run.record.command.workingFolder) == 0 else {
      throw .other("\(printable(run.record.command.workingFolder)): \(systemText(errno))")
    }
    run.record.command.version = CommandList.version
    run.record.command.program = Executable.sibling("imghost")
    let (plan, status) = try ClusterPlan.make(for: &run.record, .number(run.record.division.shards))
    guard let plan else { return status }
    if let status = run.claim() { return status }
    var reports = ManifestReports(run.record)
    let left = reports.left(of: plan.divisions)
    reports.remove(left)
    return run.submit(left, isNew: false, line)
  }
}
