import ImageCore

/// The parameters of operations and outputs. Recipes need them to leave out defaults and to find arguments that name
/// files.
package final class RecipeDefaults: Sendable {
  /// The parameters by name, for each operation and each kind of output by its name.
  private let parameters: [String: [String: Parameter]]

  private struct Parameter: Sendable {
    let descriptor: ParameterDescriptor
    /// The default in canonical form; nil if there is none.
    let usual: ParameterValue?
  }

  private init(_ parameters: [String: [String: Parameter]]) { self.parameters = parameters }

  convenience init(_ operations: [OperationDescriptor]) {
    self.init(
      Dictionary(operations.map { ($0.name, Self.named($0.parameters)) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Returns the same parameters, and those of `subject`: a kind of output, a plugin, or `open`.
  func adding(_ subject: String, _ parameters: [ParameterDescriptor]) -> RecipeDefaults {
    var all = self.parameters
    all[subject] = Self.named(parameters)
    return RecipeDefaults(all)
  }

  private static func named(_ parameters: [ParameterDescriptor]) -> [String: Parameter] {
    Dictionary(
      parameters.map { ($0.name, Parameter(descriptor: $0, usual: $0.normalisedDefault)) },
      uniquingKeysWith: { first, _ in first })
  }

  func has(_ subject: String) -> Bool { parameters[subject] != nil }

  /// Returns the canonical form of a value that has been checked.
  func canonical(_ value: ParameterValue, of parameter: String, _ subject: String) -> ParameterValue {
    guard let known = parameters[subject]?[parameter]?.descriptor, known.hasForms else { return value }
    return known.normalised(value)
  }

  /// Returns whether a value in canonical form is the default of a parameter.
  func has(_ value: ParameterValue, of parameter: String, _ subject: String) -> Bool {
    guard let usual = parameters[subject]?[parameter]?.usual else { return false }
    // The numbers of a list may be whole or not: `{ 1 }` and `{ 1.0 }`.
    if case .list = value { return RecipeText.text(of: value) == RecipeText.text(of: usual) }
    return value == usual
  }

  /// Returns a default as recipes write it; nil for an empty text, and for a parameter without a default.
  func text(of parameter: String, _ subject: String) -> String? {
    (parameters[subject]?[parameter]?.usual).map(RecipeText.text).flatMap { $0 == "''" ? nil : $0 }
  }

  /// Returns whether the value of a parameter names a file.
  func isFile(_ value: String, of parameter: String, _ subject: String) -> Bool {
    parameters[subject]?[parameter]?.descriptor.isFile(value) ?? false
  }
}
