import ImagePipeline

/// The script that a command line stands for, and the words that its lines come from.
///
/// Messages about a line are told in the words of the command line.
package struct OneLineScript: Sendable {
  /// The words behind a line of the script.
  struct Origin: Sendable {
    /// The option, or the input, that messages begin with.
    let option: String
    /// The options that stand for parameters of the line's call.
    var parameters: [String: String] = [:]
    /// Whether messages about files name the option, too, because they are about what it does.
    var isOperation = false
  }

  /// The command, `imghost convert`. Its messages begin with it.
  package let command: String
  private var lines: [String] = []
  private var origins: [Int: Origin] = [:]
  /// Mistakes in the words themselves, at the lines that stand for them.
  package private(set) var mistakes: [Diagnostic] = []

  init(_ command: String) { self.command = command }

  package var text: String { lines.joined(separator: "\n") + "\n" }

  mutating func add(_ line: String = "", from origin: Origin? = nil) {
    lines.append(line)
    if let origin { origins[lines.count] = origin }
  }

  /// Notes a mistake in the words behind the next line, and adds that as a comment.
  mutating func addMistake(_ message: String, _ word: String, from origin: Origin) {
    add("-- " + Self.comment(word), from: origin)
    mistakes.append(Diagnostic(.script, at: ScriptPosition(file: command, line: lines.count), message: message))
  }

  /// A text that ends no comment.
  static func comment(_ text: String) -> String { printable(text) }

  /// The name in quotes that a message begins with; nil for none.
  private static func quotedName(_ message: String) -> String? {
    guard message.hasPrefix("'") else { return nil }
    return message.dropFirst().split(separator: "'", maxSplits: 1).first.map(String.init)
  }

  /// Tells a message in the words of the command line.
  package func words(for diagnostic: Diagnostic) -> String {
    let origin = diagnostic.position.flatMap { $0.file == command ? origins[$0.line] : nil }
    let parameter = diagnostic.parameter ?? Self.quotedName(diagnostic.message)
    let option = parameter.flatMap { origin?.parameters[$0] }
    var subject = option ?? origin?.option
    if diagnostic.kind != .script, origin?.isOperation != true { subject = nil }
    // An input that is named by its option is not named twice.
    let file = subject == diagnostic.file ? nil : diagnostic.file
    let message = [diagnostic.message, diagnostic.advice?.onCommandLine].compactMap(\.self).joined(separator: "; ")
    let told = Diagnostic(diagnostic.kind, at: nil, subject: subject, file: file, message: message)
    return command + ": " + told.text
  }
}
