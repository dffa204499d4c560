import ImageCodecs
import ImageCore
import ImageOperations
import ImagePipeline

/// `imghost ops`.
enum OpsCommand: Command {
  static let name = "ops"
  static let summary = "list the operations, or tell all about one"
  static let operands = "[NAME]"
  static let options = [
    CommandOption.json,
    CommandOption(
      name: "--stubs", value: nil,
      help: "print type annotations for lua-language-server: imghost.d.lua"),
  ]

  static func run(_ line: ParsedLine) -> ExitStatus {
    let all = ScriptReference.operations
    if line.has("--stubs") {
      Terminal.output(EditorStubs.text)
      return .success
    }
    guard let name = line.operands.first else {
      if line.has("--json") {
        Terminal.output(JSON.array(all.map(\.json)).line)
      } else {
        Terminal.output(list(all))
      }
      return .success
    }
    guard let operation = all.first(where: { $0.name == name }) else {
      let hint = Suggestion.nearest(to: name, in: all.map(\.name))
      Terminal.error(
        "imghost ops: there is no operation '\(printable(name))'"
          + (hint.map { " (did you mean '\($0)'?)" } ?? "; see 'imghost ops'"))
      return .wrongUsage
    }
    Terminal.output(line.has("--json") ? operation.json.line : page(operation))
    return .success
  }

  private static func list(_ all: [OperationDescriptor]) -> String {
    var families: [String] = []
    for operation in all where !families.contains(operation.family) {
      families.append(operation.family)
    }
    return families.map { family in
      let rows = all.filter { $0.family == family }.map { ("  \($0.name)", $0.summary) }
      return family + "\n" + HelpText.table(rows)
    }.joined(separator: "\n\n") + "\n\n'imghost ops NAME' tells about one of them."
  }

  private static func page(_ operation: OperationDescriptor) -> String {
    let positional = operation.parameters.prefix(operation.positionalCount).map(\.name)
    let subject = operation.family == ScriptReference.sinkFamily ? "pictures" : "picture"
    let call =
      positional.isEmpty
      ? "\(subject):\(operation.name){ … }"
      : "\(subject):\(operation.name)(\(positional.joined(separator: ", ")), { … })"
    let rows = operation.parameters.map { parameter in
      ("  \(parameter.name)", "\(parameter.help) (\(parameter.facts))")
    }
    return "\(operation.name): \(operation.summary)\n\n  \(call)"
      + (rows.isEmpty ? "" : "\n\n" + HelpText.table(rows))
  }
}

extension ParameterDescriptor {
  /// Type, range, unit and default, as help shows them.
  var facts: String {
    var facts = kind.summary
    if !unit.isEmpty { facts += " in \(unit)" }
    if isRequired { facts += "; required" }
    if let defaultValue { facts += "; default \(defaultValue.text)" }
    return facts
  }

  fileprivate var json: JSON {
    var fields: [(String, JSON)] = [("name", .text(name)), ("type", .text(kind.typeName))]
    switch kind {
    case .integer(let range):
      fields += [("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))]
    case .number(let range):
      fields += [("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound))]
    case .choice(let names): fields.append(("choices", .array(names.map { .text($0) })))
    default: break
    }
    if let defaultValue { fields.append(("default", JSON(defaultValue))) }
    return .object(
      fields + [
        ("required", .boolean(isRequired)), ("unit", .text(unit)), ("help", .text(help)),
      ])
  }
}

extension ParameterKind {
  fileprivate var typeName: String {
    switch self {
    case .boolean: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .choice: "choice"
    case .text: "text"
    case .colour: "colour"
    case .numbers: "numbers"
    case .picture: "picture"
    }
  }
}

extension OperationDescriptor {
  fileprivate var json: JSON {
    .object([
      ("name", .text(name)), ("family", .text(family)), ("summary", .text(summary)),
      ("positional", .integer(positionalCount)), ("parameters", .array(parameters.map(\.json))),
    ])
  }
}
