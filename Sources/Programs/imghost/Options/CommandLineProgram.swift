/// What a run of the program ends with.
struct ExitStatus: Sendable, Equatable {
  let rawValue: Int32

  /// Everything written and, where asked, verified.
  static let success = ExitStatus(rawValue: 0)
  /// Some outputs failed.
  static let someFailed = ExitStatus(rawValue: 1)
  static let wrongUsage = ExitStatus(rawValue: 2)
  static let scriptFailed = ExitStatus(rawValue: 3)
  static let notVerified = ExitStatus(rawValue: 4)

  /// As shells have it: 130 for Ctrl-C, 143 for `kill`.
  static func interrupted(by signal: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + signal) }
}

/// One command: what it is for, its options, and what it does. One file a command, one line in the list.
protocol Command: SendableMetatype {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// What follows the name: `SCRIPT [ARGS…]`.
  static var operands: String { get }
  /// Paragraphs for `--help`, after the options; empty for none.
  static var details: String { get }
  static var options: [CommandOption] { get }
  /// How many operands it takes at most.
  static var maximumOperands: Int { get }
  /// Whether everything after the first operand belongs to the script.
  static var leavesRestToScript: Bool { get }

  static func run(_ line: ParsedLine) -> ExitStatus
}

extension Command {
  static var details: String { "" }
  static var options: [CommandOption] { [] }
  static var maximumOperands: Int { .max }
  static var leavesRestToScript: Bool { false }
}

/// The program: finds the command and hands it its options.
enum CommandLineProgram {
  static let version = "0.1.0"

  static func run(_ arguments: [String]) -> ExitStatus {
    guard let first = arguments.first else {
      Terminal.error(HelpText.program)
      return .wrongUsage
    }
    switch first {
    case "--help", "-h", "help":
      if arguments.count > 1, let command = CommandList.find(arguments[1]) {
        Terminal.output(HelpText.command(command))
      } else {
        Terminal.output(HelpText.program)
      }
      return .success
    case "--version", "-V":
      Terminal.output("imghost \(version)")
      return .success
    default: break
    }
    if let mistake = EnvironmentSwitches.mistake {
      Terminal.error("imghost: " + mistake)
      return .wrongUsage
    }
    guard let command = CommandList.find(first) else {
      Terminal.error(UsageError.unknownCommand(first).text)
      return .wrongUsage
    }
    return run(Array(arguments.dropFirst()), as: command)
  }

  /// Runs a command, or a subcommand, with the arguments after its name.
  static func run(_ arguments: [String], as command: any Command.Type) -> ExitStatus {
    do throws(UsageError) {
      let line = try ParsedLine(arguments, of: command)
      if line.has("--help") {
        Terminal.output(HelpText.command(command))
        return .success
      }
      if line.operands.count > command.maximumOperands {
        throw .tooManyOperands(line.operands[command.maximumOperands])
      }
      // The script's own arguments may be empty.
      let own = command.leavesRestToScript ? 1 : line.operands.count
      guard !line.operands.prefix(own).contains("") else { throw .emptyOperand }
      return command.run(line)
    } catch {
      Terminal.error("imghost \(command.name): \(error.text)")
      return .wrongUsage
    }
  }
}
