import CommandInterface
import ImageCore
import ImagePipeline
import Reporting

enum HelpCommand: Command {
  static let name = "help"
  static let summary = "explain the program, one command, or the settings of a script"
  static let operands = "[COMMAND|SCRIPT [ARGS…]]"
  static var operandWords: OperandWords { .words(CommandList.program.commands.map { $0.name }) }
  static let options = [
    CommandOption(
      name: "--man", value: nil,
      help: "print the manual page of the program or the command: imghost help --man > imghost.1"),
    CommandOption(
      name: "--names", value: nil,
      help: "print the names of all commands, or of the settings of a script, a line each and nothing else"),
  ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let program = CommandList.program
    let name = line.operands.joined(separator: " ")
    if line.has("--names"), let script = line.operands.first {
      guard isScript(script) else { throw .unexpectedOperand(script) }
      return try names(line)
    } else if line.has("--names") {
      for command in program.leaves { Terminal.output(command.name) }
    } else if name.isEmpty {
      Terminal.output(line.has("--man") ? ManualPage.text(program) : HelpText.program(program))
    } else if let command = program.find(name) {
      Terminal.output(
        line.has("--man") ? ManualPage.text(command, of: program) : HelpText.command(command, of: program))
    } else if isScript(line.operands[0]), !line.has("--man") {
      return try settings(line)
    } else {
      throw .unknownCommand(name, known: program.commands.map { $0.name })
    }
    return .success
  }

  /// Returns whether a word names a script: whether it contains a slash or a dot, which no command's name does.
  private static func isScript(_ word: String) -> Bool { word.contains { "/.".contains($0) } }

  /// The time limit of `names` in seconds. It is short, because shells call `help --names` for completion, while the
  /// user waits.
  private static let patience = 1.0

  /// Runs a script as `imghost check` does, and prints the names that `--set` accepts, without any messages.
  private static func names(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    var options = RunOptions()
    options.isDryRun = true
    let reporter = RunReporter(
      asJSON: false, showsProgress: false, printsPlan: false, passesPrintedLines: false, verbosity: .silent)
    return try ScriptRunner.run(line, options: options, reporter: reporter, patience: patience) { run, _ in
      for setting in run.graph.settings.declared + run.graph.settings.controls {
        Terminal.output(setting.parameter.name)
      }
    }
  }

  /// Runs a script as `imghost check` does, and prints its settings.
  private static func settings(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    var options = RunOptions()
    options.isDryRun = true
    let script = line.operands[0]
    let reporter = RunReporter(asJSON: false, showsProgress: false, printsPlan: false, verbosity: .silent)
    return try ScriptRunner.run(line, options: options, reporter: reporter) { run, status in
      Terminal.output(SettingList.text(run.graph.settings, of: script))
      guard status == .scriptFailed else { return }
      Terminal.error(
        "imghost help: \(printable(script)) has mistakes, so settings may be missing; see 'imghost check \(printable(script))'"
      )
    }
  }
}
