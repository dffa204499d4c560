import ImageCore
import RunTrace

/// A JSON value to be printed (RFC 8259). Fields keep their order.
package indirect enum JSON {
  case null
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case array([JSON])
  case object([(String, JSON)])

  /// The value on one line.
  package var line: String {
    switch self {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): value.isFinite ? ParameterValue.text(value) : "null"
    case .text(let text): JSONText.quoted(text)
    case .array(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
    case .object(let fields):
      "{" + fields.map { JSONText.quoted($0.0) + ":" + $0.1.line }.joined(separator: ",") + "}"
    }
  }

  package static func optional(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }
  package static func optional(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
}

extension JSON {
  package init(_ value: MetadataValue) {
    switch value {
    case .text(let text): self = .text(text)
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .numbers(let values): self = .array(values.map { .number($0) })
    case .texts(let texts): self = .array(texts.map { .text($0) })
    }
  }

  package init(_ value: ParameterValue) {
    switch value {
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .text(let text): self = .text(text)
    case .list(let items): self = .array(items.map { JSON($0) })
    case .colour:
      // The text has quotes, as in a script.
      self = .text(String(value.text.dropFirst().dropLast()))
    case .fields(let fields):
      self = .object(fields.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) })
    case .picture, .jobs, .other: self = .text(value.text)
    }
  }
}
