import ImageCore
import ImagePipeline
import LuaRuntime

/// Reads the table given to `img.plugin{ … }`. The messages are the ends of sentences.
enum LuaPluginDeclaration {
  private static let fields = ["name", "summary", "version", "parameters", "apply", "any_rgb"]
  private static let parameterFields = [
    "name", "type", "minimum", "maximum", "default", "choices", "required", "unit", "help",
  ]
  private static let types = ["bool", "int", "float", "enum", "colour", "string", "point", "picture"]
  /// The limit up to which whole numbers are exact in doubles.
  private static let widest = 1 << 53

  static func read(_ table: LuaTable, file: String, line: Int) throws(LuaHostError) -> LuaPlugin {
    try check(table, fields, "a plugin")
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
      name: name, family: "plugin", summary: try text(table, "summary"),
      parameters: try parameters(table["parameters"]))
    var takesAnyRGB = false
    switch table["any_rgb"] {
    case .none: break
    case .boolean(let value): takesAnyRGB = value
    default: throw wrong("'any_rgb' must be true or false")
    }
    return LuaPlugin(descriptor: descriptor, apply: apply, takesAnyRGB: takesAnyRGB, file: file, line: line)
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
        result.append(try parameter(name, table))
      } catch {
        throw wrong("parameter '\(name)': \(error.message)")
      }
    }
    return result
  }

  private static func parameter(_ name: String, _ table: LuaTable) throws(LuaHostError) -> ParameterDescriptor {
    try check(table, parameterFields, "it")
    guard case .string(let type) = table["type"] else { throw wrong("'type' must be a string") }
    let kind = try kind(type, table)
    var isRequired = kind == .picture
    if case .boolean(let value) = table["required"] { isRequired = value }
    let bare = ParameterDescriptor(
      name, kind, required: isRequired, unit: try text(table, "unit"),
      help: try text(table, "help"))
    guard table["default"] != .none else { return bare }
    return ParameterDescriptor(
      name, kind, default: try defaultValue(table["default"], bare), unit: bare.unit,
      help: bare.help)
  }

  /// The default, checked like an argument.
  private static func defaultValue(_ value: LuaValue, _ parameter: ParameterDescriptor)
    throws(LuaHostError) -> ParameterValue
  {
    var conversion = ArgumentConversion(pictures: [])
    let raw = conversion.raw([.table(LuaTable(fields: [(parameter.name, value)]))])
    do throws(ArgumentErrors) {
      let checked = try Arguments(raw, parameters: [parameter], positionalCount: 0)
      return checked[parameter.name]!
    } catch {
      throw wrong("the default is wrong: " + (error.errors.first?.description ?? ""))
    }
  }

  private static func kind(_ type: String, _ table: LuaTable) throws(LuaHostError) -> ParameterKind {
    switch type {
    case "bool": return .boolean
    case "int":
      let range = try range(table, -Double(widest)...Double(widest))
      guard let low = Int(exactly: range.lowerBound), let high = Int(exactly: range.upperBound)
      else { throw wrong("the ends of the range must be whole numbers") }
      return .integer(low...high)
    case "float": return .number(try range(table, nil))
    case "enum":
      guard case .table(let list) = table["choices"], !list.array.isEmpty else {
        throw wrong("an enum needs 'choices', a list of strings")
      }
      var names: [String] = []
      for item in list.array {
        guard case .string(let name) = item, !name.isEmpty, !names.contains(name) else {
          throw wrong("'choices' must be a list of different strings")
        }
        names.append(name)
      }
      return .choice(names)
    case "colour": return .colour
    case "string": return .text
    case "point": return .numbers(2...2)
    case "picture": return .picture
    default:
      let hint = Suggestion.nearest(to: type, in: types).map { " (did you mean '\($0)'?)" } ?? ""
      throw wrong("unknown type '\(printable(type))'\(hint); valid: " + types.joined(separator: ", "))
    }
  }

  private static func range(_ table: LuaTable, _ whole: ClosedRange<Double>?) throws(LuaHostError)
    -> ClosedRange<Double>
  {
    guard let low = number(table["minimum"]) ?? whole?.lowerBound,
      let high = number(table["maximum"]) ?? whole?.upperBound, low.isFinite, high.isFinite
    else { throw wrong("'minimum' and 'maximum' must be numbers") }
    guard low <= high else {
      throw wrong("the range from \(ParameterValue.text(low)) to \(ParameterValue.text(high)) is empty")
    }
    return low...high
  }

  private static func number(_ value: LuaValue) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  private static func text(_ table: LuaTable, _ field: String) throws(LuaHostError) -> String {
    switch table[field] {
    case .none: return ""
    case .string(let text) where text.utf8.count <= 512: return printable(text)
    default: throw wrong("'\(field)' must be a string of at most 512 bytes")
    }
  }

  private static func check(_ table: LuaTable, _ known: [String], _ what: String) throws(LuaHostError) {
    for (name, _) in table.fields where !known.contains(name) {
      let hint = Suggestion.nearest(to: name, in: known).map { " (did you mean '\($0)'?)" } ?? ""
      throw wrong("\(what) has no field '\(printable(name))'\(hint); valid: " + known.joined(separator: ", "))
    }
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
