import ImagePipeline

/// `imghost plugin`: what can be done with one plugin. One file a subcommand, one line in the list.
enum PluginCommand: Command {
  static let name = "plugin"
  static let summary =
    "do something with one plugin: " + subcommands.map { $0.name }.joined(separator: ", ")
  static let operands = "SUBCOMMAND …"
  static let leavesRestToScript = true
  static let details =
    subcommands.map { "plugin \($0.name) \($0.operands): \($0.summary)" }.joined(separator: "\n")
    + "\n'imghost plugin SUBCOMMAND --help' tells more."

  static let subcommands: [any Command.Type] = [
    PluginRunCommand.self
  ]

  static func run(_ line: ParsedLine) -> ExitStatus {
    guard let first = line.operands.first else {
      Terminal.error("imghost plugin: " + UsageError.missingOperand("SUBCOMMAND").text)
      return .wrongUsage
    }
    guard let command = subcommands.first(where: { $0.name == first }) else {
      Terminal.error(
        "imghost plugin: there is no subcommand '\(printable(first))'; there is "
          + subcommands.map { $0.name }.joined(separator: ", "))
      return .wrongUsage
    }
    do throws(UsageError) {
      let rest = try ParsedLine(Array(line.operands.dropFirst()), of: command)
      if rest.has("--help") {
        Terminal.output(HelpText.command(command, after: name))
        return .success
      }
      if rest.operands.count > command.maximumOperands {
        throw .tooManyOperands(rest.operands[command.maximumOperands])
      }
      return command.run(rest)
    } catch {
      Terminal.error("imghost plugin \(command.name): \(error.text)")
      return .wrongUsage
    }
  }
}
