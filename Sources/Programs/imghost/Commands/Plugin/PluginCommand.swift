import CommandInterface

/// `imghost plugin SUBCOMMAND`.
enum PluginCommand: Command {
  static let name = "plugin"
  static let summary = "check or run one plugin"
  static let operands = "SUBCOMMAND …"
  static let leavesRestToScript = true
  /// Each subcommand is one file and one line here.
  static let subcommands: [any Command.Type] = [
    PluginCheckCommand.self,
    PluginRunCommand.self,
  ]

  static func run(_ line: ParsedLine) -> ExitStatus {
    preconditionFailure("the program runs subcommands itself")
  }
}
