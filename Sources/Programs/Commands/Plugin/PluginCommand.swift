import CommandInterface

enum PluginCommand: Command {
  static let name = "plugin"
  static let summary = "list, install, remove, check or run plugins"
  static let operands = "SUBCOMMAND …"
  static let leavesRestToScript = true
  /// The subcommands. Each one has its own file and one line here.
  static let subcommands: [any Command.Type] = [
    PluginListCommand.self,
    PluginInstallCommand.self,
    PluginRemoveCommand.self,
    PluginCheckCommand.self,
    PluginRunCommand.self,
  ]

  static func run(_ line: ParsedLine) -> ExitStatus {
    preconditionFailure("the program runs subcommands itself")
  }
}
