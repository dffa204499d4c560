/// The manual page in the language of `man(7)`, made from the tables of commands and options.
package enum ManualPage {
  package static func text(_ program: CommandLineProgram) -> String {
    let name = program.name
    return """
      .\\" Made by '\(name) help --man'.
      .TH \(name.uppercased()) 1 "" "\(name) \(program.version)" "User Commands"
      .SH NAME
      \(escaped(name)) \\- \(escaped(program.summary))
      .SH SYNOPSIS
      .B \(escaped(name))
      .I COMMAND
      [\\fIOPTIONS\\fR] \\&...
      .SH COMMANDS
      \(program.leaves.map { section($0, of: program) }.joined(separator: "\n"))

      """
  }

  private static func section(_ command: any Command.Type, of program: CommandLineProgram) -> String {
    let start = [
      ".SS \(escaped(command.name))",
      ".B \(escaped(HelpText.synopsis(command, of: program)))", ".PP", sentence(command.summary),
    ]
    let options = HelpText.sections(of: command).flatMap { title, options in
      (title.isEmpty ? [] : [".PP", escaped(title)]) + options.flatMap(item)
    }
    let details = command.details.isEmpty ? [] : [".PP"] + lines(command.details)
    return (start + options + details).joined(separator: "\n")
  }

  private static func item(_ option: CommandOption) -> [String] {
    let value = option.shownValue.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return [".TP", "\\fB\(escaped(option.names))\\fR" + value, sentence(option.fullHelp)]
  }

  /// A help text with a capital and a full stop.
  private static func sentence(_ text: String) -> String {
    escaped(text.prefix(1).uppercased() + text.dropFirst() + ".")
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? ".PP" : escaped(String($0)) }
  }

  /// The text without a meaning for `groff(7)`: `-` is a minus, and a line starts no request.
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
