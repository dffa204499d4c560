import ImageCore
import ImagePipeline

/// A mistake in the command line.
package enum UsageError: Error, Equatable {
  case unknownCommand(String, known: [String])
  /// - Parameters:
  ///   - valid: the options of the command.
  ///   - home: another command that has this option; nil if there is none.
  case unknownOption(String, valid: [String], home: String?)
  case missingValue(String, expected: String)
  case unexpectedValue(String)
  case badValue(option: String, value: String, expected: String)
  /// A file or folder that an option names cannot be used.
  case unusableFile(option: String, path: String, problem: String)
  case missingOperand(String)
  case unexpectedOperand(String)
  case emptyOperand
  /// A mistake that a command describes in its own words.
  case other(String)

  package var text: String {
    switch self {
    case .unknownCommand(let name, let known):
      "unknown command '\(printable(name))'" + Self.hint(Suggestion.nearest(to: name, in: known))
    case .unknownOption(let name, let valid, let home):
      "unknown option '\(printable(name))'" + Self.optionHint(name, valid, home)
        + (valid.count > Self.listedOptions ? "" : "; valid: " + valid.joined(separator: ", "))
    case .missingValue(let name, let expected): "missing value for \(name): expected \(expected)"
    case .unexpectedValue(let name): "unexpected value for \(name): it takes none"
    case .badValue(let option, let value, let expected):
      "invalid value '\(printable(value))' for \(option): expected \(expected)"
    case .unusableFile(let option, let path, let problem):
      "\(option): \(printable(path)): \(problem)"
    case .missingOperand(let name): "missing argument \(name)"
    case .unexpectedOperand(let word): "unexpected argument '\(printable(word))'"
    case .emptyOperand: "empty argument"
    case .other(let text): text
    }
  }

  /// Whether the message should refer to the help of the command.
  var isAnsweredByHelp: Bool {
    switch self {
    case .unknownCommand, .missingOperand, .unexpectedOperand, .emptyOperand: true
    case .unknownOption(_, let valid, _): valid.count > Self.listedOptions
    case .missingValue, .unexpectedValue, .badValue, .unusableFile, .other:
      false
    }
  }

  /// The maximum number of valid options that a message lists.
  private static let listedOptions = 40

  /// Returns a hint at the option that the user probably meant. Names are compared without their dashes, because the
  /// dashes would make short names similar.
  private static func optionHint(_ name: String, _ valid: [String], _ home: String?) -> String {
    func bare(_ name: String) -> String { String(name.drop { $0 == "-" }) }
    if let letter = letter(of: name) {
      let longer = valid.filter { $0.hasPrefix("--\(letter)") }.prefix(2).map { "'\($0)'" }
      if !longer.isEmpty { return " (did you mean \(longer.joined(separator: " or "))?)" }
    }
    if let home { return " (an option of 'imghost \(home)')" }
    return hint(Suggestion.nearest(to: bare(name), in: valid.map(bare)).map { "--" + $0 })
  }

  /// Returns the letter of an option in the short form of other programs, such as `-w` or `-q80`; nil for longer names.
  private static func letter(of name: String) -> Character? {
    let letters = name.drop { $0 == "-" }
    guard let first = letters.first, first.isLetter else { return nil }
    return letters.dropFirst().contains(where: \.isLetter) ? nil : first
  }

  private static func hint(_ suggestion: String?) -> String {
    suggestion.map { " (did you mean '\($0)'?)" } ?? ""
  }
}
