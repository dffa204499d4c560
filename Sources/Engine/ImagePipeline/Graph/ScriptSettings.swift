import ImageCore

/// A setting that a script declares, or a parameter of a plugin's call, with its value in this run.
package struct DeclaredSetting: Sendable, Hashable {
  /// The name, type, range, step, default, unit and help.
  package let parameter: ParameterDescriptor
  /// The checked value; nil if neither `--set` nor a default gives one.
  package let value: ParameterValue?
  /// Whether `--set` gives a value, which may be invalid and is then not used.
  package let isGiven: Bool
  /// The line of the declaration or of the call.
  package let position: ScriptPosition?

  package init(parameter: ParameterDescriptor, value: ParameterValue?, isGiven: Bool, position: ScriptPosition?) {
    self.parameter = parameter
    self.value = value
    self.isGiven = isGiven
    self.position = position
  }
}

/// The settings of a run: the values from `--set`, and the settings that the script declares and reads.
package struct ScriptSettings: Sendable {
  /// The unchecked values from `--set`, by name.
  package let given: [String: String]
  /// The declared settings, in the order of the script.
  package private(set) var declared: [DeclaredSetting] = []
  /// The parameters of plugin calls that `--set PLUGIN.PARAMETER=VALUE` can change, in the script's order. Their
  /// defaults are the values in the script.
  package private(set) var controls: [DeclaredSetting] = []
  /// The positions of plugin calls, by the plugin's name.
  private var calls: [String: [ScriptPosition]] = [:]
  /// The names of the values from `--set` that calls of plugins have used for their parameters.
  private var claimed: Set<String> = []
  /// The names that the script has read without declaring them.
  package private(set) var read: Set<String> = []
  /// The names of declarations with mistakes.
  private var wrong: Set<String> = []
  /// Whether the script must not declare further settings, because outputs already depend on the settings.
  package private(set) var isClosed = false
  /// Whether the script has ended, and calls plugins only in callbacks from now on.
  private var hasAllCalls = false

  package init(given: [String: String] = [:]) { self.given = given }

  /// The names of the values from `--set` that nothing in the script uses, sorted.
  package var unused: [String] { given.keys.filter { !uses($0) && !wrong.contains($0) }.sorted() }

  /// Returns whether a name has the form `PLUGIN.PARAMETER`, which declared settings cannot have.
  package static func isOfPlugin(_ name: String) -> Bool { name.contains(".") }

  /// Returns whether anything in the script uses the name.
  package func uses(_ name: String) -> Bool { self[name] != nil || claimed.contains(name) || read.contains(name) }

  /// Returns whether nothing in the script uses the name, and nothing can use it later.
  package func isUnknown(_ name: String) -> Bool {
    !uses(name) && (Self.isOfPlugin(name) ? hasAllCalls : isClosed && areDeclared)
  }

  /// The declared setting with this name; nil for none.
  package subscript(name: String) -> DeclaredSetting? { declared.first { $0.parameter.name == name } }

  /// Whether the script declares settings. If it does, undeclared ones are mistakes.
  package var areDeclared: Bool { !declared.isEmpty || !wrong.isEmpty }

  package mutating func read(_ name: String) { read.insert(name) }

  /// Records a declaration with a mistake, so that its name is not reported as unknown as well.
  package mutating func addWrong(_ name: String) { wrong.insert(name) }

  /// Adds a setting, with its value from `--set` or its default.
  ///
  /// - Throws: an error if the value from `--set` is invalid, or if a required value is missing. The setting is added
  ///   nevertheless, with its default, if any.
  package mutating func declare(_ parameter: ParameterDescriptor, at position: ScriptPosition?) throws(ArgumentError) {
    var value = parameter.defaultValue
    defer {
      let isGiven = given[parameter.name] != nil
      declared.append(DeclaredSetting(parameter: parameter, value: value, isGiven: isGiven, position: position))
    }
    guard let word = given[parameter.name] else {
      if parameter.isRequired { throw .missing(name: parameter.name) }
      return
    }
    value = try parameter.value(ofWord: word)
  }

  /// Marks the end of the declarations. If the script declares settings, returns a mistake for each value from `--set`
  /// that is not declared.
  mutating func close() -> [Diagnostic] {
    guard !isClosed else { return [] }
    isClosed = true
    guard areDeclared else { return [] }
    // The script may still call plugins. `endCalls` reports parameters that no call has.
    let undeclared = given.keys.filter { self[$0] == nil && !wrong.contains($0) && !Self.isOfPlugin($0) }
    return undeclared.sorted().map { Diagnostic(.usage, at: nil, subject: "--set", message: unknown($0)) }
  }

  /// Marks the end of the script's plugin calls. If the script declares settings or calls plugins, returns a mistake
  /// for each value from `--set` for a parameter that no call has.
  package mutating func endCalls() -> [Diagnostic] {
    hasAllCalls = true
    guard areDeclared || !controls.isEmpty else { return [] }
    let strays = given.keys.filter { Self.isOfPlugin($0) && isUnknown($0) }
    return strays.sorted().map { Diagnostic(.usage, at: nil, subject: "--set", message: unknown($0)) }
  }

  /// Returns the prefix for the parameters of a call, and whether the call is at a new position. `glow.` is the prefix
  /// for the first line of the script that calls the plugin, `glow.2.` for the second.
  package mutating func prefix(ofCall plugin: String, at position: ScriptPosition) -> (text: String, isNew: Bool) {
    var places = calls[plugin] ?? []
    let known = places.firstIndex(of: position)
    if known == nil {
      places.append(position)
      calls[plugin] = places
    }
    let number = known ?? places.count - 1
    return (number == 0 ? plugin + "." : "\(plugin).\(number + 1).", known == nil)
  }

  /// Returns the value from `--set` for a parameter of a call; nil if there is none.
  ///
  /// - Throws: the mistake in the value.
  package mutating func value(of name: String, _ parameter: ParameterDescriptor) throws(ArgumentError)
    -> ParameterValue?
  {
    guard let word = given[name] else { return nil }
    claimed.insert(name)
    return try parameter.value(ofWord: word)
  }

  /// Adds a parameter of a plugin's call to `controls`.
  package mutating func addControl(_ control: DeclaredSetting) { controls.append(control) }

  /// Returns the message about a name that is neither declared nor a parameter of a plugin's call: `unknown setting
  /// 'widht' (did you mean 'width'?)`.
  package func unknown(_ name: String) -> String {
    let names = declared.map(\.parameter.name) + wrong.sorted()
    let all = Self.isOfPlugin(name) ? controls.map(\.parameter.name) + names : names
    let hint = Suggestion.nearest(to: name, in: all).map { " (did you mean '\($0)'?)" } ?? ""
    // Only some parameters are listed, because plugins may have dozens.
    let rest =
      Self.isOfPlugin(name) ? "see 'imghost help SCRIPT'" : "the script declares: " + names.joined(separator: ", ")
    return "unknown setting '\(printable(name))'\(hint); \(rest)"
  }
}
