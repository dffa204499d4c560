import ClusterRuns
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting

enum SubmitCommand: Command {
  static let name = "submit"
  static let summary = "run a script in shards on a cluster"
  static let operands = "SCRIPT [ARGS…]"
  static let leavesRestToScript = true
  static let options =
    [
      CommandOption(
        name: "--engine", value: "WHAT", help: "the cluster's scheduler", choices: ["slurm"], defaultValue: "slurm")
    ] + PlanCommand.sizes + ClusterOptions.resources + [
      CommandOption(
        name: "--stage", value: nil, help: "copy each picture to the node's own disk before it is decoded"),
      ClusterOptions.detach,
      CommandOption(name: "--dry-run", value: nil, help: "print the shards and the batch scripts; submit nothing"),
      ClusterOptions.runs, CommandOption.progress,
    ] + ClusterOptions.passed
  static let details = """
    The outputs are those of 'imghost run'. The script, its pictures, the outputs, imghost and the folder
    of the run lie on storage that this machine and the nodes share. 'imghost status RUN' tells how a run
    is, and 'imghost resume RUN' makes what is left of it. Ctrl-C cancels its jobs.

    Exit status: that of 'imghost run'; 1 also if the cluster refuses the jobs or loses shards.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    try TrustedOwners.take(line)
    let command = try command(line)
    let name = RunName.make(script: command.script)
    let home = try ClusterOptions.home(line)
    var record = RunRecord(name: name, folder: home + "/" + name.text, command: command)
    try ClusterOptions.read(line, into: &record.batch)
    let (plan, status) = try ClusterPlan.make(for: &record, try PlanCommand.count(line))
    guard let plan else { return status }
    guard !line.has("--dry-run") else {
      show(record, plan.shards)
      return .success
    }
    do throws(FileError) {
      var run = ClusterRun(record, in: try RunFolder.make(name, in: home))
      if let status = run.claim() {
        run.folder.remove()
        return status
      }
      var reports = ManifestReports(record)
      reports.removeFailed()
      return run.submit(nil, isNew: true, line)
    } catch {
      throw .other("\(printable(error.path)): \(error); name a folder that the nodes see with --runs DIR")
    }
  }

  private static func command(_ line: ParsedLine) throws(UsageError) -> ClusterCommand {
    var command = ClusterCommand()
    command.version = CommandList.version
    command.program = Executable.sibling("imghost")
    command.workingFolder = try ClusterOptions.workingFolder()
    command.script = try line.operand(0, "SCRIPT")
    guard command.script != "-" else { throw .other("nodes cannot read a script from standard input; name a file") }
    command.arguments = Array(line.operands.dropFirst())
    command.outputFolder = line.value("--out") ?? "."
    command.words = line.words(of: ClusterOptions.passed)
    if !line.has("--out") { command.words.append("--out=.") }
    command.isStaged = line.has("--stage")
    command.stopsAtFailure = line.value("--on-error") != "continue"
    return command
  }

  private static func show(_ record: RunRecord, _ shards: [ShardPlan]) {
    for row in ShardPlan.table(shards) { Terminal.output(row) }
    let scripts = BatchScripts(record)
    for (name, text) in [(RunFolder.jobScript, scripts.job), (RunFolder.mergeScript, scripts.merge)] {
      Terminal.output("\n--- \(name)\n" + text.dropLast())
    }
  }
}
