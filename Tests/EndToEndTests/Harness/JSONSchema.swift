import Foundation
import ImageCore

/// The part of JSON Schema (draft 2020-12) that the project's schemas use. Any other keyword is reported as a problem.
struct JSONSchema {
  private let root: JSON

  /// Reads a schema of the reference.
  init(_ name: String) {
    let bytes = FileManager.default.contents(atPath: Built.root + "/Docs/Reference/" + name) ?? Data()
    root = JSONReader.value(of: String(decoding: bytes, as: UTF8.self)) ?? .null
  }

  /// The titles of the kinds that the schema allows.
  var kinds: [String] { root["oneOf"]?.items.compactMap { $0["title"]?.textValue } ?? [] }

  /// Returns the problems of a text; empty if it matches the schema.
  func problems(with text: String) -> [String] {
    guard let value = JSONReader.value(of: text) else { return ["no JSON: \(text)"] }
    return problems(value, root, "$")
  }

  private func problems(_ value: JSON, _ schema: JSON, _ place: String) -> [String] {
    schema.fields.flatMap { keyword, rule -> [String] in
      switch keyword {
      case "$schema", "title", "description", "additionalProperties": return []
      case "const": return value.line == rule.line ? [] : ["\(place) is \(value.line), not \(rule.line)"]
      case "enum":
        return rule.items.contains { $0.line == value.line } ? [] : ["\(place) cannot be \(value.line)"]
      case "type":
        let types = rule.textValue.map { [$0] } ?? rule.items.compactMap(\.textValue)
        return types.contains { value.isOf($0) } ? [] : ["\(place) is \(value.line), no \(types)"]
      case "minimum": return number(value, place) { $0 >= rule.numberValue ?? .nan }
      case "maximum": return number(value, place) { $0 <= rule.numberValue ?? .nan }
      case "pattern":
        let isMatch = value.textValue?.range(of: rule.textValue ?? "", options: .regularExpression) != nil
        return isMatch ? [] : ["\(place) is \(value.line)"]
      case "required":
        return rule.items.compactMap(\.textValue).filter { value[$0] == nil }.map { "\(place) lacks \($0)" }
      case "properties": return properties(value, schema, place)
      case "items":
        return value.items.enumerated().flatMap { problems($0.element, rule, "\(place)[\($0.offset)]") }
      case "oneOf":
        let found = rule.items.map { problems(value, $0, place) }
        if found.count(where: \.isEmpty) == 1 { return [] }
        let kind = zip(rule.items, found).first { $0.0["properties"]?["event"]?["const"]?.line == value["event"]?.line }
        return kind?.1 ?? ["\(place) is none of the kinds: \(value.line)"]
      default: return ["the schema has the keyword \(keyword)"]
      }
    }
  }

  private func number(_ value: JSON, _ place: String, _ isRight: (Double) -> Bool) -> [String] {
    guard let number = value.numberValue, !isRight(number) else { return [] }
    return ["\(place) is \(number)"]
  }

  private func properties(_ value: JSON, _ schema: JSON, _ place: String) -> [String] {
    let known = schema["properties"]?.fields ?? []
    let isOpen = schema["additionalProperties"].map { $0.line != "false" } ?? true
    return value.fields.flatMap { name, field -> [String] in
      if let rule = known.first(where: { $0.0 == name }) { return problems(field, rule.1, "\(place).\(name)") }
      return isOpen ? [] : ["\(place) has the unknown field \(name)"]
    }
  }
}

extension JSON {
  fileprivate func isOf(_ type: String) -> Bool {
    switch (self, type) {
    case (.null, "null"), (.boolean, "boolean"), (.integer, "integer"), (.integer, "number"), (.number, "number"),
      (.text, "string"), (.array, "array"), (.object, "object"):
      true
    default: false
    }
  }
}
