@testable import CommandInterface

/// A program with one command of each kind.
enum Paint: Command {
  static let name = "paint"
  static let summary = "paint a picture"
  static let operands = "FILE [ARGS…]"
  static let leavesRestToScript = true
  static let details = "First paragraph.\n\n'quoted' \\ end."
  static let options = [
    CommandOption(name: "--colour", value: "NAME", help: "the colour", choices: ["red", "blue"]),
    CommandOption(name: "--set", value: "KEY=VALUE", help: "a setting: [x]", repeats: true),
    CommandOption(name: "--title", value: "TEXT", help: "the title", mayBeEmpty: true),
    CommandOption(name: "--jobs", value: "N", help: "it's a number"),
    CommandOption(name: "--dry-run", value: nil, help: "write nothing"),
  ]

  static func run(_ line: ParsedLine) -> ExitStatus { .success }
}

enum Tool: Command {
  static let name = "tool"
  static let summary = "work on a tool"
  static let operands = "SUBCOMMAND …"
  static let leavesRestToScript = true
  static let subcommands: [any Command.Type] = [ToolTest.self]

  static func run(_ line: ParsedLine) -> ExitStatus { .success }
}

enum ToolTest: Command {
  static let name = "tool test"
  static let summary = "test a tool"
  static let operands = "NAME"
  static let operandWords = OperandWords.words(["hammer", "saw"])
  static let maximumOperands = 1
  static let options = [CommandOption.json]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    _ = try line.operand(0, "NAME")
    return .someFailed
  }
}

let example = CommandLineProgram(
  name: "example", version: "1.2", summary: "an example", commands: [Paint.self, Tool.self],
  environment: [EnvironmentVariable("BRUSH", "the width of a line")], exitStatus: "0 painted")
