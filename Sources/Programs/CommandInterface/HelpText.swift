/// The text of `--help`, generated from the declarations of commands and options.
package enum HelpText {
  package static func program(_ program: CommandLineProgram) -> String {
    """
    \(filled("\(program.name): \(program.summary)"))

    usage: \(program.name) COMMAND [OPTIONS] …

    \(table(rows(program.commands)))

    \(filled("'\(program.name) COMMAND --help' explains a command; '\(program.name) --version' prints the version."))
    """
  }

  package static func command(_ command: any Command.Type, of program: CommandLineProgram) -> String {
    let options = sections(of: command).map { title, options in
      (title.isEmpty ? "" : filled(title) + "\n\n") + table(options.map { ("  " + $0.heading, $0.fullHelp) })
    }
    let parts =
      [filled(command.summary), "usage: " + synopsis(command, of: program)] + options
      + [table(rows(command.subcommands)), filled(command.details)]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// Returns the options of a command, grouped by heading. The headings are in the order of their first options.
  static func sections(of command: any Command.Type) -> [(title: String, options: [CommandOption])] {
    var sections: [(title: String, options: [CommandOption])] = []
    for option in command.allOptions {
      let index = sections.firstIndex { $0.title == option.section } ?? sections.count
      if index == sections.count { sections.append((option.section, [])) }
      sections[index].options.append(option)
    }
    return sections
  }

  static func synopsis(_ command: any Command.Type, of program: CommandLineProgram) -> String {
    "\(program.name) \(command.name) [OPTIONS]" + (command.operands.isEmpty ? "" : " " + command.operands)
  }

  private static func rows(_ commands: [any Command.Type]) -> [(String, String)] {
    commands.map { ("  \($0.name)" + ($0.operands.isEmpty ? "" : " " + $0.operands), $0.summary) }
  }

  /// Returns a table of two columns, the right one wrapped. A left cell that is too long gets a line of its own.
  ///
  /// - Parameter width: the width of the page in columns.
  package static func table(_ rows: [(String, String)], width: Int = Terminal.textWidth) -> String {
    let left = min(30, width / 3, rows.map(\.0.count).max() ?? 0)
    let indent = "\n" + String(repeating: " ", count: left + 2)
    return rows.map { cell, text in
      // A row without a text is a heading.
      if text.isEmpty { return cell }
      let lines = wrapped(text, width: width - left - 2).joined(separator: indent)
      return cell.count > left
        ? cell + indent + lines
        : cell + String(repeating: " ", count: left + 2 - cell.count) + lines
    }.joined(separator: "\n")
  }

  /// Returns paragraphs, each filled to the width of the page. A paragraph with a line that starts with a space stays
  /// unchanged.
  package static func filled(_ text: String, width: Int = Terminal.textWidth) -> String {
    let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
    return paragraphs.map { lines in
      if lines.contains(where: { $0.hasPrefix(" ") }) { return lines.joined(separator: "\n") }
      return wrapped(lines.joined(separator: " "), width: width).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// Wraps a text at spaces.
  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let line = lines.last, line.count + 1 + word.count <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
