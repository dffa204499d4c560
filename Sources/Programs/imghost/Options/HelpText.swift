/// `--help`, made from the tables of commands and options.
enum HelpText {
  static var program: String {
    let rows = CommandList.all.map { ("  \($0.name) \($0.operands)", $0.summary) }
    return """
      imghost: picture pipelines and PDF photo books from Lua scripts, on all cores of the CPU

      usage: imghost COMMAND [OPTIONS] …

      \(table(rows))

      'imghost COMMAND --help' tells about one command, 'imghost --version' the version.
      """
  }

  static func command(_ command: any Command.Type) -> String {
    let rows = (command.options + [.help]).map { option in
      ("  \(option.name)\(option.value.map { " \($0)" } ?? "")", option.help + choices(option))
    }
    let optionsPlace = command.operands.isEmpty ? "[OPTIONS]" : "[OPTIONS] \(command.operands)"
    return """
      \(command.summary)

      usage: imghost \(command.name) \(optionsPlace)

      \(table(rows))\(command.details.isEmpty ? "" : "\n\n" + command.details)
      """
  }

  private static func choices(_ option: CommandOption) -> String {
    option.choices.isEmpty ? "" : ": " + option.choices.joined(separator: ", ")
  }

  /// Two columns, the right one broken into lines; a left cell that is too long gets a line of its own.
  static func table(_ rows: [(String, String)]) -> String {
    let width = min(30, rows.map(\.0.count).max() ?? 0)
    let indent = "\n" + String(repeating: " ", count: width + 2)
    return rows.map { left, right in
      let lines = wrapped(right, width: 98 - width).joined(separator: indent)
      return left.count > width
        ? left + indent + lines
        : left + String(repeating: " ", count: width + 2 - left.count) + lines
    }.joined(separator: "\n")
  }

  /// Breaks a text at spaces.
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
