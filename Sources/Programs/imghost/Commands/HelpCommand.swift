import CommandInterface

/// `imghost help`.
enum HelpCommand: Command {
  static let name = "help"
  static let summary = "explain the program or one command"
  static let operands = "[COMMAND]"
  static var operandWords: OperandWords { .words(CommandList.program.commands.map { $0.name }) }
  static let maximumOperands = 2
  static let options = [
    CommandOption(name: "--man", value: nil, help: "print the manual page imghost(1): imghost help --man > imghost.1")
  ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let program = CommandList.program
    let name = line.operands.joined(separator: " ")
    if line.has("--man") {
      guard name.isEmpty else { throw .unexpectedOperand(line.operands[0]) }
      Terminal.output(ManualPage.text(program))
    } else if name.isEmpty {
      Terminal.output(HelpText.program(program))
    } else if let command = program.find(name) {
      Terminal.output(HelpText.command(command, of: program))
    } else {
      throw .unknownCommand(name, known: program.commands.map { $0.name })
    }
    return .success
  }
}
