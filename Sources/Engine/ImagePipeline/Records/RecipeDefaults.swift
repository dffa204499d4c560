import ImageCore

/// The defaults of operations and of an output's options, which recipes leave out.
package final class RecipeDefaults: Sendable {
  /// The defaults by the name of the operation or the kind of output, and by the name of the parameter.
  private let values: [String: [String: ParameterValue]]

  private init(_ values: [String: [String: ParameterValue]]) { self.values = values }

  convenience init(_ operations: [OperationDescriptor]) {
    self.init(
      Dictionary(operations.map { ($0.name, Self.defaults($0.parameters)) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Returns the same defaults, and those of a kind of output.
  func adding(_ kind: String, _ parameters: [ParameterDescriptor]) -> RecipeDefaults {
    var values = values
    values[kind] = Self.defaults(parameters)
    return RecipeDefaults(values)
  }

  private static func defaults(_ parameters: [ParameterDescriptor]) -> [String: ParameterValue] {
    Dictionary(
      parameters.compactMap { parameter in parameter.normalisedDefault.map { (parameter.name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  func has(_ subject: String) -> Bool { values[subject] != nil }

  /// Returns the default of a parameter in canonical form; nil if it has none.
  func value(of parameter: String, _ subject: String) -> ParameterValue? { values[subject]?[parameter] }

  /// Returns whether a value in canonical form is the default of a parameter.
  func has(_ value: ParameterValue, of parameter: String, _ subject: String) -> Bool {
    guard let usual = self.value(of: parameter, subject) else { return false }
    // The numbers of a list may be whole or not: `{ 1 }` and `{ 1.0 }`.
    if case .list = value { return RecipeText.text(of: value) == RecipeText.text(of: usual) }
    return value == usual
  }

  /// Returns a default as recipes write it; nil for an empty text, and for a parameter without a default.
  func text(of parameter: String, _ subject: String) -> String? {
    value(of: parameter, subject).map(RecipeText.text).flatMap { $0 == "''" ? nil : $0 }
  }
}
