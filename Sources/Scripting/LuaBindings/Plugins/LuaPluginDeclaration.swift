import ImageCore
import ImagePipeline
import LuaRuntime

/// Reads the table given to `img.plugin{ … }`. The `message` of an error follows words of the caller, such as
/// `plugin: `.
enum LuaPluginDeclaration {
  private static let fields = ["name", "summary", "version", "parameters", "apply", "any_rgb"]
  private static let types = ["bool", "int", "float", "enum", "colour", "string", "point", "picture"]

  static func read(_ table: LuaTable, file: String) throws(LuaHostError) -> LuaPlugin {
    try ParameterDeclaration.check(table, fields, "a plugin")
    guard case .string(let name) = table["name"] else { throw wrong("'name' must be a string") }
    guard isName(name) else {
      throw wrong(
        "invalid name '\(printable(name))': expected a lower-case letter, then lower-case letters, "
          + "digits, '_' and '-'")
    }
    guard case .function(let apply) = table["apply"] else {
      throw wrong("'apply' must be a function of a picture and its options")
    }
    let descriptor = OperationDescriptor(
      name: name, family: "plugin", summary: try ParameterDeclaration.text(table, "summary"),
      parameters: try parameters(table["parameters"]))
    let takesAnyRGB = try ParameterDeclaration.flag(table, "any_rgb") ?? false
    return LuaPlugin(
      descriptor: descriptor, version: try ParameterDeclaration.text(table, "version"), apply: apply,
      takesAnyRGB: takesAnyRGB, file: file)
  }

  private static func parameters(_ value: LuaValue) throws(LuaHostError) -> [ParameterDescriptor] {
    guard value != .none else { return [] }
    guard case .table(let table) = value else { throw wrong("'parameters' must be a table") }
    var all: [(name: String, table: LuaTable)] = []
    for item in table.array {
      guard case .table(let fields) = item, case .string(let name) = fields["name"] else {
        throw wrong("each parameter in a list must be a table with a 'name'")
      }
      all.append((name, fields))
    }
    for (name, item) in table.fields {
      guard case .table(let fields) = item else {
        throw wrong("parameter '\(printable(name))' must be a table")
      }
      all.append((name, fields))
    }
    var result: [ParameterDescriptor] = []
    for (name, table) in all {
      guard isName(name), !name.contains("-") else {
        throw wrong("invalid parameter name '\(printable(name))'")
      }
      guard !result.contains(where: { $0.name == name }) else {
        throw wrong("parameter '\(name)' is declared twice")
      }
      do throws(LuaHostError) {
        result.append(try ParameterDeclaration.read(name, table, types: types))
      } catch {
        throw wrong("parameter '\(name)': \(error.message)")
      }
    }
    return result
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    return letters.contains(first)
      && name.utf8.allSatisfy {
        letters.contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
  }

  private static func wrong(_ message: String) -> LuaHostError { LuaHostError(message: message) }
}
