/// A value of a template file as plain data: a copy of a Lua table, or of anything else with this form.
package indirect enum TemplateValue: Sendable, Hashable {
  case number(Double)
  case text(String)
  case boolean(Bool)
  case table(TemplateTable)
  /// A value that templates cannot contain, by its name in messages, such as "function".
  case other(String)

  /// The name of the value's type in messages.
  var typeName: String {
    switch self {
    case .number: "a number"
    case .text: "a text"
    case .boolean: "a boolean"
    case .table: "a table"
    case .other(let name): "a \(name)"
    }
  }
}

/// A table of a template file.
package struct TemplateTable: Sendable, Hashable {
  /// A value with its name.
  package struct Field: Sendable, Hashable {
    package let name: String
    package let value: TemplateValue

    package init(_ name: String, _ value: TemplateValue) {
      self.name = name
      self.value = value
    }
  }

  /// The values at the positions 1 to n.
  package var items: [TemplateValue]
  /// The named values, in the same order in each run.
  package var fields: [Field]

  package init(items: [TemplateValue] = [], fields: [Field] = []) {
    self.items = items
    self.fields = fields
  }

  subscript(_ name: String) -> TemplateValue? { fields.first { $0.name == name }?.value }
}
