import ImageCore
import ImagePipeline
import LuaRuntime

/// Wrong calls: they are collected, and the script goes on with a value that stands for their result.
extension ScriptSession {
  /// What stands for the result of a call that has been reported as wrong. The prelude lets scripts do anything with
  /// it; whatever it is handed to gives it back.
  func standIn() -> LuaValue {
    hasStandIns = true
    return .object(LuaObject(type: LuaValue.standInType, handle: 0))
  }

  /// Calls a host function, and makes a wrong call a mistake of the run. In plugins it stays an error, which names
  /// the plugin.
  func collecting(
    at position: ScriptPosition?,
    _ body: (ScriptPosition?) throws(LuaHostError) -> [LuaValue]
  ) throws(LuaHostError) -> [LuaValue] {
    let results: [LuaValue]
    do throws(LuaHostError) {
      results = try body(position)
    } catch {
      guard error.isMistake, plugins.loading == nil, plugins.callers.isEmpty else { throw error }
      run.note(
        Diagnostic(
          .script, at: position, message: error.message + setting(at: position, error.message)))
      results = [standIn()]
    }
    if run.hasTooManyMistakes { throw .abort }
    return results
  }

  /// Whether Lua stumbled over a stand-in, of which the mistake behind it tells enough.
  func isOfStandIn(_ message: String) -> Bool {
    hasStandIns
      && (message.contains("\(LuaValue.standInType) value")
        || message.contains("got \(LuaValue.standInType)") || message.hasPrefix("'for' "))
  }

  // MARK: - Lua's own errors

  /// An error of Lua's with what the sandbox and settings have to do with it.
  func explained(_ message: String) -> String {
    guard message.contains("nil"), let name = Self.name(in: message) else { return message }
    if absentSettings.keys.contains(name) { return "\(absence(of: name)): \(message)" }
    if let setting = settingBehind(name) { return "\(message): \(absence(of: setting))" }
    return SandboxAdvice.text(name).map { "\(message); \($0)" } ?? message
  }

  /// The setting that a variable was to hold: asked for in vain, with no other value, in a line that names the
  /// variable.
  private func settingBehind(_ variable: String) -> String? {
    let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return absentSettings.keys.sorted().first { setting in
      guard let line = absentSettings[setting]??.line, lines.indices.contains(line - 1) else {
        return false
      }
      let words = String(decoding: lines[line - 1], as: UTF8.self)
        .split { !($0.isLetter || $0.isNumber || $0 == "_") }
      return words.contains(variable[...]) && !words.contains("or")
    }
  }

  /// The variable or field that an error of Lua's ends with: `dir` of `a nil value (field 'dir')`.
  private static func name(in message: String) -> String? {
    guard message.hasSuffix("')") else { return nil }
    return message.dropLast(2).split(separator: "'").last.map(String.init)
  }

  /// What to say of a setting that a line of the script asked for in vain, where a call there was given nil.
  private func setting(at position: ScriptPosition?, _ message: String) -> String {
    guard message.hasSuffix("nil"),
      let name = absentSettings.filter({ $0.value == position }).keys.min()
    else { return "" }
    return "; \(absence(of: name))"
  }

  private func absence(of name: String) -> String {
    let near = Suggestion.nearest(to: name, in: unusedSettings)
    return "the setting '\(printable(name))' is not given"
      + (near.map { " ('\(printable($0))' is)" } ?? "")
      + ", add --set \(printable(name))=VALUE"
  }
}

extension LuaValue {
  fileprivate static let standInType = "mistake"

  /// Whether it is a stand-in, or a table with one.
  var hasStandIn: Bool {
    switch self {
    case .object(let object): object.type == Self.standInType
    case .table(let table):
      table.array.contains(where: \.hasStandIn) || table.fields.contains { $0.1.hasStandIn }
    default: false
    }
  }
}
