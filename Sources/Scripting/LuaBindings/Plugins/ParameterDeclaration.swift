import ImageCore
import ImagePipeline
import LuaRuntime

/// Reads the declaration of one parameter or setting: `{ type = "int", minimum = 1, maximum = 9, default = 3 }`. The
/// `message` of an error follows words of the caller, such as `setting 'width': `.
enum ParameterDeclaration {
  private static let fields = [
    "name", "type", "minimum", "maximum", "step", "default", "choices", "required", "unit", "label",
    "group", "help",
  ]
  /// The types that a field is limited to. Fields that are not listed belong to all types.
  private static let owners = ["minimum": numbers, "maximum": numbers, "step": numbers, "choices": ["enum"]]
  private static let numbers = ["int", "float"]
  /// The names of types in other languages, and the types to suggest for them.
  private static let synonyms = [
    "boolean": "bool", "integer": "int", "number": "float", "choice": "enum", "color": "colour", "text": "string",
  ]
  /// The limit up to which a `Double` represents every integer exactly.
  private static let widest = 1 << 53

  /// - Parameters:
  ///   - types: the types that the parameter may have.
  ///   - mayBeOpen: whether a range has no limit at an end that is not declared.
  static func read(_ name: String, _ table: LuaTable, types: [String], mayBeOpen: Bool = false) throws(LuaHostError)
    -> ParameterDescriptor
  {
    try check(table, fields, "it")
    guard case .string(let type) = table["type"] else {
      throw wrong("'type' must be a string, one of " + types.joined(separator: ", "))
    }
    guard types.contains(type) else {
      let hint = (synonyms[type] ?? Suggestion.nearest(to: type, in: types)).map { " (did you mean '\($0)'?)" } ?? ""
      throw wrong("unknown type '\(printable(type))'\(hint); valid: " + types.joined(separator: ", "))
    }
    for (field, _) in table.fields {
      guard let owners = owners[field], !owners.contains(type) else { continue }
      throw wrong("'\(field)' belongs to \(owners.joined(separator: " and ")), not to \(type)")
    }
    let kind = try kind(type, table, mayBeOpen)
    let step = try step(table["step"], type)
    let (unit, help) = (try text(table, "unit"), try text(table, "help"))
    let (label, group) = (try text(table, "label"), try text(table, "group"))
    let isRequired = try flag(table, "required") ?? (kind == .picture)
    func parameter(default value: ParameterValue?, required: Bool) -> ParameterDescriptor {
      ParameterDescriptor(
        name, kind, default: value, required: required, unit: unit, step: step, label: label, group: group, help: help)
    }
    let bare = parameter(default: nil, required: isRequired)
    guard table["default"] != .none else { return bare }
    return parameter(default: try defaultValue(table["default"], bare), required: false)
  }

  /// Returns the default, which is checked like an argument.
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

  private static func kind(_ type: String, _ table: LuaTable, _ mayBeOpen: Bool) throws(LuaHostError) -> ParameterKind {
    switch type {
    case "bool": return .boolean
    case "int": return .integer(try wholeRange(table, mayBeOpen))
    case "float":
      let (low, high): (Double?, Double?) = mayBeOpen ? (-.infinity, .infinity) : (nil, nil)
      return .number(try range(table, low, high))
    case "enum": return .choice(try choices(table["choices"]))
    case "colour": return .colour
    case "string": return .text
    case "point": return .numbers(2...2)
    case "picture": return .picture
    default: preconditionFailure("the type '\(type)' is declared and not read")
    }
  }

  private static func choices(_ value: LuaValue) throws(LuaHostError) -> [String] {
    guard case .table(let list) = value, !list.array.isEmpty else {
      throw wrong("an enum needs 'choices', a list of strings")
    }
    var names: [String] = []
    for item in list.array {
      guard case .string(let name) = item, !name.isEmpty, !names.contains(name) else {
        throw wrong("'choices' must be a list of different strings")
      }
      names.append(name)
    }
    return names
  }

  private static func wholeRange(_ table: LuaTable, _ mayBeOpen: Bool) throws(LuaHostError) -> ClosedRange<Int> {
    let range = try range(table, -Double(widest), Double(widest))
    guard let low = Int(exactly: range.lowerBound), let high = Int(exactly: range.upperBound)
    else { throw wrong("the ends of the range must be whole numbers") }
    return
      (mayBeOpen && table["minimum"] == .none ? .min : low)...(mayBeOpen && table["maximum"] == .none ? .max : high)
  }

  /// Returns the range from `minimum` to `maximum`. `lowest` and `highest` replace ends that are not declared; with
  /// nil, that end must be declared.
  private static func range(_ table: LuaTable, _ lowest: Double?, _ highest: Double?) throws(LuaHostError)
    -> ClosedRange<Double>
  {
    func end(_ field: String, _ open: Double?) throws(LuaHostError) -> Double {
      let value = table[field]
      if value == .none, let open { return open }
      guard let number = value.double, number.isFinite else {
        throw wrong("'minimum' and 'maximum' must be numbers")
      }
      return number
    }
    let (low, high) = (try end("minimum", lowest), try end("maximum", highest))
    guard low <= high else {
      throw wrong("the range from \(ParameterValue.text(low)) to \(ParameterValue.text(high)) is empty")
    }
    return low...high
  }

  private static func step(_ value: LuaValue, _ type: String) throws(LuaHostError) -> Double? {
    guard value != .none else { return nil }
    guard let step = value.double, step.isFinite, step > 0, type == "float" || Int(exactly: step) != nil else {
      throw wrong("'step' must be a \(type == "int" ? "whole " : "")number above 0")
    }
    return step
  }

  /// Returns a field with a boolean; nil if the field is missing.
  static func flag(_ table: LuaTable, _ field: String) throws(LuaHostError) -> Bool? {
    switch table[field] {
    case .none: return nil
    case .boolean(let value): return value
    default: throw wrong("'\(field)' must be true or false")
    }
  }

  /// Returns a field with one line of text; empty if the field is missing.
  static func text(_ table: LuaTable, _ field: String) throws(LuaHostError) -> String {
    switch table[field] {
    case .none: return ""
    case .string(let text) where text.utf8.count <= 512: return printable(text)
    default: throw wrong("'\(field)' must be a string of at most 512 bytes")
    }
  }

  /// Refuses fields that are not in `known`.
  static func check(_ table: LuaTable, _ known: [String], _ what: String) throws(LuaHostError) {
    for (name, _) in table.fields where !known.contains(name) {
      let hint = Suggestion.nearest(to: name, in: known).map { " (did you mean '\($0)'?)" } ?? ""
      throw wrong("\(what) has no field '\(printable(name))'\(hint); valid: " + known.joined(separator: ", "))
    }
  }

  private static func wrong(_ message: String) -> LuaHostError { LuaHostError(message: message) }
}
