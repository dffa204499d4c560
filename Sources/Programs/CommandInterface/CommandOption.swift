import ImageCore

/// One option of a command. Parsing, help, completion and the manual page derive from it.
package struct CommandOption: Sendable {
  package let name: String
  /// The placeholder of its value in help; nil for a switch.
  package let value: String?
  package let help: String
  /// The values it may take, if these are few.
  package let choices: [String]
  /// The value without the option, for help.
  package let defaultValue: String?
  /// Whether it may be given more than once.
  package let repeats: Bool
  /// Whether an empty value is valid. Elsewhere it is a mistake, such as an unset shell variable.
  package let mayBeEmpty: Bool

  package init(
    name: String, value: String?, help: String, choices: [String] = [],
    defaultValue: String? = nil, repeats: Bool = false, mayBeEmpty: Bool = false
  ) {
    self.name = name
    self.value = value
    self.help = help
    self.choices = choices
    self.defaultValue = defaultValue
    self.repeats = repeats
    self.mayBeEmpty = mayBeEmpty
  }

  /// The option for a parameter that scripts may also set: `fail_on` becomes `--fail-on`.
  ///
  /// - Parameter value: the placeholder of its value; by default that of its kind.
  package init(_ parameter: ParameterDescriptor, value: String? = nil, repeats: Bool = false, mayBeEmpty: Bool = false)
  {
    var choices: [String] = []
    if case .choice(let names) = parameter.kind { choices = names }
    self.init(
      name: "--" + parameter.name.replacing("_", with: "-"),
      value: value ?? Self.placeholder(parameter.kind), help: parameter.help, choices: choices,
      defaultValue: parameter.defaultValue?.shownInHelp, repeats: repeats, mayBeEmpty: mayBeEmpty)
  }

  private static func placeholder(_ kind: ParameterKind) -> String? {
    switch kind {
    case .boolean: nil
    case .integer, .booleanOrInteger, .number, .numberOrShare: "N"
    case .choice, .choiceOrList: "WORD"
    case .colour: "COLOUR"
    case .lengths: "LENGTH"
    case .byteCount: "SIZE"
    default: "TEXT"
    }
  }

  package static let help = CommandOption(name: "--help", value: nil, help: "print this help and exit")
  package static let json = CommandOption(name: "--json", value: nil, help: "print JSON")

  /// The option as help shows it: `--jobs N`.
  var heading: String { name + (value.map { " \($0)" } ?? "") }
  /// The help text with the values it may take, and the default.
  var fullHelp: String {
    help + (choices.isEmpty ? "" : ": " + choices.joined(separator: ", "))
      + (defaultValue.map { " (default: \($0))" } ?? "")
  }
}

extension ParameterValue {
  /// The value for help: without quotes, and nil for `false`, which needs no words.
  fileprivate var shownInHelp: String? {
    switch self {
    case .boolean(false): nil
    case .text(let text): text.isEmpty ? nil : text
    default: text
    }
  }
}
