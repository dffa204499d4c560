/// A value from a script or a command line.
public indirect enum ParameterValue: Sendable, Hashable {
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case list([ParameterValue])
  /// Another picture: its index among the operation's inputs, 1 or more (0 is the picture itself).
  case picture(Int)
  /// Jobs that the script has created, by their numbers.
  case jobs([Int])
  /// A table from names to plain values.
  case fields([String: ParameterValue])
  /// A colour. It occurs only as a default and in checked arguments, because scripts give a text or a list.
  case colour(Colour)
  /// A value that no parameter accepts, such as a function, with the name of its type.
  case other(String)
}

extension ParameterValue {
  /// Whether the value consists only of booleans, texts and finite numbers, which have the same meaning in every run.
  package var isPlain: Bool {
    switch self {
    case .boolean, .integer, .text: true
    case .number(let value): value.isFinite
    case .list(let items): items.allSatisfy(\.isPlain)
    case .fields(let fields): fields.values.allSatisfy(\.isPlain)
    case .picture, .jobs, .colour, .other: false
    }
  }

  /// The name of the value's type in messages.
  public var typeName: String {
    switch self {
    case .boolean: "a boolean"
    case .integer, .number: "a number"
    case .text: "a string"
    case .list: "a list"
    case .picture: "a picture"
    case .jobs: "a job"
    case .fields: "a table with names"
    case .colour: "a colour"
    case .other(let name): name
    }
  }

  /// The value as it would be written in a script; the name of its type if it cannot be written.
  public var text: String {
    switch self {
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value): Self.text(value)
    case .text(let value): "'\(value)'"
    case .list(let values): "{ " + values.map(\.text).joined(separator: ", ") + " }"
    case .picture: "a picture"
    case .jobs: "a job"
    case .fields(let fields):
      "{ " + fields.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.text)" }.joined(separator: ", ") + " }"
    case .colour(let colour): "'\(colour.hexadecimal)'"
    case .other(let name): name
    }
  }

  /// The value as JSON; null if JSON cannot represent it.
  package var json: JSON {
    switch self {
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    case .text(let text): .text(text)
    case .list(let items): .array(items.map(\.json))
    case .fields(let fields): .object(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
    case .picture, .jobs, .colour, .other: .null
    }
  }

  /// Returns a number as text, without a fraction if it is whole: `2`, `0.5`.
  public static func text(_ value: Double) -> String {
    value.rounded() == value && value.magnitude < 1e15 ? String(Int(value)) : String(value)
  }
}
