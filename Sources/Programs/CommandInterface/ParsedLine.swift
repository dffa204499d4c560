import ImageCore
import ImagePipeline

/// A parsed command line: `--name value`, `--name=value`, `-n value`, `--switch`, operands; `--` ends options.
package struct ParsedLine: Sendable {
  /// One option, by its full name, or one operand.
  package enum Item: Sendable, Equatable {
    case option(String, value: String?)
    case operand(String)
  }

  /// The words as the user gave them.
  package let arguments: [String]
  private var values: [String: [String]] = [:]
  package private(set) var operands: [String] = []
  /// All options and operands in the order of the line, for commands that depend on this order.
  package private(set) var items: [Item] = []

  private let command: any Command.Type

  package init(_ arguments: [String], of command: any Command.Type) throws(UsageError) {
    self.arguments = arguments
    self.command = command
    let options = command.allOptions
    var more: [CommandOption]?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        add(rest)
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        add([argument])
        guard command.leavesRestToScript else { continue }
        // In `imghost run script.lua --flag`, the flag belongs to the script; options of imghost precede the script.
        add(rest)
        return
      }
      let (name, attached) = Self.halves(argument, options)
      var known = options.first { $0.isNamed(name) }
      if known == nil {
        // Finding the options of plugins takes time, so these are searched last.
        let rest = more ?? command.moreOptions
        more = rest
        known = rest.first { $0.isNamed(name) }
      }
      guard let option = known else {
        throw .unknownOption(name, valid: options.map(\.name), home: nil)
      }
      try read(option, attached, &rest)
    }
  }

  /// The first option of the command that stands after the first operand, and so is passed to a script; and the line
  /// for a shell in which all such options stand before that operand. Nil if there is no such option.
  package var optionsAfterOperand: (option: String, corrected: String)? {
    var (options, others) = ([String](), [String]())
    var rest = operands.dropFirst()
    while let word = rest.popFirst() {
      let (name, attached) = Self.halves(word, command.allOptions)
      guard word.hasPrefix("-"), let option = command.allOptions.first(where: { $0.isNamed(name) }) else {
        others.append(word)
        continue
      }
      options.append(word)
      if option.value != nil, attached == nil, let value = rest.popFirst() { options.append(value) }
    }
    guard let first = options.first, let script = operands.first else { return nil }
    let before = arguments.prefix { $0 != script }.filter { $0 != "--" }
    let words = ["imghost", command.name] + before + options + [script] + others
    return (printable(first), words.map { ShellWord.quoted(printable($0)) }.joined(separator: " "))
  }

  private mutating func add(_ words: some Sequence<String>) {
    for word in words {
      operands.append(word)
      items.append(.operand(word))
    }
  }

  /// Returns the name and the value of `--name=value`, `-n=value` or `-nvalue`. The value is nil if there is none.
  private static func halves(_ word: String, _ options: [CommandOption]) -> (name: String, value: String?) {
    if word == "-h" { return ("--help", nil) }
    let letter = String(word.prefix(2))
    if !word.hasPrefix("--"), word.count > 2, options.contains(where: { $0.short == letter && $0.value != nil }) {
      let rest = word.dropFirst(2)
      return (letter, String(rest.hasPrefix("=") ? rest.dropFirst() : rest))
    }
    let halves = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(halves[0]), halves.count == 2 ? String(halves[1]) : nil)
  }

  private mutating func read(
    _ option: CommandOption, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let name = option.name
    guard let placeholder = option.value else {
      guard attached == nil else { throw .unexpectedValue(name) }
      values[name] = []
      items.append(.option(name, value: nil))
      return
    }
    let expected = option.choices.isEmpty ? placeholder : "one of " + option.choices.joined(separator: ", ")
    if case .whenFits(let fits) = option.use {
      let value = attached ?? (rest.first.map(fits) ?? false ? rest.popFirst() : nil)
      values[name, default: []] += [value ?? ""]
      items.append(.option(name, value: value))
      return
    }
    // In `--crop -o c.jpg`, the value was forgotten.
    let isForgotten = rest.first.map { word in command.options.contains { $0.isNamed(word) } } ?? true
    guard let value = attached ?? (isForgotten ? nil : rest.popFirst()) else {
      throw .missingValue(name, expected: expected)
    }
    let isChoice = !option.checksChoices || option.choices.isEmpty || option.choices.contains(value)
    guard !value.isEmpty || option.mayBeEmpty, isChoice
    else { throw .badValue(option: name, value: value, expected: expected) }
    values[name] = option.repeats ? (values[name] ?? []) + [value] : [value]
    items.append(.option(name, value: value))
  }

  package func has(_ name: String) -> Bool { values[name] != nil }
  package func value(_ name: String) -> String? { values[name]?.last }
  package func values(_ name: String) -> [String] { values[name] ?? [] }

  /// Returns the given options that are on the line, each with its value in one word: `--name=value`.
  package func words(of options: [CommandOption]) -> [String] {
    options.filter { has($0.name) }.flatMap { option in
      option.value == nil ? [option.name] : values(option.name).map { option.name + "=" + $0 }
    }
  }

  /// Returns the operand at an index. If it is missing, the error contains `name`.
  package func operand(_ index: Int, _ name: String) throws(UsageError) -> String {
    guard operands.indices.contains(index) else { throw .missingOperand(name) }
    return operands[index]
  }

  /// Returns the value of an option as an integer from 1 to `most`; nil if the option is not given.
  package func count(_ name: String, atMost most: Int = 4096) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= 1, number <= most else {
      throw .badValue(option: name, value: text, expected: "a whole number from 1 to \(most)")
    }
    return number
  }

  /// Returns the value of an option as a number of seconds above 0 and below 10,000,000, with or without the unit `s`;
  /// nil if the option is not given.
  package func seconds(_ name: String) throws(UsageError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text.hasSuffix("s") ? String(text.dropLast()) : text), number > 0, number < 1e7
    else { throw .badValue(option: name, value: text, expected: "seconds, such as 30 or 0.5") }
    return number
  }

  /// Returns the value of an option as a number of bytes, such as `512M`, `2G` or `1.5GiB`, of at least 1 MiB; nil if
  /// the option is not given. K, M and G are powers of 1,024.
  package func bytes(_ name: String) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let count = ByteCount.parse(text, kilo: 1_024), count >= 1 << 20 else {
      throw .badValue(option: name, value: text, expected: "a size of at least 1M, such as 512M or 2G")
    }
    return count
  }
}
