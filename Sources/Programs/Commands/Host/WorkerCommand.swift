import CommandInterface

/// `--worker-command`: lets authors of plugins run the workers under a debugger or memory checker.
enum WorkerCommand {
  static let option = CommandOption(
    name: "--worker-command", value: "COMMAND",
    help: "run plugins under a debugger or checker, such as 'valgrind -q', without isolation and time limits; for "
      + "valgrind before 3.20, build with gcc, or with clang -gdwarf-4")

  /// Returns the command that the option gives; nil if it is not given.
  static func value(_ line: ParsedLine) throws(UsageError) -> String? {
    guard let command = line.value(option.name) else { return nil }
    for other in ["--in-process", "--deadline"] where line.has(other) {
      throw .other("\(option.name) and \(other) contradict each other")
    }
    return command
  }
}
