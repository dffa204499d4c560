import ImageCore
import ImagePipeline

/// One option of a command, from which its parsing and its help are derived.
struct CommandOption {
  let name: String
  /// What its value stands for in help; nil for a switch.
  let value: String?
  let help: String
  /// The values it may take, where these are few.
  var choices: [String] = []
  /// Whether it may be given more than once.
  var repeats = false
  /// Whether an empty value says something. Elsewhere it is a slip, such as a variable of a shell that is not set.
  var mayBeEmpty = false

  static let help = CommandOption(name: "--help", value: nil, help: "print this and exit")
  static let json = CommandOption(name: "--json", value: nil, help: "print JSON")
}

/// What a user typed wrong.
enum UsageError: Error {
  case unknownCommand(String)
  case unknownOption(String, valid: [String])
  case missingValue(String)
  case unexpectedValue(String)
  case badValue(option: String, value: String, expected: String)
  /// A file that an option names and that cannot be written.
  case unusableFile(option: String, path: String, problem: String)
  /// A word with bytes that are not UTF-8, repaired.
  case notUTF8(String)
  case missingOperand(String)
  case tooManyOperands(String)
  case emptyOperand

  var text: String {
    switch self {
    case .unknownCommand(let name):
      "imghost: there is no command '\(name)'"
        + Self.hint(Suggestion.nearest(to: name, in: CommandList.all.map { $0.name }))
        + "; see 'imghost --help'"
    case .unknownOption(let name, let valid):
      "unknown option '\(name)'" + Self.optionHint(name, valid)
        + "; valid: " + valid.joined(separator: ", ")
    case .missingValue(let name): "option '\(name)' needs a value"
    case .unexpectedValue(let name): "option '\(name)' takes no value"
    case .badValue(let option, let value, let expected):
      "option '\(option)' cannot be '\(value)'; it takes \(expected)"
    case .unusableFile(let option, let path, let problem):
      "\(option): \(printable(path)): \(problem)"
    case .notUTF8(let word): "'\(printable(word))' is not UTF-8; rename the file or folder"
    case .missingOperand(let name): "\(name) is missing; see --help"
    case .emptyOperand: "an argument is empty; see --help"
    case .tooManyOperands(let name): "'\(name)' is one argument too many; see --help"
    }
  }

  /// Compared without the dashes, which make short names alike.
  private static func optionHint(_ name: String, _ valid: [String]) -> String {
    func bare(_ name: String) -> String { String(name.drop { $0 == "-" }) }
    if let nearest = Suggestion.nearest(to: bare(name), in: valid.map(bare)) {
      return hint("--" + nearest)
    }
    let home = CommandList.all.first { $0.options.contains { $0.name == name } }
    return home.map { ", which 'imghost \($0.name)' takes" } ?? ""
  }

  private static func hint(_ suggestion: String?) -> String {
    suggestion.map { " (did you mean '\($0)'?)" } ?? ""
  }
}

/// A command line taken apart: `--name value`, `--name=value`, `--switch`, operands; `--` ends options.
struct ParsedLine {
  private var values: [String: [String]] = [:]
  private(set) var operands: [String] = []

  init(_ arguments: [String], of command: any Command.Type) throws(UsageError) {
    let options = command.options + [.help]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        if command.leavesRestToScript {
          // `imghost run script.lua --flag` is the script's flag; ours come before the script.
          operands += rest
          return
        }
        continue
      }
      let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = argument == "-h" ? "--help" : String(halves[0])
      guard let option = options.first(where: { $0.name == name }) else {
        throw .unknownOption(name, valid: options.map(\.name))
      }
      if option.value == nil {
        guard halves.count == 1 else { throw .unexpectedValue(name) }
        values[name] = []
        continue
      }
      let value: String
      if halves.count == 2 {
        value = String(halves[1])
      } else {
        guard let next = rest.popFirst() else { throw .missingValue(name) }
        value = next
      }
      guard !value.isEmpty || option.mayBeEmpty else {
        throw .badValue(option: name, value: value, expected: option.value ?? "a value")
      }
      if !option.choices.isEmpty, !option.choices.contains(value) {
        throw .badValue(
          option: name, value: value, expected: "one of " + option.choices.joined(separator: ", "))
      }
      values[name] = option.repeats ? (values[name] ?? []) + [value] : [value]
    }
  }

  func has(_ name: String) -> Bool { values[name] != nil }
  func value(_ name: String) -> String? { values[name]?.last }
  func values(_ name: String) -> [String] { values[name] ?? [] }

  /// A whole number of at least 1.
  func count(_ name: String) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= 1, number <= 4096 else {
      throw .badValue(option: name, value: text, expected: "a whole number from 1 to 4096")
    }
    return number
  }

  /// Seconds, more than 0.
  func seconds(_ name: String) throws(UsageError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text.hasSuffix("s") ? String(text.dropLast()) : text),
      number > 0, number < 1e7
    else { throw .badValue(option: name, value: text, expected: "seconds, such as 30 or 0.5") }
    return number
  }

  /// Bytes: `512M`, `2G`, `1.5GiB`; K, M and G are powers of 1,024.
  func bytes(_ name: String) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    var digits = text.uppercased()
    for suffix in ["IB", "B"] where digits.hasSuffix(suffix) {
      digits.removeLast(suffix.count)
      break
    }
    let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
    var shift = 0
    if let last = digits.last, let found = shifts[last] {
      shift = found
      digits.removeLast()
    }
    let unit = Double(1 << shift)
    guard let number = Double(digits), number * unit < 1e15, number * unit >= 1_048_576 else {
      throw .badValue(
        option: name, value: text, expected: "a size of at least 1M, such as 512M or 2G")
    }
    return Int(number * unit)
  }
}
