import CommandInterface
import ImagePipeline
import Reporting

enum CheckCommand: Command {
  static let name = "check"
  static let summary = "find every mistake in a script, and write nothing"
  static let operands = "SCRIPT|-e CODE [ARGS…]"
  static let leavesRestToScript = true
  static let options =
    [ScriptOptions.code] + ScriptOptions.all + [
      CommandOption(
        name: "--json", value: nil, help: "print mistakes, notes and settings, one JSON object a line"),
      DesignFile.option, RecordedRun.overwrite, CommandOption.quiet,
    ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    var options = RunOptions()
    options.isDryRun = true
    let asJSON = line.has("--json")
    let isQuiet = line.has("--quiet")
    let reporter = RunReporter(
      asJSON: asJSON, showsProgress: false, printsPlan: false, verbosity: isQuiet ? .quiet : .normal)
    let text = ScriptOptions.text(line)
    let status = try ScriptRunner.run(line, options: options, reporter: reporter, text: text)
    if status == .success, !asJSON, !isQuiet {
      Terminal.output("\(text?.name ?? line.operands[0]): no mistakes found")
    }
    return status
  }
}
