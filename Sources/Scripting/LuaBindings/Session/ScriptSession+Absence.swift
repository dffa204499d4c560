import ImageCore
import ImagePipeline

/// Clauses about missing settings and metadata fields, for messages about the errors that they cause.
extension ScriptSession {
  /// Returns an error message of Lua, with a clause about its cause if the cause is known: a missing setting or field,
  /// the sandbox, or a mistake that authors often make.
  func explained(_ message: String, at position: ScriptPosition) -> String {
    let error = ValueError(message)
    let absence =
      error.isOfNil ? absence(at: position, error) ?? error.variable.flatMap(SandboxAdvice.text) : nil
    let clause = absence ?? advice(on: error)
    return clause.map { "\(error.shown); \($0)" } ?? error.shown
  }

  /// Returns a clause that names the missing settings or fields that caused a mistake or an error; nil if there are
  /// none.
  ///
  /// - Parameter error: the error that Lua reports; nil for a mistake in a call that lacks a value.
  func absence(at position: ScriptPosition?, _ error: ValueError? = nil) -> String? {
    let settings = behind(absentSettings, at: position, error)
    if !settings.isEmpty { return Self.absence(of: settings, near: unusedSettings) }
    let fields = behind(absentFields.mapValues(\.position), at: position, error)
    return fields.first.map { absence(ofFields: fields, absentFields[$0]!.block, isNumber: error?.isOfNumber ?? false) }
  }

  /// Returns the missing names that may have caused a mistake or an error: the name in Lua's message; otherwise the
  /// names that the line reads; otherwise the names of variables that are nil.
  private func behind(_ absent: [String: ScriptPosition?], at position: ScriptPosition?, _ error: ValueError?)
    -> [String]
  {
    guard !absent.isEmpty, let position else { return [] }
    if let variable = error?.variable?.lowercased() { return absent.keys.filter { $0.lowercased() == variable } }
    let names = absent.filter { $0.value == position }.keys.sorted()
    if !names.isEmpty { return names }
    let variables = Set(lua.nilVariables.map { $0.lowercased() })
    return absent.keys.filter { variables.contains($0.lowercased()) }.sorted()
  }

  private static func absence(of settings: [String], near unused: [String]) -> String {
    let listed = settings.map { name in
      let near = Suggestion.nearest(to: name, in: unused)
      return "'\(printable(name))'" + (near.map { " ('\(printable($0))' is)" } ?? "")
    }
    return (settings.count == 1 ? "setting " : "settings ") + listed.joined(separator: ", ")
      + (settings.count == 1 ? " is" : " are") + " not set; add "
      + settings.map { "--set \(printable($0))=VALUE" }.joined(separator: " ")
  }

  private func absence(ofFields names: [String], _ block: String, isNumber: Bool) -> String {
    let listed = names.map { "'\(printable($0))'" }.joined(separator: ", ")
    let isName = names[0].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    let field = isName ? ".\(printable(names[0]))" : "[\"\(printable(names[0]))\"]"
    return "the picture has no \(block.uppercased()) field\(names.count == 1 ? "" : "s") \(listed); "
      + "write (\(block)\(field) or \(isNumber ? "0" : "\"\""))"
  }
}

/// An error that Lua reports about a value of the wrong type. Lua describes the error only as text: see
/// `luaG_typeerror` in ldebug.c.
struct ValueError {
  /// The message without names that only Lua's compiler knows.
  let shown: String
  /// Whether the value is nil, which is also assumed for a failed assertion.
  let isOfNil: Bool
  /// Whether the value should be a number.
  let isOfNumber: Bool
  /// Whether a function is used like a table.
  let isOfFunction: Bool
  /// Whether the value is called.
  let isOfCall: Bool
  /// The kind of variable, such as `global`, `field` or `method`; nil if Lua does not know it.
  let kind: String?
  /// The variable or field: `dir` in "a nil value (field 'dir')"; nil if Lua does not know it.
  let variable: String?
  /// Whether the value is an item of a table, which has no name.
  let isOfItem: Bool

  init(_ message: String) {
    isOfNil = message.contains("nil") || message == "assertion failed!"
    isOfNumber = message.contains("arithmetic") || message.contains("compare")
    isOfFunction = message.hasPrefix("attempt to index a function ")
    isOfCall = message.hasPrefix("attempt to call ")
    let start = message.hasSuffix("')") ? message.firstRange(of: " value (") : nil
    let parts = start.map { message[$0.upperBound...].dropLast(2).split(separator: " '", maxSplits: 1) } ?? []
    let name = parts.count == 2 ? String(parts[1]) : nil
    kind = parts.count == 2 ? String(parts[0]) : nil
    isOfItem = kind == "field" && (name == "?" || name == "integer index")
    let isNameless = isOfItem || kind == "for iterator"
    variable = isNameless ? nil : name
    shown = isNameless ? String(message[..<start!.upperBound].dropLast(2)) : message
  }
}

/// Replacements for the parts of Lua that the sandbox lacks.
private enum SandboxAdvice {
  /// Returns a clause about a global or field that the sandbox lacks; nil for other names.
  static func text(_ name: String) -> String? {
    rows[name].map { "scripts run in a sandbox without \($0.missing): \($0.instead)" }
  }

  private static let rows: [String: (missing: String, instead: String)] = {
    let modules = "require \"name\" loads name.lua beside the script"
    var rows: [String: (missing: String, instead: String)] = [
      "io": (
        "io",
        "img.open and img.glob read pictures, save and book write files, print writes text, "
          + "require reads data from a Lua file beside the script"
      ),
      "debug": ("debug", "errors name their line without it"),
      "package": ("package", modules), "loadfile": ("loadfile", modules),
      "dofile": ("dofile", modules), "dump": ("string.dump", "bytecode cannot be loaded"),
      "execute": ("os.execute", "it starts no programs; run them before or after imghost"),
      "exit": ("os.exit", "error(\"why\") ends a script, return leaves it"),
      "getenv": ("os.getenv", "give values with --set name=value and read img.settings.name"),
      "setlocale": ("os.setlocale", "strings are UTF-8 and sorted by their bytes"),
    ]
    for name in ["remove", "rename", "tmpname"] {
      rows[name] = ("os.\(name)", "only save and book change files")
    }
    return rows
  }()
}
