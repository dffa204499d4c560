import ImageCore

extension ParameterDescriptor {
  /// The type, range, unit and default for help.
  package var facts: String {
    var facts = kind.summary
    if !unit.isEmpty { facts += ", \(unit)" }
    if let step { facts += ", in steps of \(ParameterValue.text(step))" }
    if isRequired { facts += "; required" }
    if let defaultValue { facts += "; default \(defaultValue.text)" }
    return facts
  }

  /// Returns the rows for parameters, grouped under headings; parameters without a group come first.
  ///
  /// - Parameter indent: the number of spaces before names.
  package static func rows(_ parameters: [ParameterDescriptor], indent: Int) -> [(String, String)] {
    let space = String(repeating: " ", count: indent)
    var groups: [String] = [""]
    for parameter in parameters where !groups.contains(parameter.group) { groups.append(parameter.group) }
    var rows: [(String, String)] = []
    for group in groups {
      if !group.isEmpty { rows.append((space + group + ":", "")) }
      for parameter in parameters where parameter.group == group {
        // Leaves out labels that repeat the help, as in many frei0r plugins, or the end of the name, as in
        // `vignette.strength`.
        let says = parameter.label != parameter.help && !parameter.name.hasSuffix("." + parameter.label)
        let label = says ? parameter.label : ""
        let words = [label, parameter.help].filter { !$0.isEmpty }.joined(separator: ": ")
        let text = words.isEmpty ? parameter.facts : "\(words) (\(parameter.facts))"
        rows.append((space + (group.isEmpty ? "" : "  ") + parameter.name, text))
      }
    }
    return rows
  }

  /// The declaration for programs, as `imghost ops --json` prints it. An open end of a range is null.
  package var json: JSON { .object(jsonFields) }

  package var jsonFields: [(String, JSON)] {
    var fields: [(String, JSON)] = [("name", .text(name)), ("type", .text(kind.typeName))]
    switch kind {
    case .integer(let range), .side(let range), .booleanOrInteger(let range):
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
    if !label.isEmpty { fields.append(("label", .text(label))) }
    if !group.isEmpty { fields.append(("group", .text(group))) }
    return fields + [("required", .boolean(isRequired)), ("unit", .text(unit)), ("help", .text(help))]
  }
}

extension ParameterKind {
  fileprivate var typeName: String {
    switch self {
    case .boolean: "boolean"
    case .booleanOrInteger: "boolean_or_integer"
    case .integer: "integer"
    case .side: "side"
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
    case .data: "data"
    case .texts: "texts"
    case .textList: "text_list"
    case .picture: "picture"
    case .jobs: "jobs"
    }
  }
}
