import ImageCore
import ImagePipeline
import LuaRuntime

/// A global that is not set, as the value of an argument or an option of a call.
struct AbsentGlobal: Hashable {
  let name: String
  let position: ScriptPosition
  let use: LuaNames.Use
}

/// Names that mean nothing in a script: globals that are not set, and misspelt modules.
extension ScriptSession {
  /// The functions of imghost that take options or other values. `methods` has the methods that do, except operations.
  private static let functions: Set<String> = [
    "open", "glob", "pages", "canvas", "text", "verify", "locale", "setting", "plugin", "require_plugin", "list",
    "book",
    "animation", "multipage", "all", "race", "contact_sheet", "hash_distance", "hint", "page", "qos",
  ]
  private static let methods: Set<String> = [
    "plugin", "save", "tiles", "map", "filter", "each", "sort_by", "take", "book", "animation", "multipage", "group_by",
    "on_done",
  ]
  /// The globals of the sandbox that a message may suggest.
  private static let globals = [
    "assert", "collectgarbage", "coroutine", "error", "getmetatable", "ipairs", "load", "math", "next", "os", "pairs",
    "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "require", "select", "setmetatable", "string", "table",
    "tonumber", "tostring", "type", "utf8", "xpcall",
  ]
  private static let module = "imghost"
  /// The names of nil in other languages.
  private static let nils: Set<String> = ["null", "None", "undefined"]

  /// Returns the message about a module that does not exist but is spelt like the module `imghost`; nil for others.
  static func advice(onMissing path: String) -> String? {
    let name = PathName.stem(path)
    guard Suggestion.nearest(to: name, in: [module]) != nil else { return nil }
    return "require: no module '\(name)' (did you mean '\(module)'?)"
  }

  /// Returns advice about an error that Lua reports in the script; nil if there is no advice.
  func advice(on error: ValueError) -> String? {
    if error.kind == "for iterator" { return "walk a list with ipairs(list)" }
    if error.isOfNil, error.isOfItem { return "there is no item with this number or name" }
    guard let name = error.variable else { return nil }
    if error.isOfCall, error.kind == "method" || error.kind == "field", Self.properties.contains(name),
      !error.isOfNil || name == "dpi"
    {
      return "a property is read without parentheses: picture.\(name)"
    }
    if error.isOfFunction, makesPicture(name) || measures(name) { return "call it with a colon: picture:\(name)(…)" }
    guard error.isOfNil, error.kind == "global" else { return nil }
    if name == "img" || name == Self.module { return "begin with local img = require \"\(Self.module)\"" }
    return nearVariable(name).map { "did you mean '\($0)'?" }
  }

  /// Returns the variable that a name probably means; nil for none.
  private func nearVariable(_ name: String) -> String? {
    let own = Set(allNames().flatMap { $0.locals.union($0.assigned) }).subtracting([name]).sorted()
    // Any two short names differ by few letters.
    guard name.count > 2 else { return own.first { $0.lowercased() == name.lowercased() } }
    return Suggestion.nearest(to: name, in: own.filter { $0.count > 2 } + Self.globals)
  }

  private func names(in file: String) -> LuaNames? {
    if let known = names[file] { return known }
    guard let source = sources[file] else { return nil }
    let found = LuaNames(source)
    names[file] = found
    return found
  }

  private func allNames() -> [LuaNames] { sources.keys.sorted().compactMap { names(in: $0) } }

  // MARK: - Globals

  /// Notes a read of a global that is not set, if it is the whole value of an argument or an option. Returns whether
  /// another read of the same name may be noted, too.
  func readAbsentGlobal(_ name: String, _ position: ScriptPosition?) -> Bool {
    let useCount = allNames().reduce(0) { $0 + $1.useCount(of: name) }
    guard useCount > 0, !isSetSomewhere(name) else { return false }
    guard let position, plugins.loading == nil, plugins.callers.isEmpty, let text = names(in: position.file),
      let use = text.use(of: name, inLine: position.line)
    else { return true }
    let global = AbsentGlobal(name: name, position: position, use: use)
    if knownGlobals.insert(global).inserted {
      lua.claim(byteCount: 2 * Self.recordByteCount + name.utf8.count)
      if takesValues(use, in: text) { absentGlobals.append(global) }
    }
    return knownGlobals.count { $0.name == name } < useCount
  }

  /// Returns whether the script or one of its modules sets a global with this name, or may do so.
  private func isSetSomewhere(_ name: String) -> Bool {
    allNames().contains { $0.isDynamic || $0.assigned.contains(name) }
  }

  /// Returns whether this use is in a call of a function or a method of imghost.
  private func takesValues(_ use: LuaNames.Use, in text: LuaNames) -> Bool {
    guard use.isMethod else {
      return use.receiver.map(text.modules.contains) == true && Self.functions.contains(use.function)
    }
    return Self.methods.contains(use.function)
      || run.environment.operations.contains { $0.descriptor.name == use.function }
  }

  /// Returns a clause about globals that are not set, for a mistake in the call that takes them as arguments; nil for
  /// none. These globals are not reported again.
  func absentGlobals(behind mistake: Diagnostic) -> String? {
    let found = absentGlobals.filter { global in
      (global.use.option == nil || mistake.lacksValue && mistake.parameter == global.use.option)
        && global.use.line == mistake.position?.line && global.position.file == mistake.position?.file
    }
    guard let first = found.first else { return nil }
    explainedGlobals.formUnion(found)
    return "'\(first.name)' is no variable" + hint(first)
  }

  /// Reports the globals that are not set, so that an option without a value is not left out silently.
  func noteAbsentGlobals() {
    // These messages explain themselves.
    let explain = graph.explain
    graph.explain = nil
    defer { graph.explain = explain }
    for global in absentGlobals where !isSetSomewhere(global.name) && explainedGlobals.insert(global).inserted {
      let result = global.use.option.map { "so '\($0)' is not given" } ?? "so its value is nil"
      graph.report(global.use.function, "'\(global.name)' is no variable, \(result)" + hint(global), global.position)
    }
  }

  /// Returns a hint about what a name probably means: a word in quotes, nil, or a variable; an empty text if nothing
  /// fits.
  private func hint(_ global: AbsentGlobal) -> String {
    let parameters = global.use.option.map(parameters) ?? []
    func takes(_ parameter: ParameterDescriptor, _ word: String) -> Bool { (try? parameter.value(ofWord: word)) != nil }
    for word in [global.name, global.name.lowercased()]
    where parameters.contains(where: { $0.kind.isNarrow && takes($0, word) }) {
      return "; did you mean \"\(word)\"?"
    }
    if Self.nils.contains(global.name) { return "; did you mean 'nil'?" }
    if let near = nearVariable(global.name) { return "; did you mean '\(near)'?" }
    return parameters.contains { takes($0, global.name) } ? "; did you mean \"\(global.name)\"?" : ""
  }

  private func parameters(named name: String) -> [ParameterDescriptor] {
    let environment = run.environment
    let all =
      environment.operations.flatMap(\.descriptor.parameters) + SinkParameters.save + SinkParameters.tiles
      + environment.codecs.flatMap(\.saveParameters) + environment.sinks.flatMap(\.parameters) + SourceParameters.glob
      + SourceParameters.canvas
    return all.filter { $0.isNamed(name) }
  }
}
