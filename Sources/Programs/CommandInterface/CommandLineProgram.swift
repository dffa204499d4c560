import ImageCore
import ImagePipeline

/// A program with commands: finds the command that the user names, and runs it with its options.
package struct CommandLineProgram: Sendable {
  package let name: String
  package let version: String
  /// The purpose of the program: one line, for the help.
  package let summary: String
  package let commands: [any Command.Type]
  /// Commands that only the program itself calls; no help mentions them.
  private let ownCommands: [any Command.Type]
  /// The environment variables that the program reads, for its manual page.
  package let environment: [EnvironmentVariable]
  /// The meanings of the program's exit statuses, for its manual page.
  package let exitStatus: String
  /// Returns a problem with the environment that prevents all commands except `help`; nil if there is none.
  let environmentProblem: @Sendable () -> String?
  /// Returns the suggestion for a first word that is no command but is known from other programs; nil for other words.
  private let habit: @Sendable (String) -> String?
  /// Returns the facts that `--version --json` prints in addition to the version.
  private let versionFacts: @Sendable () -> [(String, JSON)]

  package init(
    name: String, version: String, summary: String, commands: [any Command.Type],
    ownCommands: [any Command.Type] = [], environment: [EnvironmentVariable] = [], exitStatus: String = "",
    environmentProblem: @escaping @Sendable () -> String? = { nil },
    habit: @escaping @Sendable (String) -> String? = { _ in nil },
    versionFacts: @escaping @Sendable () -> [(String, JSON)] = { [] }
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands
    self.ownCommands = ownCommands
    self.environment = environment
    self.exitStatus = exitStatus
    self.environmentProblem = environmentProblem
    self.habit = habit
    self.versionFacts = versionFacts
  }

  /// Returns the command with this name, or the subcommand with these two words; nil if there is none.
  package func find(_ name: String) -> (any Command.Type)? { leaves.first { $0.name == name } }

  /// All commands and subcommands, each subcommand after its command.
  package var leaves: [any Command.Type] { commands.flatMap { [$0] + $0.subcommands } }

  package func run(_ arguments: [String]) -> ExitStatus {
    guard let first = arguments.first else {
      Terminal.error(HelpText.program(self))
      return .wrongUsage
    }
    switch first {
    case "--help", "-h": return run(Array(arguments.dropFirst()), named: "help")
    case "--version", "-V": return printVersion(Array(arguments.dropFirst()))
    default: break
    }
    if first != "help", let problem = environmentProblem() {
      Terminal.error("\(name): " + problem, .failure)
      return .wrongUsage
    }
    return run(Array(arguments.dropFirst()), named: first)
  }

  /// Prints the version as text, or as JSON for `--version --json`.
  private func printVersion(_ arguments: [String]) -> ExitStatus {
    switch arguments {
    case []: Terminal.output("\(name) \(version)")
    case ["--json"]:
      let facts: [(String, JSON)] = [("program", .text(name)), ("version", .text(version))]
      Terminal.output(JSON.object(facts + versionFacts()).line)
    default:
      let error = UsageError.unexpectedOperand(arguments.first { $0 != "--json" } ?? "--json")
      Terminal.error("\(name): \(error.text) behind --version: expected --json or nothing", .failure)
      return .wrongUsage
    }
    return .success
  }

  private func run(_ arguments: [String], named word: String) -> ExitStatus {
    guard let command = (commands + ownCommands).first(where: { $0.name == word }) else {
      let error =
        habit(word).map { UsageError.other("unknown command '\(printable(word))' (did you mean '\($0)'?)") }
        ?? .unknownCommand(word, known: commands.map { $0.name })
      Terminal.error("\(name): \(error.text); see '\(name) --help'", .failure)
      return .wrongUsage
    }
    if let first = arguments.first, let subcommand = command.subcommands.first(where: { $0.lastName == first }) {
      return run(Array(arguments.dropFirst()), as: subcommand)
    }
    return run(arguments, as: command)
  }

  /// Runs a command, or a subcommand, with the arguments after its name.
  private func run(_ arguments: [String], as command: any Command.Type) -> ExitStatus {
    do throws(UsageError) {
      let line = try ParsedLine(arguments, of: command)
      if line.has("--help") {
        Terminal.output(HelpText.command(command, of: self))
        return .success
      }
      try check(line, for: command)
      return try command.run(line)
    } catch {
      var error = error
      if case .unknownOption(let option, let valid, nil) = error {
        let home = leaves.first { $0.options.contains { $0.name == option } }
        error =
          command.habits[option].map { .other("unknown option '\(option)' (did you mean '\($0)'?)") }
          ?? .unknownOption(option, valid: valid, home: home?.name)
      }
      let advice = error.isAnsweredByHelp ? "; see '\(name) \(command.name) --help'" : ""
      Terminal.error("\(name) \(command.name): \(error.text)\(advice)", .failure)
      return .wrongUsage
    }
  }

  private func check(_ line: ParsedLine, for command: any Command.Type) throws(UsageError) {
    if line.operands.count > command.maximumOperands {
      throw .unexpectedOperand(line.operands[command.maximumOperands])
    }
    // Empty words are only allowed among the script's own arguments.
    let own = command.leavesRestToScript ? 1 : line.operands.count
    guard !line.operands.prefix(own).contains("") else { throw .emptyOperand }
    guard !command.subcommands.isEmpty else { return }
    guard let first = line.operands.first else { throw .missingOperand("SUBCOMMAND") }
    throw .unknownCommand(first, known: command.subcommands.map { $0.lastName })
  }
}
