/// A value as a script or a command line gives it.
public indirect enum ParameterValue: Sendable, Hashable {
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case text(String)
  case list([ParameterValue])
  /// Another picture: its index among the operation's inputs, 1 or more (0 is the picture itself).
  case picture(Int)
  /// Jobs that the script has asked for, by their numbers.
  case jobs([Int])
  /// A table of names and plain values.
  case fields([String: ParameterValue])
  /// A colour; only as a default, scripts give text or a list.
  case colour(Colour)
  /// Anything a parameter can never be (a function, a table with keys); carries the name of its type.
  case other(String)
}

extension ParameterValue {
  /// Whether it means the same in every run: it is no picture, and no job.
  package var isPlain: Bool {
    switch self {
    case .boolean, .integer, .text: true
    case .number(let value): value.isFinite
    case .list(let items): items.allSatisfy(\.isPlain)
    case .fields(let fields): fields.values.allSatisfy(\.isPlain)
    case .picture, .jobs, .colour, .other: false
    }
  }

  /// The value's type as a message names it.
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

  /// The value as it would stand in a script.
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

  /// The value as JSON; null for what JSON does not have.
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

  /// A number without a needless fraction: `2`, `0.5`.
  public static func text(_ value: Double) -> String {
    value.rounded() == value && value.magnitude < 1e15 ? String(Int(value)) : String(value)
  }
}
