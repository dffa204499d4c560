import CommandInterface
import ImageCore
import ImagePipeline

/// The words of a one-liner, grouped by meaning.
package struct OneLineWords: Sendable {
  /// An operation or a plugin, with the text of its arguments as typed; `--width 800` becomes the text `width=800`.
  struct Call: Sendable {
    let option: String
    var text: String?
    /// The operation; nil for a plugin.
    let operation: OperationDescriptor?

    /// The option and its text, for a comment in the script.
    var words: String { option + (text.map { " " + $0 } ?? "") }
  }

  /// An option for reading or writing files.
  struct Setting: Sendable {
    let option: String
    let parameter: ParameterDescriptor
    let text: String?

    var words: String { option + (text.map { " " + $0 } ?? "") }
  }

  /// The inputs as the user gave them.
  package private(set) var inputs: [String] = []
  private(set) var calls: [Call] = []
  private(set) var opening: [Setting] = []
  private(set) var saving: [Setting] = []
  package let output: String

  /// Returns the option that names the output.
  package static func outputOption(_ help: String) -> CommandOption {
    CommandOption(name: "--output", short: "-o", value: "OUT", help: help, repeats: true)
  }
  /// The option that calls a plugin.
  package static let plugin = CommandOption(
    name: "--plugin", value: "NAME,…", help: "call a plugin: --plugin vignette,strength=0.3", repeats: true,
    section: WordTable.operationsTitle)

  /// - Parameters:
  ///   - more: further inputs from a list, which follow those on the line.
  ///   - misplaced: returns the reason why an option without a meaning is a mistake; nil for options of the run.
  package init(
    _ line: ParsedLine, _ table: WordTable, more: [String], misplaced: (String) -> String? = { _ in nil }
  ) throws(UsageError) {
    let outputs = line.values("--output")
    guard let output = outputs.first else { throw .missingOperand("-o OUT") }
    guard outputs.count == 1 else { throw .other("-o is given \(outputs.count) times; a command writes to one OUT") }
    self.output = output
    inputs = line.operands + more
    var isAfterOutput = false
    for item in line.items {
      switch item {
      case .operand: break
      case .option("--output", _): isAfterOutput = true
      case .option(let option, let text):
        if option == Self.plugin.name {
          calls.append(Call(option: option, text: text, operation: nil))
          continue
        }
        switch table.meaning(of: option, for: inputs, isAfterOutput: isAfterOutput) {
        case .habit(let habit): try add(habit, text, table)
        case .operation(let operation): calls.append(Call(option: option, text: text, operation: operation))
        case .opening(let parameter):
          if let problem = table.reasonNotToOpen(inputs, with: option) { throw .other(problem) }
          // With both sides, a vector drawing also keeps its proportions: it is drawn at the width, and then resized.
          if let habit = Habit(option: option), line.has(Habit.width.option), line.has(Habit.height.option) {
            try add(habit, text, table)
            if habit == .height { continue }
          }
          try Self.add(Setting(option: option, parameter: parameter, text: text), to: &opening)
        case .saving(let parameter):
          try Self.add(Setting(option: option, parameter: parameter, text: text), to: &saving)
        case nil: if let mistake = misplaced(option) { throw .other(mistake) }
        }
      }
    }
    guard !inputs.isEmpty else { throw .missingOperand("IN") }
    try checkInputs(line)
  }

  /// Adds an option that is known from other programs. `--width` and `--height` form one call, at the position of the
  /// first one.
  private mutating func add(_ habit: Habit, _ text: String?, _ table: WordTable) throws(UsageError) {
    guard habit != .strip else {
      guard let parameter = table.saving.first(where: { $0.name == "metadata" }) else { return }
      return try Self.add(Setting(option: habit.option, parameter: parameter, text: "none"), to: &saving)
    }
    let side = "\(habit)=\(text ?? "")"
    guard let index = calls.firstIndex(where: { Habit(option: $0.option) != nil }) else {
      calls.append(
        Call(option: habit.option, text: side, operation: table.operations.first { $0.name == "resize" }))
      return
    }
    guard calls[index].option != habit.option, !(calls[index].text ?? "").contains("\(habit)=") else {
      throw .other("\(habit.option) is given twice; give it once")
    }
    calls[index].text = "\(calls[index].text ?? ""),\(side),fit=inside"
  }

  /// Reports stray parts of a value, and common habits from other programs, as mistakes: `-q 80` for the quality, or a
  /// folder in place of its pictures.
  private func checkInputs(_ line: ParsedLine) throws(UsageError) {
    if let mistake = strayValue(line) { throw .other(mistake) }
    for input in inputs where FileIdentity(at: input) == nil {
      guard line.has("--quiet"), let quality = Int(input), (0...100).contains(quality) else { continue }
      throw .other("there is no file '\(quality)', and -q is --quiet; the quality is --quality \(quality)")
    }
    for input in inputs where FolderFiles.isFolder(input) {
      // In a pattern, a special character that stands for itself is written as '[*]'.
      let plain = String(input.flatMap { "[{*?".contains($0) ? "[\($0)]" : "\($0)" })
      let pattern = ShellWord.quoted((input.last == "/" ? plain : plain + "/") + "*")
      throw .other("'\(printable(input))' is a folder; for its pictures, write \(pattern)")
    }
  }

  /// Describes words that follow an option and its value, name no files, and so are probably parts of the value; nil if
  /// there are none.
  private func strayValue(_ line: ParsedLine) -> String? {
    func isNumber(_ word: String) -> Bool { word.first.map { $0.isNumber || $0 == "-" || $0 == "+" } ?? false }
    var last: (option: String, value: String)?
    for (index, item) in line.items.enumerated() {
      guard case .operand(let word) = item else {
        if case .option(let option, let value?) = item { last = (option, value) } else { last = nil }
        continue
      }
      guard let (option, value) = last else { continue }
      last = nil
      let areNumbers = isNumber(value)
      let stray = line.items[index...].prefix { item in
        if case .operand(let word) = item { Self.isStray(word) && isNumber(word) == areNumbers } else { false }
      }
      guard !stray.isEmpty else { continue }
      let words = [value] + stray.compactMap { if case .operand(let word) = $0 { word } else { nil } }
      let right = areNumbers ? words.joined(separator: ",") : ShellWord.quoted(words.joined(separator: " "))
      return "there is no file '\(printable(word))'; the value of \(option) is one word: \(option) \(printable(right))"
    }
    return nil
  }

  /// Returns whether a word cannot be an input: it names no existing file, is not `-`, contains none of the characters
  /// `*?[{/`, and has no file extension.
  private static func isStray(_ word: String) -> Bool {
    FileIdentity(at: word) == nil && !word.contains(where: "*?[{/".contains) && PathName.fileExtension(word).isEmpty
      && word != PipedInput.standardInput
  }

  private static func add(_ setting: Setting, to settings: inout [Setting]) throws(UsageError) {
    if let other = settings.first(where: { $0.parameter.name == setting.parameter.name }) {
      throw .other(
        other.option == setting.option
          ? "\(setting.option) is given twice; give it once"
          : "\(other.option) and \(setting.option) contradict each other; give one of them")
    }
    settings.append(setting)
  }

  /// Returns the text of an option for writing the output; nil if it is not given.
  package func saving(_ name: String) -> String? { saving.first { $0.parameter.name == name }?.text }
}
