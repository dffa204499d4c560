import ImageCore

/// A setting that a script has declared, and its value in this run.
package struct DeclaredSetting: Sendable, Hashable {
  /// Its name, type, range, step, default, unit and help.
  package let parameter: ParameterDescriptor
  /// The checked value; nil if there is neither one of `--set` nor a default.
  package let value: ParameterValue?
  /// Whether the value comes from `--set` and not from the declaration.
  package let isGiven: Bool
  /// The line of the declaration.
  package let position: ScriptPosition?

  package init(parameter: ParameterDescriptor, value: ParameterValue?, isGiven: Bool, position: ScriptPosition?) {
    self.parameter = parameter
    self.value = value
    self.isGiven = isGiven
    self.position = position
  }
}

/// The settings of a run: the values of `--set`, and what the script declares and reads.
package struct ScriptSettings: Sendable {
  /// The values of `--set` by name, unchecked.
  package let given: [String: String]
  /// The declared settings, in the order of the script.
  package private(set) var declared: [DeclaredSetting] = []
  /// The parameters of the script's calls of plugins that `--set PLUGIN.PARAMETER=VALUE` changes, in the order of the
  /// script. Their defaults are the values that the script gives.
  package private(set) var controls: [DeclaredSetting] = []
  /// The places of calls, by the names of plugins.
  private var calls: [String: [ScriptPosition]] = [:]
  /// The values of `--set` that belong to parameters of plugins.
  private var claimed: Set<String> = []
  /// The names that the script has read without declaring them.
  package private(set) var read: Set<String> = []
  /// The names of declarations with mistakes.
  private var wrong: Set<String> = []
  /// Whether the script may declare no more, because outputs depend on the settings.
  package private(set) var isClosed = false
  /// Whether the script has ended, so that it calls no more plugins except in callbacks.
  private var hasAllCalls = false

  package init(given: [String: String] = [:]) { self.given = given }

  /// The values of `--set` that the script neither declares nor reads, sorted.
  package var unused: [String] {
    given.keys.filter { name in
      !read.contains(name) && self[name] == nil && !wrong.contains(name) && !claimed.contains(name)
    }.sorted()
  }

  /// Whether a name is of the form `PLUGIN.PARAMETER`, which no declared setting has.
  package static func isOfPlugin(_ name: String) -> Bool { name.contains(".") }

  /// Whether something in the script uses the name.
  package func uses(_ name: String) -> Bool { self[name] != nil || claimed.contains(name) || read.contains(name) }

  /// Whether nothing in the script uses the name, and nothing can use it later.
  package func isUnknown(_ name: String) -> Bool {
    !uses(name) && (Self.isOfPlugin(name) ? hasAllCalls : isClosed && areDeclared)
  }

  /// The declared setting of this name.
  package subscript(name: String) -> DeclaredSetting? { declared.first { $0.parameter.name == name } }

  /// Whether the script declares settings, so that all others are mistakes.
  package var areDeclared: Bool { !declared.isEmpty || !wrong.isEmpty }

  package mutating func read(_ name: String) { read.insert(name) }

  /// Notes a declaration with a mistake, so that its name is not reported as unknown, too.
  package mutating func addWrong(_ name: String) { wrong.insert(name) }

  /// Adds a setting, with its value from `--set` or from its declaration.
  ///
  /// - Throws: the mistake in the value of `--set`. The setting then has its default.
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

  /// Ends the declarations. Returns the mistakes: values of `--set` that are not declared, in a script that declares
  /// settings.
  mutating func close() -> [Diagnostic] {
    guard !isClosed else { return [] }
    isClosed = true
    guard areDeclared else { return [] }
    // Calls of plugins may still come: `endCalls` reports the parameters that none of them has.
    let undeclared = given.keys.filter { self[$0] == nil && !wrong.contains($0) && !Self.isOfPlugin($0) }
    return undeclared.sorted().map { Diagnostic(.usage, at: nil, subject: "--set", message: unknown($0)) }
  }

  /// Ends the calls of plugins. Returns the mistakes: values of `--set` for parameters that no call has, in a script
  /// that declares settings or calls plugins.
  package mutating func endCalls() -> [Diagnostic] {
    hasAllCalls = true
    guard areDeclared || !controls.isEmpty else { return [] }
    let strays = given.keys.filter { Self.isOfPlugin($0) && isUnknown($0) }
    return strays.sorted().map { Diagnostic(.usage, at: nil, subject: "--set", message: unknown($0)) }
  }

  /// Returns the beginning of the names of a call's parameters, and whether the place of the call is a new one. `glow.`
  /// stands for the first line of the script that calls the plugin, `glow.2.` for the second one.
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

  /// Returns the value of `--set` for a parameter of a call; nil if there is none.
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

  /// The message about a name that is not declared, or that no call of a plugin has: `unknown setting 'widht' (did you
  /// mean 'width'?)`.
  package func unknown(_ name: String) -> String {
    let names = declared.map(\.parameter.name) + wrong.sorted()
    let all = Self.isOfPlugin(name) ? controls.map(\.parameter.name) + names : names
    let hint = Suggestion.nearest(to: name, in: all).map { " (did you mean '\($0)'?)" } ?? ""
    // Plugins may have dozens of parameters.
    let rest =
      Self.isOfPlugin(name) ? "see 'imghost help SCRIPT'" : "the script declares: " + names.joined(separator: ", ")
    return "unknown setting '\(printable(name))'\(hint); \(rest)"
  }
}
