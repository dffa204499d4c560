import ImageCore
import ImagePipeline
import LuaRuntime

/// `img.setting` and `img.settings`.
extension ScriptSession {
  func registerSettings() {
    register("settings") { (session, _, _) throws(LuaHostError) in
      let fields = session.options.settings.map { ($0.key, Self.guess($0.value)) }
      return [.table(LuaTable(fields: fields))]
    }
    register("declare_setting") { (session, arguments, position) throws(LuaHostError) in
      [try session.declareSetting(arguments, position)]
    }
    register("use_setting") { (session, arguments, position) throws(LuaHostError) in
      let value = arguments.count > 1 ? arguments[1] : .none
      guard case .string(let name)? = arguments.first else { return [value] }
      try session.useSetting(name, isGiven: value != .none, at: position)
      return [value]
    }
  }

  /// The types of settings: those of plugin parameters whose values fit into one word of a command line.
  private static let types = ["bool", "int", "float", "enum", "colour", "string", "point"]

  /// Declares a setting, and returns its value; a stand-in if a required setting is not set. Throws if the declaration
  /// is wrong or comes too late, or in a plugin.
  private func declareSetting(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> LuaValue {
    guard plugins.loading == nil, plugins.callers.isEmpty else {
      throw LuaHostError(message: "setting: a plugin declares parameters; settings belong to the script")
    }
    guard arguments.count == 2, case .string(let name) = arguments[0], case .table(let table) = arguments[1] else {
      throw .mistake(
        "setting takes a name and a declaration: img.setting(\"width\", { type = \"int\", default = 200 })")
    }
    let parameter: ParameterDescriptor
    do throws(LuaHostError) {
      guard Self.isSettingName(name) else {
        throw LuaHostError(message: "its name must begin with a letter and go on with letters, digits, '_' or '-'")
      }
      parameter = try ParameterDeclaration.read(name, table, types: Self.types, mayBeOpen: true)
      if let known = graph.settings[name] { return try knownSetting(known, parameter) }
      try checkTime(of: name)
    } catch {
      graph.settings.addWrong(name)
      throw .mistake("setting '\(printable(name))': \(error.message)")
    }
    do throws(ArgumentError) {
      try graph.settings.declare(parameter, at: position)
    } catch .missing {
      graph.note(
        Diagnostic(.usage, at: position, message: "setting '\(name)' is not set; add --set \(name)=VALUE"))
      return standIn()
    } catch {
      graph.note(Diagnostic(.usage, at: position, subject: "--set", message: error.text(in: nil)))
    }
    let value = graph.settings[name]?.value
    lua.claim(byteCount: 4 * Self.recordByteCount)
    if value == nil { noteAbsence(of: name, position) }
    return LuaValue(setting: value)
  }

  private func noteAbsence(of name: String, _ position: ScriptPosition?) {
    if absentSettings.updateValue(position, forKey: name) == nil {
      lua.claim(byteCount: 2 * Self.recordByteCount + name.utf8.count)
    }
  }

  /// Returns the value of a setting that is declared again, as in a loop or in a module. Throws if the declarations
  /// differ.
  private func knownSetting(_ known: DeclaredSetting, _ parameter: ParameterDescriptor) throws(LuaHostError)
    -> LuaValue
  {
    guard known.parameter == parameter else {
      let place = known.position.map { " at \($0.file):\($0.line)" } ?? ""
      throw LuaHostError(message: "it is declared differently\(place)")
    }
    return LuaValue(setting: known.value)
  }

  private static func isSettingName(_ name: String) -> Bool {
    guard let first = name.first, first.isASCII, first.isLetter, name.utf8.count <= 64 else { return false }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
  }

  /// Refuses a declaration after the script has waited for a job, or has read the setting through `img.settings`.
  private func checkTime(of name: String) throws(LuaHostError) {
    if graph.settings.isClosed {
      throw LuaHostError(message: "declare settings before the script waits for a job or ends")
    }
    if graph.settings.read.contains(name) {
      throw LuaHostError(message: "declare it before img.settings reads it")
    }
  }

  private func useSetting(_ name: String, isGiven: Bool, at position: ScriptPosition?) throws(LuaHostError) {
    if let setting = graph.settings[name] {
      if setting.value == nil { noteAbsence(of: name, position) }
      return
    }
    guard !graph.settings.areDeclared else { throw .mistake(graph.settings.unknown(name)) }
    graph.settings.read(name)
    if !isGiven { noteAbsence(of: name, position) }
  }

  /// Returns a value of `--set` in a script that declares no settings: a number or a boolean if the text looks like
  /// one.
  private static func guess(_ text: String) -> LuaValue {
    if let number = Int(text) { return .integer(number) }
    if let number = Double(text), number.isFinite { return .number(number) }
    switch text {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: return .string(text)
    }
  }
}

extension LuaValue {
  /// Makes the value of a setting in the form that operations take: colours as `#rrggbb` or `#rrggbbaa`.
  fileprivate init(setting value: ParameterValue?) {
    switch value {
    case .colour(let colour)?: self = .string(colour.hexadecimal)
    case let value?: self = LuaValue(value)
    case nil: self = .none
    }
  }
}
