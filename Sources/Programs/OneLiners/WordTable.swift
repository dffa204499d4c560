import CommandInterface
import ImageCore
import ImagePipeline

/// The names that a one-liner accepts as options, from the declarations of operations and functions.
package struct WordTable: Sendable {
  enum Meaning {
    case operation(OperationDescriptor)
    case opening(ParameterDescriptor)
    case saving(ParameterDescriptor)
    case habit(Habit)
  }

  /// An option of `open`.
  package struct OpeningOption: Sendable {
    let parameter: ParameterDescriptor
    /// The file extensions of the format that has the option; nil for an option of all formats.
    let extensions: Set<String>?

    package init(_ parameter: ParameterDescriptor, of extensions: Set<String>? = nil) {
      (self.parameter, self.extensions) = (parameter, extensions)
    }

    func fits(_ inputs: [String]) -> Bool {
      guard let extensions else { return true }
      return inputs.allSatisfy { extensions.contains(PathName.fileExtension($0)) }
    }
  }

  let operations: [OperationDescriptor]
  let opening: [OpeningOption]
  /// The options of the function that writes the output. A name may occur several times, once for each format.
  let saving: [ParameterDescriptor]

  /// The file extensions of all formats.
  let endings: Set<String>

  package init(
    operations: [OperationDescriptor], opening: [OpeningOption], saving: [ParameterDescriptor], endings: Set<String>
  ) {
    (self.operations, self.opening, self.endings) = (operations, opening, endings)
    // Only scripts have jobs, and the service class is an option of the run.
    self.saving = saving.filter { !["after", "cover_of", "qos"].contains($0.name) }
  }

  /// Returns the meaning of an option. The order of precedence is: operations, options for reading the inputs, habits,
  /// options for writing, options for reading other formats. After the output, options for writing come first.
  func meaning(of option: String, for inputs: [String], isAfterOutput: Bool) -> Meaning? {
    let parameter = saving.first { CommandOption.name($0.name) == option }
    if isAfterOutput, let parameter { return .saving(parameter) }
    if let operation = operations.first(where: { CommandOption.name($0.name) == option }) {
      return .operation(operation)
    }
    let readers = opening.filter { CommandOption.name($0.parameter.name) == option }
    if let reader = readers.first(where: { $0.fits(inputs) }) { return .opening(reader.parameter) }
    if let habit = Habit(option: option), habit.suits(self) { return .habit(habit) }
    return parameter.map { .saving($0) } ?? readers.first.map { .opening($0.parameter) }
  }

  /// Returns the reason why an option for reading some formats fits none of the inputs; nil if it may fit one.
  func reasonNotToOpen(_ inputs: [String], with option: String) -> String? {
    let readers = opening.filter { CommandOption.name($0.parameter.name) == option }
    let formats = readers.compactMap(\.extensions)
    guard !inputs.isEmpty, !formats.isEmpty, formats.count == readers.count else { return nil }
    for input in inputs {
      let ending = PathName.fileExtension(input)
      // Files of other names may have any format.
      if !endings.contains(ending) || formats.contains(where: { $0.contains(ending) }) { return nil }
    }
    let words = formats.flatMap { $0.sorted().prefix(1) }.map { "." + $0 }.joined(separator: ", ")
    let resizing = offersResizing && ["--dpi", "--scale"].contains(option) ? "; for another size, write --resize" : ""
    return "\(option) is for reading \(words) files, and no input is one\(resizing)"
  }

  private var offersResizing: Bool { operations.contains { $0.name == "resize" } }

  /// Returns whether there is an option with this name for writing the output.
  package func offers(_ option: String) -> Bool { saving.contains { CommandOption.name($0.name) == option } }

  /// Names with two meanings, which the help has to explain.
  package var shared: [String] {
    let (operations, opening) = (Set(operations.map(\.name)), Set(opening.map(\.parameter.name)))
    let saving = Set(saving.map(\.name))
    return operations.union(opening).intersection(saving).union(operations.intersection(opening)).sorted()
  }

  /// Returns the options of the command, each name once.
  ///
  /// - Parameter own: other options of the command, whose names the result does not contain.
  package func options(beside own: [CommandOption], saving title: String) -> [CommandOption] {
    var known = Set(own.map(\.name))
    let all =
      operations.map { Self.option(for: $0) }
      + Habit.allCases.filter { $0.suits(self) }.map(\.commandOption)
      + opening.map { Self.option(for: $0.parameter, "options of the pictures that are read:") }
      + saving.map { Self.option(for: $0, title) }
    return all.filter { known.insert($0.name).inserted }
  }

  // MARK: - options

  static func option(for operation: OperationDescriptor) -> CommandOption {
    let positional = operation.parameters.prefix(operation.positionalCount)
    let summary = operation.summary.prefix(1).lowercased() + operation.summary.dropFirst()
    guard !operation.parameters.isEmpty else {
      return CommandOption(
        name: CommandOption.name(operation.name), value: nil, help: summary, repeats: true, section: operationsTitle)
    }
    let names = positional.map { $0.name.uppercased().replacing("_", with: "-") }
    let more = operation.parameters.count > positional.count ? [names.isEmpty ? "NAME=VALUE" : "…"] : []
    return CommandOption(
      name: CommandOption.name(operation.name), value: (names + more).joined(separator: ","),
      use: positional.contains(where: \.isRequired) ? .required : .whenFits { fits($0, operation) },
      help: summary, repeats: true, mayBeEmpty: true, section: operationsTitle)
  }

  static let operationsTitle = "operations, in the order in which they are applied:"

  private static func option(for parameter: ParameterDescriptor, _ section: String) -> CommandOption {
    let (value, use): (String, CommandOption.ValueUse) =
      switch parameter.kind {
      case .boolean: ("true|false", .whenFits { $0 == "true" || $0 == "false" })
      case .booleanOrInteger: ("true|false|N", .whenFits { $0 == "true" || $0 == "false" || Int($0) != nil })
      default: (CommandOption.placeholder(parameter.kind) ?? "TEXT", .required)
      }
    let model = CommandOption(parameter)
    return CommandOption(
      name: model.name, value: value, use: use, help: model.help, choices: model.choices,
      checksChoices: false, defaultValue: model.defaultValue, mayBeEmpty: true, section: section)
  }

  /// Returns whether the word after an operation is its arguments and not an input: `NAME=…`, or a valid or mistyped
  /// value of the first parameter.
  private static func fits(_ word: String, _ operation: OperationDescriptor) -> Bool {
    guard let items = try? ArgumentItem.items(word, splits: true), let first = items.first else { return false }
    if let name = first.name { return !name.contains("/") }
    guard operation.positionalCount > 0, let main = operation.parameters.first else { return false }
    switch (main.kind, first.value) {
    case (.integer, .plain(let text)), (.number, .plain(let text)), (.numbers, .plain(let text)):
      return LuaLiteral.number(text) != nil || isNoInput(word)
    case (.side, .plain(let text)):
      return LuaLiteral.number(text) != nil || text.last == "%" || Habit.size(text[...]) != nil || isNoInput(word)
    case (.colour, .plain(let text)): return Colour(.text(text)) != nil || isNoInput(word)
    case (_, .list): return true
    default: return false
    }
  }

  /// Returns whether a word is unlikely to be an input, and so probably a mistyped argument: `--sharpen abc`, but not
  /// `a.jpg`.
  private static func isNoInput(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix("-") && !word.contains { "./*?[{".contains($0) } && FileIdentity(at: word) == nil
  }
}
