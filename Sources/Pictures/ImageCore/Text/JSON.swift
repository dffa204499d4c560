/// A JSON value (RFC 8259). Fields keep their order.
package enum JSON: Sendable {
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

  // MARK: - Reading

  /// A field of an object; nil if it has none of that name.
  package subscript(_ name: String) -> JSON? {
    if case .object(let fields) = self { fields.first { $0.0 == name }?.1 } else { nil }
  }

  package var items: [JSON] { if case .array(let items) = self { items } else { [] } }
  package var fields: [(String, JSON)] { if case .object(let fields) = self { fields } else { [] } }
  package var textValue: String? { if case .text(let text) = self { text } else { nil } }
  package var integerValue: Int? { if case .integer(let value) = self { value } else { nil } }
  package var isTrue: Bool { if case .boolean(true) = self { true } else { false } }

  package var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}

// MARK: - Numbers

/// Numbers from a file or another program: they may have any value, and none may end the process.
extension JSON {
  /// The value as a size or a number of things; nil if it is negative or impossibly large.
  package var countValue: Int? { integerValue.flatMap { (0...Self.mostCount).contains($0) ? $0 : nil } }

  /// The largest count, a petabyte in bytes.
  private static let mostCount = 1 << 50
}

extension Int {
  /// Adds a number; a sum beyond the limits of the type becomes the limit.
  package mutating func addClamping(_ other: Int) { self = adding(clamping: other) }

  /// Returns the sum, or the limit of the type if the sum exceeds it.
  package func adding(clamping other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other > 0 ? .max : .min) : sum
  }
}

extension Sequence<Int> {
  /// The sum of the numbers, clamped.
  package var clampedSum: Int { reduce(0) { $0.adding(clamping: $1) } }
}
