import ImageCore

/// One option of a command. Parsing, help, completion and the manual page derive from it.
package struct CommandOption: Sendable {
  /// How an option takes its value from the next word. After a sign, `--name=value`, it takes any.
  package enum ValueUse: Sendable {
    case required
    /// The next word is its value if this holds for it; otherwise the option has none.
    case whenFits(@Sendable (String) -> Bool)

    var isRequired: Bool { if case .required = self { true } else { false } }
  }

  package let name: String
  /// An earlier name, which goes on working and stands in no help; nil for none.
  package let formerName: String?
  /// The name of one letter with its dash, `-o`; nil for none.
  package let short: String?
  /// The placeholder of its value in help; nil for a switch.
  package let value: String?
  package let use: ValueUse
  /// The heading in help that it stands under; empty for the first options.
  package let section: String
  package let help: String
  /// The values it may take, if these are few.
  package let choices: [String]
  /// The value without the option, for help.
  package let defaultValue: String?
  /// Whether it may be given more than once.
  package let repeats: Bool
  /// Whether an empty value is valid. Elsewhere it is a mistake, such as an unset shell variable.
  package let mayBeEmpty: Bool

  /// Whether a value that is not among the choices is a mistake here. Otherwise who reads it reports it.
  package let checksChoices: Bool

  /// Whether its value begins with the name of a setting, which completions ask the script on the line for.
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

  /// The option for a parameter that scripts may also set: `fail_on` becomes `--fail-on`.
  ///
  /// - Parameter value: the placeholder of its value; by default that of its kind.
  package init(_ parameter: ParameterDescriptor, value: String? = nil, repeats: Bool = false, mayBeEmpty: Bool = false)
  {
    var choices: [String] = []
    if case .choice(let names) = parameter.kind { choices = names }
    self.init(
      name: Self.name(parameter.name),
      value: value ?? Self.placeholder(parameter.kind), help: parameter.help, choices: choices,
      defaultValue: parameter.defaultValue?.shownInHelp, repeats: repeats, mayBeEmpty: mayBeEmpty)
  }

  /// The option for a name of a script: `--fail-on` for `fail_on`.
  package static func name(_ name: String) -> String { "--" + name.replacing("_", with: "-") }

  /// The placeholder for a value of a kind; nil for a switch.
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

  /// Returns the same option under a heading in help.
  package func under(_ section: String) -> CommandOption {
    CommandOption(
      name: name, formerName: formerName, short: short, value: value, use: use, help: help, choices: choices,
      checksChoices: checksChoices,
      defaultValue: defaultValue, repeats: repeats, mayBeEmpty: mayBeEmpty, section: section)
  }

  package static let help = CommandOption(name: "--help", value: nil, help: "print this help and exit")
  package static let quiet = CommandOption(
    name: "--quiet", short: "-q", value: nil, help: "tell mistakes and failures only, no notes and no summary")
  package static let verbose = CommandOption(
    name: "--verbose", short: "-v", value: nil, help: "tell of each output, too")
  package static let json = CommandOption(name: "--json", value: nil, help: "print JSON")

  /// The names as help shows them: `-o, --output`.
  var names: String { (short.map { $0 + ", " } ?? "") + name }
  /// The placeholder as help shows it; nil for a switch.
  var shownValue: String? { value.map { use.isRequired ? $0 : "[\($0)]" } }
  /// The option as help shows it: `--jobs N`.
  var heading: String { names + (shownValue.map { " \($0)" } ?? "") }
  /// Whether a word of the command line is this option.
  func isNamed(_ word: String) -> Bool { word == name || word == short || word == formerName }
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
