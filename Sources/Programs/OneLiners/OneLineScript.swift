import CommandInterface
import ImageCore
import ImagePipeline

/// The script that a command line is translated into, and the words that each line comes from.
///
/// Messages about a line of the script refer to the words of the command line.
package struct OneLineScript: Sendable {
  /// The words that a line of the script comes from.
  struct Origin: Sendable {
    /// The option or the input that messages begin with.
    let option: String
    /// The option that each parameter of the call comes from, by the name of the parameter.
    var parameters: [String: String] = [:]
    /// Whether the option is an operation. If so, all messages about the line begin with the option; otherwise, only
    /// those of the kind `script` do.
    var isOperation = false
  }

  /// The command that messages begin with, such as `imghost convert`.
  package let command: String
  private var lines: [String] = []
  private var origins: [Int: Origin] = [:]
  /// Mistakes in the words themselves, at the lines that the words are translated into.
  package private(set) var mistakes: [Diagnostic] = []

  init(_ command: String) { self.command = command }

  package var text: String { lines.joined(separator: "\n") + "\n" }

  mutating func add(_ line: String = "", from origin: Origin? = nil) {
    lines.append(line)
    if let origin { origins[lines.count] = origin }
  }

  /// Records a mistake in a word that cannot be translated, and adds a comment with that word instead of a line of
  /// code.
  mutating func addMistake(_ message: String, _ word: String, from origin: Origin) {
    add("-- " + printable(word), from: origin)
    mistakes.append(Diagnostic(.script, at: ScriptPosition(file: command, line: lines.count), message: message))
  }

  /// Returns a message in terms of the command line.
  package func words(for diagnostic: Diagnostic) -> String {
    let origin = diagnostic.position.flatMap { $0.file == command ? origins[$0.line] : nil }
    let option = diagnostic.parameter.flatMap { origin?.parameters[$0] }
    var subject = option ?? origin?.option
    if diagnostic.kind != .script, origin?.isOperation != true { subject = nil }
    // The file is not named twice if it is already the subject of the message.
    let file = subject == diagnostic.file ? nil : diagnostic.file
    let message = [diagnostic.message, diagnostic.advice?.onCommandLine].compactMap(\.self).joined(separator: "; ")
    let told = Diagnostic(diagnostic.kind, at: nil, subject: subject, file: file, message: message)
    return command + ": " + told.text
  }
}

// MARK: - Pictures

/// The lines that open pictures and change them.
extension OneLineScript {
  /// Adds the command line as a comment, and the line that loads the module.
  mutating func addBeginning(_ words: [String]) {
    add("-- " + printable(words.map(ShellWord.quoted).joined(separator: " ")))
    add("local img = require \"imghost\"")
    add()
  }

  /// Adds the lines that open the inputs and process them.
  ///
  /// - Returns: true if the script has one picture, `photo`; false if it has a list, `photos`.
  mutating func addPictures(_ words: OneLineWords, plugin: @escaping PluginFinder) -> Bool {
    var edits = EditLines(plugin)
    for call in words.calls { edits.add(call) }
    for (variable, path) in edits.pictures {
      add("local \(variable) = \(LuaLiteral.picture(path: path).code)", from: Origin(option: path))
    }
    let inputs = words.inputs.map { InputWord($0) }
    if inputs.count == 1, let input = inputs.first, !input.isPattern {
      let options = options(words.opening)
      let origin = Origin(option: input.text, parameters: Self.parameters(words.opening))
      add("local photo = img.open(\(LuaLiteral.quoted(input.text))\(options))", from: origin)
      add(edits, indent: "")
      return true
    }
    addList(inputs, words)
    if !edits.lines.isEmpty {
      add("for i, photo in ipairs(photos) do")
      add(edits, indent: "  ")
      add("  photos[i] = photo")
      add("end")
    }
    return false
  }

  private mutating func addList(_ inputs: [InputWord], _ words: OneLineWords) {
    let options = options(words.opening)
    let parameters = Self.parameters(words.opening)
    add("local photos = {}")
    var rest = inputs[...]
    while let first = rest.first {
      let group = rest.prefix { $0.isPattern == first.isPattern }
      rest = rest.dropFirst(group.count)
      if first.isPattern {
        for input in group {
          add(
            "for _, photo in ipairs(img.glob(\(LuaLiteral.quoted(input.text))\(options))) do table.insert(photos, photo) end",
            from: Origin(option: input.text, parameters: parameters))
        }
      } else {
        add("for _, path in ipairs {")
        for input in group { add("  \(LuaLiteral.quoted(input.text)),") }
        add("} do")
        add("  table.insert(photos, img.open(path\(options)))", from: Origin(option: "IN", parameters: parameters))
        add("end")
      }
    }
  }

  /// Returns the options for reading pictures, as the last argument of a call.
  private mutating func options(_ settings: [OneLineWords.Setting]) -> String {
    let fields = settings.compactMap { field($0) }
    return fields.isEmpty ? "" : ", { \(fields.joined(separator: ", ")) }"
  }

  private static func parameters(_ settings: [OneLineWords.Setting]) -> [String: String] {
    Dictionary(settings.map { ($0.parameter.name, $0.option) }, uniquingKeysWith: { first, _ in first })
  }

  private mutating func add(_ edits: EditLines, indent: String) {
    for line in edits.lines {
      let origin = Origin(option: line.option, isOperation: true)
      if line.mistakes.isEmpty { add(indent + line.code, from: origin) }
      for mistake in line.mistakes { addMistake(mistake, line.words, from: origin) }
    }
  }

  /// Returns an option as the field of a table, `name = value`; nil after recording a mistake in its value.
  mutating func field(_ setting: OneLineWords.Setting) -> String? {
    let name = setting.parameter.name
    guard let text = setting.text else { return LuaLiteral.field(name, .word("true")) }
    do {
      let word = setting.parameter.kind.takesBraces ? try ArgumentItem.value(text) : .plain(text)
      return LuaLiteral.field(name, try ArgumentReader.literal(word, name, setting.parameter))
    } catch {
      let message = (error as? ArgumentItem.Mistake)?.text ?? "\(error)"
      addMistake(message, setting.words, from: Origin(option: setting.option))
      return nil
    }
  }

  /// Adds a call that writes the output, with one line for each option: `photo:save("a.jpg", {`, …, `})`.
  ///
  /// - Parameters:
  ///   - start: the call up to its options.
  ///   - extra: options that are not on the command line.
  ///   - mistake: a mistake in the output's name.
  mutating func addSink(
    _ start: String, _ settings: [OneLineWords.Setting], extra: [String] = [], mistake: String? = nil
  ) {
    let origin = Origin(option: "-o", parameters: Self.parameters(settings))
    if let mistake { addMistake(mistake, "-o", from: Origin(option: "-o")) }
    guard !settings.isEmpty || !extra.isEmpty else { return add(start + ")", from: origin) }
    add(start + ", {", from: origin)
    for field in extra { add("  \(field),") }
    for setting in settings {
      if let field = field(setting) { add("  \(field),") }
    }
    add("})")
  }
}

struct InputWord {
  let text: String
  /// Whether the text is a pattern that the shell did not expand.
  let isPattern: Bool

  init(_ text: String) {
    self.text = text
    isPattern =
      text.contains { "*?[{".contains($0) } && FileIdentity(at: text) == nil
  }
}

extension ParameterKind {
  /// Whether braces in a typed value mark a list, and not text.
  var takesBraces: Bool {
    switch self {
    case .text, .choice, .picture: false
    default: true
    }
  }
}
