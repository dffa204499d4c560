/// One command: its summary, its options, and the function that runs it. Each command has its own file, and one line in
/// `CommandList` or, for a subcommand, in the `subcommands` of another command.
package protocol Command: SendableMetatype {
  /// The word after `imghost`; for a subcommand both words, such as `plugin check`.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// The operands as the help shows them: `SCRIPT [ARGS…]`.
  static var operands: String { get }
  /// The words that shells complete for the operands.
  static var operandWords: OperandWords { get }
  /// Paragraphs for `--help`, after the options; empty for none.
  static var details: String { get }
  static var options: [CommandOption] { get }
  /// Further options. They take time to find, so they are only requested for an unknown option.
  static var moreOptions: [CommandOption] { get }
  /// Options that users know from other programs, with the option to use instead.
  static var habits: [String: String] { get }
  static var subcommands: [any Command.Type] { get }
  /// The maximum number of operands.
  static var maximumOperands: Int { get }
  /// Whether all words after the first operand belong to the script.
  static var leavesRestToScript: Bool { get }

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus
}

extension Command {
  package static var operandWords: OperandWords { .files }
  package static var details: String { "" }
  package static var options: [CommandOption] { [] }
  package static var moreOptions: [CommandOption] { [] }
  package static var habits: [String: String] { [:] }
  package static var subcommands: [any Command.Type] { [] }
  package static var maximumOperands: Int { .max }
  package static var leavesRestToScript: Bool { false }

  /// The options, including `--help`, which all commands have.
  static var allOptions: [CommandOption] { options + [.help] }
  /// The last word of the name: `check` for `plugin check`.
  static var lastName: String { name.split(separator: " ").last.map(String.init) ?? name }
}

/// The words that a shell completes for an operand.
package enum OperandWords: Sendable, Equatable {
  case files
  case words([String])
}

/// An environment variable that the program reads.
package struct EnvironmentVariable: Sendable {
  package let name: String
  /// The meaning of the variable: one line without a full stop.
  package let help: String

  package init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}
