import Testing

@testable import CommandInterface

/// Options with short names, and options that take the next word only if it fits.
struct ValueUseTests {
  private enum Tool: Command {
    static let name = "tool"
    static let summary = "a tool"
    static let operands = "IN…"
    static let options = [
      CommandOption(name: "--output", short: "-o", value: "OUT", help: "the output", repeats: true),
      CommandOption(
        name: "--sharpen", value: "N", use: .whenFits { Double($0) != nil }, help: "sharpen", repeats: true,
        section: "operations:"),
      CommandOption(name: "--flip", short: "-f", value: nil, help: "flip", section: "operations:"),
    ]
    static var moreOptions: [CommandOption] { [CommandOption(name: "--rare", value: "N", help: "found late")] }
    static func run(_ line: ParsedLine) throws(UsageError) -> CommandInterface.ExitStatus { .success }
  }

  private typealias Item = ParsedLine.Item

  static let lines: [(String, [String])] = [
    ("-o x a", ["--output=x", "a"]), ("-ox", ["--output=x"]), ("-o=x", ["--output=x"]), ("--output=x", ["--output=x"]),
    ("--sharpen 0.4 a", ["--sharpen=0.4", "a"]), ("--sharpen a", ["--sharpen", "a"]),
    ("--sharpen -2 --flip", ["--sharpen=-2", "--flip"]), ("--sharpen --flip -f", ["--sharpen", "--flip", "--flip"]),
    ("--sharpen=a", ["--sharpen=a"]), ("--sharpen= a", ["--sharpen=", "a"]), ("--sharpen -- 5", ["--sharpen", "5"]),
    ("a --rare 3 - b", ["a", "--rare=3", "-", "b"]),
  ]

  @Test(arguments: lines)
  func order(_ line: String, _ expected: [String]) throws {
    let words = line.split(separator: " ").map(String.init)
    let shown = try ParsedLine(words, of: Tool.self).items.map { item in
      switch item {
      case .operand(let word): word
      case .option(let name, let value): name + (value.map { "=" + $0 } ?? "")
      }
    }
    #expect(shown == expected)
  }

  @Test func mistakes() {
    #expect(throws: UsageError.missingValue("--output", expected: "OUT")) { try ParsedLine(["-o"], of: Tool.self) }
    #expect(throws: UsageError.self) { try ParsedLine(["-x"], of: Tool.self) }
    #expect(throws: UsageError.unexpectedValue("--flip")) { try ParsedLine(["--flip=1"], of: Tool.self) }
  }

  @Test func help() {
    let program = CommandLineProgram(name: "p", version: "1", summary: "s", commands: [Tool.self])
    let help = HelpText.command(Tool.self, of: program)
    #expect(help.contains("  -o, --output OUT"))
    #expect(help.contains("operations:\n\n  --sharpen [N]"))
    #expect(ShellCompletion.script(for: .bash, of: program).contains("-o --output"))
    #expect(ManualPage.text(Tool.self, of: program).contains("\\fB\\-o, \\-\\-output\\fR \\fIOUT\\fR"))
  }
}
