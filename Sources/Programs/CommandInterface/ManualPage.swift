/// Manual pages in the format of `man(7)`, generated from the declarations of commands and options: one for the
/// program, and one for each command, such as `imghost-plugin-check(1)`.
package enum ManualPage {
  /// Returns the page of the program: its commands, environment and exit statuses.
  package static func text(_ program: CommandLineProgram) -> String {
    let name = program.name
    return page(
      name, summary: program.summary, of: program,
      [
        (
          "SYNOPSIS",
          [
            ".B \(escaped(name))", ".I COMMAND", "[\\fIOPTIONS\\fR] \\&...",
          ]
        ),
        ("COMMANDS", list(program.commands, of: program)),
        ("ENVIRONMENT", program.environment.flatMap { [".TP", ".B \(escaped($0.name))", sentence($0.help)] }),
        ("EXIT STATUS", lines(program.exitStatus)),
        ("SEE ALSO", references(program.commands, of: program)),
      ])
  }

  /// Returns the page of a command.
  package static func text(_ command: any Command.Type, of program: CommandLineProgram) -> String {
    let subcommands = command.subcommands
    return page(
      title(command, of: program), summary: command.summary, of: program,
      [
        ("SYNOPSIS", [".B \(escaped(HelpText.synopsis(command, of: program)))"]),
        ("DESCRIPTION", lines(command.details)),
        ("COMMANDS", list(subcommands, of: program)),
        (
          "OPTIONS",
          HelpText.sections(of: command).flatMap { title, options in
            (title.isEmpty ? [] : [".PP", escaped(title)]) + options.flatMap(item)
          }
        ),
        (
          "SEE ALSO",
          [".BR \(escaped(program.name)) (1)" + (subcommands.isEmpty ? "" : ",")] + references(subcommands, of: program)
        ),
      ])
  }

  /// Returns the name of a command's page: `imghost-plugin-check`.
  package static func title(_ command: any Command.Type, of program: CommandLineProgram) -> String {
    "\(program.name)-" + command.name.replacing(" ", with: "-")
  }

  private static func page(
    _ title: String, summary: String, of program: CommandLineProgram, _ sections: [(title: String, lines: [String])]
  ) -> String {
    let head = [
      ".\\\" Made by '\(program.name) help --man'.",
      ".TH \(escaped(title.uppercased())) 1 \"\" \"\(program.name) \(program.version)\" \"User Commands\"",
    ]
    let all: [(title: String, lines: [String])] = [("NAME", ["\(escaped(title)) \\- \(escaped(summary))"])] + sections
    let body = all.filter { !$0.lines.isEmpty }.flatMap { title, lines in [".SH \(title)"] + lines }
    return (head + body).joined(separator: "\n") + "\n"
  }

  private static func list(_ commands: [any Command.Type], of program: CommandLineProgram) -> [String] {
    commands.flatMap { command in
      [".TP", ".BR \(escaped(title(command, of: program))) (1)", sentence(command.summary)]
    }
  }

  private static func references(_ commands: [any Command.Type], of program: CommandLineProgram) -> [String] {
    let names = commands.map { ".BR \(escaped(title($0, of: program))) (1)" }
    return names.dropLast().map { $0 + "," } + names.suffix(1)
  }

  private static func item(_ option: CommandOption) -> [String] {
    let value = option.shownValue.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return [".TP", "\\fB\(escaped(option.names))\\fR" + value, sentence(option.fullHelp)]
  }

  /// Returns a help text with a capital letter and a full stop.
  private static func sentence(_ text: String) -> String {
    escaped(text.prefix(1).uppercased() + text.dropFirst() + ".")
  }

  /// Returns the paragraphs of a text as lines of the page. A paragraph with a line that starts with a space keeps its
  /// line breaks.
  private static func lines(_ text: String) -> [String] {
    let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
    return paragraphs.enumerated().flatMap { index, lines -> [String] in
      let words = lines.map { escaped(String($0)) }
      if lines.contains(where: { $0.hasPrefix(" ") }) { return [".PP", ".nf"] + words + [".fi"] }
      return (index == 0 ? [] : [".PP"]) + words
    }
  }

  /// Returns the text escaped for `groff(7)`: `-` becomes a minus, and the text cannot begin with a request.
  static func escaped(_ text: String) -> String {
    var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      case "`": result += "\\(ga"
      case "…": result += "\\&..."
      case let other where other.isASCII: result.unicodeScalars.append(other)
      case let other:
        let digits = String(other.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result
  }
}
