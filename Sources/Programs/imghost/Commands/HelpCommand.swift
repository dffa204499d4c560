import CommandInterface
import ImageCore
import ImagePipeline
import Reporting

/// `imghost help`.
enum HelpCommand: Command {
  static let name = "help"
  static let summary = "explain the program, one command, or the settings of a script"
  static let operands = "[COMMAND|SCRIPT [ARGS…]]"
  static var operandWords: OperandWords { .words(CommandList.program.commands.map { $0.name }) }
  static let options = [
    CommandOption(
      name: "--man", value: nil,
      help: "print the manual page of the program or the command: imghost help --man > imghost.1"),
    CommandOption(name: "--names", value: nil, help: "print the names of all commands, a line each"),
  ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let program = CommandList.program
    let name = line.operands.joined(separator: " ")
    if line.has("--names") {
      guard name.isEmpty else { throw .unexpectedOperand(line.operands[0]) }
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

  /// Whether a word names a script: commands have neither folders nor endings.
  private static func isScript(_ word: String) -> Bool { word.contains { "/.".contains($0) } }

  /// Runs a script like `check`, and prints the settings that it declares.
  private static func settings(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    var options = RunOptions()
    options.isDryRun = true
    let script = line.operands[0]
    let reporter = RunReporter(asJSON: false, showsProgress: false, printsPlan: false, verbosity: .silent)
    return try ScriptRunner.run(line, options: options, reporter: reporter) { run, status in
      Terminal.output(SettingList.text(run.settings, of: script))
      guard status == .scriptFailed else { return }
      Terminal.error(
        "imghost help: \(printable(script)) has mistakes, so settings may be missing; see 'imghost check \(printable(script))'"
      )
    }
  }
}
