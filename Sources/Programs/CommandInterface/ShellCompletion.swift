import Platform

/// Scripts that complete commands, options and their values in a shell, generated from the declarations of commands and
/// options.
package enum ShellCompletion {
  package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
  }

  package static func script(for shell: Shell, of program: CommandLineProgram) -> String {
    switch shell {
    case .bash: bash(program)
    case .zsh: zsh(program)
    case .fish: fish(program)
    }
  }

  /// Returns the words that may follow a command: its subcommands, or the possible values of its operand.
  private static func words(_ command: any Command.Type) -> [String] {
    if !command.subcommands.isEmpty { return command.subcommands.map { $0.lastName } }
    guard case .words(let words) = command.operandWords else { return [] }
    return words
  }

  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  // MARK: - bash

  /// Returns the completion script for bash:
  /// https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html
  private static func bash(_ program: CommandLineProgram) -> String {
    let name = program.name
    let cases = program.leaves.map { command in
      "    \(quoted(command.name))) options=\(quoted(optionNames(command)));"
        + " words=\(quoted(words(command).joined(separator: " "))) ;;"
    }
    let values = program.leaves.flatMap { command in
      command.options.filter { !$0.choices.isEmpty }.map { option in
        "    \(quoted("\(command.name) \(option.name)"))) options= "
          + "words=\(quoted(option.choices.joined(separator: " "))) ;;"
      }
    }
    let settings = program.leaves.flatMap { command in
      command.allOptions.filter(\.namesSetting).map { quoted("\(command.name) \($0.name)") }
    }
    let open = program.leaves.flatMap { command in
      command.options.filter { $0.value != nil && $0.choices.isEmpty && !$0.namesSetting }.flatMap { option in
        [option.name, option.short].compactMap(\.self).map { quoted("\(command.name) \($0)") }
      }
    }
    return """
      # Completion of \(name) for bash, made by '\(name) completion bash'.
      # Completes the name of a setting that the script on the line declares; the program answers within a second.
      _\(name)_settings() {
        local script
        for script in "${COMP_WORDS[@]:2}"; do
          [[ $script == *.lua && -f $script ]] || continue
          compopt -o nospace 2>/dev/null
          local names=$("${COMP_WORDS[0]}" help --names -- "$script" 2>/dev/null)
          COMPREPLY=($(compgen -S = -W "$names" -- "$1"))
          return
        done
      }
      _\(name)() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
        local command=${COMP_WORDS[1]} options= words=
        # Readline splits '--name=value' at the sign.
        if [[ $word == = ]]; then
          word=
        elif [[ $before == = ]]; then
          before=${COMP_WORDS[COMP_CWORD-2]}
        fi
        if ((COMP_CWORD > 2)); then
          case "$command ${COMP_WORDS[2]}" in
          \(subcommandNames(program).map(quoted).joined(separator: "|"))) command+=" ${COMP_WORDS[2]}" ;;
          esac
        fi
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          options='--help --version'
          words=\(quoted(program.commands.map { $0.name }.joined(separator: " ")))
        else
          case "$command" in
      \(cases.joined(separator: "\n"))
          esac
          case "$command $before" in
      \(values.joined(separator: "\n"))
          \(settings.joined(separator: "|"))) _\(name)_settings "$word"; return ;;
          \(open.joined(separator: "|"))) return ;;
          esac
        fi
        if [[ $word == -* ]]; then words=$options; fi
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      }
      complete -o bashdefault -o default -F _\(name) \(name)
      """
  }

  private static func optionNames(_ command: any Command.Type) -> String {
    command.allOptions.flatMap { [$0.short, $0.name].compactMap(\.self) }.joined(separator: " ")
  }

  private static func subcommandNames(_ program: CommandLineProgram) -> [String] {
    program.commands.flatMap { $0.subcommands.map { $0.name } }
  }

  // MARK: - zsh

  /// Returns the completion script for zsh: https://zsh.sourceforge.io/Doc/Release/Completion-System.html
  private static func zsh(_ program: CommandLineProgram) -> String {
    let name = program.name
    let functions = program.leaves.map { command -> String in
      let specs =
        command.allOptions.flatMap { specifications($0, of: name) }
        + (command.subcommands.isEmpty
          ? [quoted("*:\(escaped(command.operands)):\(action(words(command)))")]
          : [quoted("(-)1:subcommand:\(action(words(command)))"), quoted("(-)*:: :->rest")])
      let rest =
        command.subcommands.isEmpty
        ? ""
        : "\n  [[ $state == rest ]] && (( $+functions[\(function(name, command))_$words[1]] ))"
          + " && \(function(name, command))_$words[1]"
      return "\(function(name, command))() {\n  _arguments -s \\\n    "
        + specs.joined(separator: " \\\n    ") + rest + "\n}"
    }
    let commands = program.commands.map { quoted("\($0.name):\(escaped($0.summary))") }
    return """
      #compdef \(name)
      # Completion of \(name) for zsh, made by '\(name) completion zsh'.
      # Completes the name of a setting that the script on the line declares; the program answers within a second.
      _\(name)_settings() {
        local script
        local -a names
        for script in ${(Q)words}; do
          [[ $script == *.lua && -f $script ]] || continue
          names=(${(f)"$(_call_program settings \(name) help --names -- ${(q)script} 2>/dev/null)"})
          compadd -q -S = -a names
          return
        done
      }
      \(functions.joined(separator: "\n"))
      _\(name)() {
        local state
        # '(-)' leaves the options behind the command to that command.
        local -a commands=(
          \(commands.joined(separator: "\n    "))
        )
        _arguments '(- *)--help[print this help and exit]' \\
          '(- *)--version[print the version and exit]' '(-)1: :->command' '(-)*:: :->rest'
        case $state in
        command) _describe -t commands command commands ;;
        rest) (( $+functions[_\(name)_$words[1]] )) && _\(name)_$words[1] ;;
        esac
      }
      if [[ $funcstack[1] == _\(name) ]]; then _\(name) "$@"; else compdef _\(name) \(name); fi
      """
  }

  private static func function(_ name: String, _ command: any Command.Type) -> String {
    "_\(name)_" + command.name.replacing(" ", with: "_")
  }

  private static func specifications(_ option: CommandOption, of program: String) -> [String] {
    [option.short, option.name].compactMap(\.self).map { name in
      let start = (option.repeats ? "*" : "") + name
      guard let value = option.value else { return quoted("\(start)[\(escaped(option.help))]") }
      let mark = name == option.name ? "=" : ""
      let optional = option.use.isRequired ? ":" : "::"
      return quoted(
        "\(start)\(mark)[\(escaped(option.help))]\(optional)\(escaped(value)):\(option.namesSetting ? "_\(program)_settings" : action(option.choices))"
      )
    }
  }

  private static func action(_ words: [String]) -> String {
    words.isEmpty ? "_files" : "(" + words.joined(separator: " ") + ")"
  }

  /// Returns the text escaped for the specifications of `_arguments`.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if "[]:\\".contains(character) { result += "\\" }
      result.append(character)
    }
    return result
  }

  // MARK: - fish

  /// Returns the completion script for fish: https://fishshell.com/docs/current/completions.html
  private static func fish(_ program: CommandLineProgram) -> String {
    let name = program.name
    var lines = [
      "# Completion of \(name) for fish, made by '\(name) completion fish'.",
      """
      # Lists the settings that the script on the line declares; the program answers within a second.
      function __\(name)_settings
        set -l words (commandline -po)
        for script in $words
          string match -q -- '*.lua' $script; and test -f $script; or continue
          command $words[1] help --names -- $script 2>/dev/null | string replace -r '$' '='
          return
        end
      end
      """,
      "complete -c \(name) -n __fish_use_subcommand -f -l help -d 'print this help and exit'",
      "complete -c \(name) -n __fish_use_subcommand -f -l version -d 'print the version and exit'",
    ]
    for command in program.commands {
      lines.append(
        "complete -c \(name) -n __fish_use_subcommand -f -a \(command.name) -d "
          + fishQuoted(command.summary))
    }
    for command in program.leaves {
      let condition = fishQuoted(
        command.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and "))
      let start = "complete -c \(name) -n \(condition)"
      let words = words(command)
      if !words.isEmpty { lines.append("\(start) -f -a \(fishQuoted(words.joined(separator: " ")))") }
      for option in command.allOptions {
        let value =
          option.value == nil
          ? " -f"
          : option.namesSetting
            ? " -x -a '(__\(program.name)_settings)'"
            : option.choices.isEmpty ? " -r" : " -x -a " + fishQuoted(option.choices.joined(separator: " "))
        let name = option.name.dropFirst(2)
        let short = option.short.map { " -s \($0.dropFirst())" } ?? ""
        lines.append("\(start) -l \(name)\(short)\(value) -d \(fishQuoted(option.help))")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}

/// Quotes words of commands for a POSIX shell.
///
/// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
package enum ShellWord {
  private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%".utf8)
  private static let quote = UInt8(ascii: "'")

  /// Returns the word in a form that the shell reads as the same bytes. Words without special characters stay
  /// unchanged.
  ///
  /// The comparison uses bytes: as a `Character`, a quote followed by a combining mark does not equal a quote.
  package static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(plainBytes.contains) { return word }
    if PathBytes.containsMark(word) { return escaped(word) }
    var bytes = [quote]
    for byte in word.utf8 {
      if byte == quote { bytes += Array("'\\''".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes + [quote], as: UTF8.self)
  }

  /// Quotes a word that is not valid UTF-8 with dollar-single-quotes (section 2.2.4 of the standard).
  private static func escaped(_ word: String) -> String {
    var text = "$'"
    for scalar in word.unicodeScalars {
      if let byte = PathBytes.byte(of: scalar) {
        text += "\\" + String(byte, radix: 8)
      } else if scalar.value < 0x20 || scalar == "'" || scalar == "\\" {
        let digits = String(scalar.value, radix: 8)
        text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }
}
