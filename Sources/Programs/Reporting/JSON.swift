import ImageCore
import RunTrace

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
    case .colour(let colour): self = .text(colour.hexadecimal)
    case .fields(let fields):
      self = .object(fields.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) })
    case .picture, .jobs, .other: self = .text(value.text)
    }
  }
}
