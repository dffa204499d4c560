import ImageCore

/// A parsed command line: `--name value`, `--name=value`, `--switch`, operands; `--` ends options.
package struct ParsedLine: Sendable {
  private var values: [String: [String]] = [:]
  package private(set) var operands: [String] = []

  package init(_ arguments: [String], of command: any Command.Type) throws(UsageError) {
    let options = command.allOptions
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        guard command.leavesRestToScript else { continue }
        // `imghost run script.lua --flag` is the script's flag; ours come before the script.
        operands += rest
        return
      }
      let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = argument == "-h" ? "--help" : String(halves[0])
      guard let option = options.first(where: { $0.name == name }) else {
        throw .unknownOption(name, valid: options.map(\.name), home: nil)
      }
      try read(option, halves.count == 2 ? String(halves[1]) : nil, &rest)
    }
  }

  private mutating func read(
    _ option: CommandOption, _ attached: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let name = option.name
    guard let placeholder = option.value else {
      guard attached == nil else { throw .unexpectedValue(name) }
      values[name] = []
      return
    }
    let expected = option.choices.isEmpty ? placeholder : "one of " + option.choices.joined(separator: ", ")
    guard let value = attached ?? rest.popFirst() else { throw .missingValue(name, expected: expected) }
    guard !value.isEmpty || option.mayBeEmpty, option.choices.isEmpty || option.choices.contains(value)
    else { throw .badValue(option: name, value: value, expected: expected) }
    values[name] = option.repeats ? (values[name] ?? []) + [value] : [value]
  }

  package func has(_ name: String) -> Bool { values[name] != nil }
  package func value(_ name: String) -> String? { values[name]?.last }
  package func values(_ name: String) -> [String] { values[name] ?? [] }

  /// Returns the given ones among some options, each with its value in one word: `--name=value`.
  package func words(of options: [CommandOption]) -> [String] {
    options.filter { has($0.name) }.flatMap { option in
      option.value == nil ? [option.name] : values(option.name).map { option.name + "=" + $0 }
    }
  }

  /// The operand at this place.
  package func operand(_ index: Int, _ name: String) throws(UsageError) -> String {
    guard operands.indices.contains(index) else { throw .missingOperand(name) }
    return operands[index]
  }

  /// A whole number of at least 1.
  package func count(_ name: String, atMost most: Int = 4096) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= 1, number <= most else {
      throw .badValue(option: name, value: text, expected: "a whole number from 1 to \(most)")
    }
    return number
  }

  /// Seconds, more than 0.
  package func seconds(_ name: String) throws(UsageError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text.hasSuffix("s") ? String(text.dropLast()) : text), number > 0, number < 1e7
    else { throw .badValue(option: name, value: text, expected: "seconds, such as 30 or 0.5") }
    return number
  }

  /// Bytes: `512M`, `2G`, `1.5GiB`; K, M and G are powers of 1,024.
  package func bytes(_ name: String) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let count = ByteCount.parse(text), count >= 1 << 20 else {
      throw .badValue(option: name, value: text, expected: "a size of at least 1M, such as 512M or 2G")
    }
    return count
  }
}
