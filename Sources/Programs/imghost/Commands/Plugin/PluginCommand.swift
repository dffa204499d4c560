import ImageCore
import ImagePipeline

/// `imghost plugin SUBCOMMAND`.
enum PluginCommand: Command {
  static let name = "plugin"
  static let summary = "work on one plugin"
  static let operands = "SUBCOMMAND …"
  static let leavesRestToScript = true
  static var details: String {
    HelpText.table(subcommands.map { ("  \($0.name) \($0.operands)", $0.summary) })
  }

  /// One file a subcommand, one line here.
  static var subcommands: [any Command.Type] {
    [
      PluginCheckCommand.self,
      PluginRunCommand.self,
    ]
  }

  static func run(_ line: ParsedLine) -> ExitStatus {
    guard let first = line.operands.first else {
      Terminal.error("imghost plugin: " + UsageError.missingOperand("SUBCOMMAND").text)
      return .wrongUsage
    }
    guard let command = subcommands.first(where: { $0.name == "\(name) \(first)" }) else {
      let known = subcommands.map { String($0.name.dropFirst(name.count + 1)) }
      let hint = Suggestion.nearest(to: first, in: known).map { " (did you mean '\($0)'?)" } ?? ""
      Terminal.error(
        "imghost plugin: there is no subcommand '\(printable(first))'\(hint); valid: "
          + known.joined(separator: ", "))
      return .wrongUsage
    }
    return CommandLineProgram.run(Array(line.operands.dropFirst()), as: command)
  }
}
