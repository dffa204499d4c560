import CommandInterface

enum CompletionCommand: Command {
  static let name = "completion"
  static let summary = "print a script that completes commands and options in a shell"
  static let operands = "bash|zsh|fish"
  static let operandWords = OperandWords.words(ShellCompletion.Shell.allCases.map(\.rawValue))
  static let maximumOperands = 1
  static let details = """
    For bash, add this line to ~/.bashrc:

      source <(imghost completion bash)

    For zsh, add this line to ~/.zshrc, after compinit:

      source <(imghost completion zsh)

    For fish, run once:

      imghost completion fish > ~/.config/fish/completions/imghost.fish
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let name = try line.operand(0, "SHELL")
    guard let shell = ShellCompletion.Shell(rawValue: name) else {
      throw .badValue(option: "SHELL", value: name, expected: "one of bash, zsh, fish")
    }
    Terminal.output(ShellCompletion.script(for: shell, of: CommandList.program))
    return .success
  }
}
