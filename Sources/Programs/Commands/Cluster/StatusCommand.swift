import ClusterRuns
import CommandInterface
import Reporting

enum StatusCommand: Command {
  static let name = "status"
  static let summary = "tell how a run on a cluster is"
  static let operands = "RUN"
  static let maximumOperands = 1
  static let options = [
    CommandOption(name: "--follow", value: nil, help: "wait for the end of the run, as 'imghost submit' does"),
    TrustedOwners.option, ClusterOptions.runs, CommandOption.progress,
  ]
  static let details = """
    RUN is the name that 'imghost submit' printed, or the folder of the run. With --follow, Ctrl-C leaves
    the run alone.

    Exit status: 0 while the run goes on; that of 'imghost run' once it has ended.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    var run = try ClusterOptions.run(line)
    if line.has("--follow") { return run.follow(showsProgress: ClusterOptions.showsProgress(line)) }
    let snapshot = run.snapshot()
    for text in RunStateText.lines(snapshot, of: run.record) { Terminal.output(text) }
    if snapshot.tasks == nil { Terminal.error("imghost: note: the queue does not answer; these are the run's files") }
    let ending = RunEndingText(snapshot, of: run.record, in: run.folder)
    ending.print(withOutput: false)
    return ending.status
  }
}
