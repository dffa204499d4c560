import ImageCore

/// One option of a command. Parsing, help, completion and the manual page are derived from it.
package struct CommandOption: Sendable {
  /// The rule for taking a value from the next word. It does not apply to a value after an equals sign: `--name=value`.
  package enum ValueUse: Sendable {
    case required
    /// The next word is the value if the function returns true for it; otherwise the option has no value.
    case whenFits(@Sendable (String) -> Bool)

    var isRequired: Bool { if case .required = self { true } else { false } }
  }

  package let name: String
  /// An earlier name, which still works but is not in the help; nil for none.
  package let formerName: String?
  /// The one-letter name with its dash, `-o`; nil for none.
  package let short: String?
  /// The placeholder of its value in the help; nil for a switch.
  package let value: String?
  package let use: ValueUse
  /// The heading above the option in the help; empty for options before the first heading.
  package let section: String
  package let help: String
  /// The possible values, if there are only a few.
  package let choices: [String]
  /// The value if the option is not given, for the help.
  package let defaultValue: String?
  /// Whether all values count if the option is given more than once. Otherwise, only the last one counts.
  package let repeats: Bool
  /// Whether an empty value is valid. Otherwise an empty value is reported as a mistake, because an unset shell
  /// variable may be the cause.
  package let mayBeEmpty: Bool

  /// Whether a value that is not among the choices is reported during parsing. Otherwise the code that reads the value
  /// reports it.
  package let checksChoices: Bool

  /// Whether its value begins with the name of a setting. Completion finds these names by evaluating the script on the
  /// command line.
  package let namesSetting: Bool

  package init(
    name: String, formerName: String? = nil, short: String? = nil, value: String?, use: ValueUse = .required,
    help: String,
    choices: [String] = [], checksChoices: Bool = true, defaultValue: String? = nil, repeats: Bool = false,
    mayBeEmpty: Bool = false, section: String = "", namesSetting: Bool = false
  ) {
    self.namesSetting = namesSetting
    self.name = name
    self.formerName = formerName
    self.short = short
    self.value = value
    self.use = use
    self.section = section
    self.checksChoices = checksChoices
    self.help = help
    self.choices = choices
    self.defaultValue = defaultValue
    self.repeats = repeats
    self.mayBeEmpty = mayBeEmpty
  }

  /// Creates the option for a parameter that scripts can set, too: `fail_on` becomes `--fail-on`.
  package init(_ parameter: ParameterDescriptor) {
    var choices: [String] = []
    if case .choice(let names) = parameter.kind { choices = names }
    self.init(
      name: Self.name(parameter.name), value: Self.placeholder(parameter.kind), help: parameter.help, choices: choices,
      defaultValue: parameter.defaultValue?.shownInHelp)
  }

  /// Returns the option's name for a name in scripts: `--fail-on` for `fail_on`.
  package static func name(_ name: String) -> String { "--" + name.replacing("_", with: "-") }

  /// Returns the placeholder for a value of a kind; nil for a switch.
  package static func placeholder(_ kind: ParameterKind) -> String? {
    switch kind {
    case .boolean: nil
    case .integer, .side, .booleanOrInteger, .number, .numberOrShare: "N"
    case .choice, .choiceOrList: "WORD"
    case .colour: "COLOUR"
    case .lengths: "LENGTH"
    case .byteCount: "SIZE"
    default: "TEXT"
    }
  }

  /// Returns a copy of the option under a heading in the help.
  package func under(_ section: String) -> CommandOption {
    CommandOption(
      name: name, formerName: formerName, short: short, value: value, use: use, help: help, choices: choices,
      checksChoices: checksChoices,
      defaultValue: defaultValue, repeats: repeats, mayBeEmpty: mayBeEmpty, section: section, namesSetting: namesSetting
    )
  }

  package static let help = CommandOption(name: "--help", value: nil, help: "print this help and exit")
  package static let quiet = CommandOption(
    name: "--quiet", short: "-q", value: nil, help: "tell mistakes and failures only, no notes and no summary")
  package static let verbose = CommandOption(
    name: "--verbose", short: "-v", value: nil, help: "tell of each output, too")
  package static let progress = CommandOption(
    name: "--progress", value: "WHEN", help: "show progress on standard error", choices: ["auto", "always", "never"],
    defaultValue: "auto")
  package static let json = CommandOption(name: "--json", value: nil, help: "print JSON")

  /// The names as the help shows them: `-o, --output`.
  var names: String { (short.map { $0 + ", " } ?? "") + name }
  /// The placeholder as the help shows it; nil for a switch.
  var shownValue: String? { value.map { use.isRequired ? $0 : "[\($0)]" } }
  /// The option as the help shows it: `-j, --jobs N`.
  var heading: String { names + (shownValue.map { " \($0)" } ?? "") }
  /// Returns whether a word of the command line is this option.
  func isNamed(_ word: String) -> Bool { word == name || word == short || word == formerName }
  /// The help text, with the possible values and the default.
  var fullHelp: String {
    help + (choices.isEmpty ? "" : ": " + choices.joined(separator: ", "))
      + (defaultValue.map { " (default: \($0))" } ?? "")
  }
}

extension ParameterValue {
  /// The value for the help, without quotes; nil for `false` and for an empty text, which need no mention.
  fileprivate var shownInHelp: String? {
    switch self {
    case .boolean(false): nil
    case .text(let text): text.isEmpty ? nil : text
    default: text
    }
  }
}
