import ImageCore

extension ParameterDescriptor {
  /// The type, range, unit and default for help.
  package var facts: String {
    var facts = kind.summary
    if !unit.isEmpty { facts += ", \(unit)" }
    if isRequired { facts += "; required" }
    if let defaultValue { facts += "; default \(defaultValue.text)" }
    return facts
  }

  /// The declaration for programs, as `imghost ops --json` prints it. Open ends of a range are null.
  package var json: JSON { .object(jsonFields) }

  package var jsonFields: [(String, JSON)] {
    var fields: [(String, JSON)] = [("name", .text(name)), ("type", .text(kind.typeName))]
    switch kind {
    case .integer(let range), .booleanOrInteger(let range):
      fields += [
        ("minimum", range.lowerBound == .min ? .null : .integer(range.lowerBound)),
        ("maximum", range.upperBound == .max ? .null : .integer(range.upperBound)),
      ]
    case .number(let range):
      fields += [("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound))]
    case .choice(let names): fields.append(("choices", .array(names.map { .text($0) })))
    case .choiceOrList(let names, let name, let items):
      fields.append(("choices", .array(names.map { .text($0) })))
      fields.append(("lists", .object([(name, .array(items.map { .text($0) }))])))
    default: break
    }
    if let defaultValue { fields.append(("default", JSON(defaultValue))) }
    if let step { fields.append(("step", .number(step))) }
    return fields + [("required", .boolean(isRequired)), ("unit", .text(unit)), ("help", .text(help))]
  }
}

extension ParameterKind {
  fileprivate var typeName: String {
    switch self {
    case .boolean: "boolean"
    case .booleanOrInteger: "boolean_or_integer"
    case .integer: "integer"
    case .number: "number"
    case .numberOrShare: "number_or_share"
    case .choice: "choice"
    case .choiceOrList: "choice_or_list"
    case .text: "text"
    case .colour: "colour"
    case .numbers: "numbers"
    case .lengths: "lengths"
    case .byteCount: "bytes"
    case .fields: "fields"
    case .texts: "texts"
    case .textList: "text_list"
    case .picture: "picture"
    case .jobs: "jobs"
    }
  }
}
