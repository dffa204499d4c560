/// The arguments of one call, checked against their declarations, including defaults.
///
/// The program stops if a parameter is read as another type, or through a function with a non-optional result although
/// it has no value.
public struct Arguments: Sendable, Hashable {
  let values: [String: ParameterValue]
  /// The given values without defaults, positional ones first, for plans and cache keys.
  public let given: [(name: String, value: ParameterValue)]

  init(values: [String: ParameterValue], given: [(name: String, value: ParameterValue)]) {
    self.values = values
    self.given = given
  }

  public static func == (left: Arguments, right: Arguments) -> Bool { left.values == right.values }
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }

  /// Returns the same arguments with another whole number for a parameter.
  package func with(_ name: String, _ value: Int) -> Arguments { with(name, .integer(value)) }

  /// Returns the same arguments with another value for a parameter. The value is not checked.
  package func with(_ name: String, _ value: ParameterValue) -> Arguments {
    var values = values
    values[name] = value
    return Arguments(values: values, given: given.filter { $0.name != name } + [(name, value)])
  }

  /// Returns the same arguments with other defaults for parameters that were not given. The defaults are not checked.
  package func withDefaults(_ defaults: [(name: String, value: ParameterValue)]) -> Arguments {
    let names = Set(given.map(\.name))
    var values = values
    for (name, value) in defaults where !names.contains(name) { values[name] = value }
    return Arguments(values: values, given: given)
  }

  /// Returns whether a parameter has a value, given or default.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// Returns whether the caller has given a parameter, even with its default as the value.
  package func isGiven(_ name: String) -> Bool { given.contains { $0.name == name } }

  /// The checked value of a parameter; nil if it was not given and has no default.
  public subscript(name: String) -> ParameterValue? { values[name] }

  public func boolean(_ name: String) -> Bool {
    guard case .boolean(let value) = values[name] else { return wrong(name) }
    return value
  }

  public func integer(_ name: String) -> Int { optionalInteger(name) ?? wrong(name) }

  public func optionalInteger(_ name: String) -> Int? {
    switch values[name] {
    case nil: nil
    case .integer(let value): value
    default: wrong(name)
    }
  }

  public func number(_ name: String) -> Double { optionalNumber(name) ?? wrong(name) }

  public func optionalNumber(_ name: String) -> Double? {
    switch values[name] {
    case nil: nil
    case .integer(let value): Double(value)
    case .number(let value): value
    default: wrong(name)
    }
  }

  /// Returns the width or height given by an argument, in pixels or as a percentage; nil if it was not given.
  public func side(_ name: String) -> PictureSide? {
    switch values[name] {
    case nil: nil
    case .integer(let value): .pixels(value)
    case .text(let text): PictureSide(text) ?? wrong(name)
    default: wrong(name)
    }
  }

  /// Returns a number of pixels, or a share of a picture's shorter side; nil if it was not given.
  public func share(_ name: String) -> PictureShare? {
    switch values[name] {
    case nil: nil
    case .integer(let value): .pixels(Double(value))
    case .number(let value): .pixels(value)
    case .text(let text): PictureShare(text) ?? wrong(name)
    default: wrong(name)
    }
  }

  public func text(_ name: String) -> String { optionalText(name) ?? wrong(name) }

  public func optionalText(_ name: String) -> String? {
    switch values[name] {
    case nil: nil
    case .text(let value): value
    default: wrong(name)
    }
  }

  public func colour(_ name: String) -> Colour { optionalColour(name) ?? wrong(name) }

  /// Returns the colour; nil if it was not given, or a word was given instead.
  public func optionalColour(_ name: String) -> Colour? {
    switch values[name] {
    case nil, .text: nil
    case .colour(let value): value
    default: wrong(name)
    }
  }

  /// Returns a table's entries, with numbers and booleans as text; empty if it was not given.
  public func fields(_ name: String) -> [String: String] {
    switch values[name] {
    case nil: [:]
    case .fields(let fields):
      fields.mapValues { value in if case .text(let text) = value { text } else { value.text } }
    default: wrong(name)
    }
  }

  /// Returns the texts of a table by name, or those of a list in order. Both are empty if the argument was not given.
  public func texts(_ name: String) -> (named: [String: String], inOrder: [String]) {
    guard case .list(let items)? = values[name] else { return (fields(name), []) }
    return (
      [:], items.map { item in if case .text(let text) = item { text } else { wrong(name) } }
    )
  }

  /// Returns the numbers of a list, with rows joined.
  public func numbers(_ name: String) -> [Double] {
    guard case .list(let items) = values[name] else { return wrong(name) }
    return items.map { item in
      switch item {
      case .integer(let value): Double(value)
      case .number(let value): value
      default: wrong(name)
      }
    }
  }

  /// Returns the numbers of a list; nil if it was not given.
  public func optionalNumbers(_ name: String) -> [Double]? { values[name] == nil ? nil : numbers(name) }

  /// Returns the index of a picture among the operation's inputs.
  public func picture(_ name: String) -> Int {
    guard case .picture(let index) = values[name] else { return wrong(name) }
    return index
  }

  private func wrong<Value>(_ name: String) -> Value {
    preconditionFailure("parameter '\(name)' is not declared, or has another type, or has no value")
  }
}

// MARK: - Scaling

/// Arguments for reduced versions of pictures.
extension Arguments {
  /// Returns the arguments with the same visible effect on pictures that are `scale` times as large: values in pixels
  /// are multiplied, within their ranges.
  ///
  /// - Parameter parameters: the declarations; the unit `"px"` marks values in pixels.
  public func scaled(by scale: Double, _ parameters: [ParameterDescriptor]) -> Arguments {
    var result = self
    for parameter in parameters where parameter.unit == "px" {
      guard let value = self[parameter.name] else { continue }
      result = result.with(parameter.name, Self.scaled(value, by: scale, parameter.kind))
    }
    return result
  }

  private static func scaled(_ value: ParameterValue, by scale: Double, _ kind: ParameterKind) -> ParameterValue {
    switch (value, kind) {
    case (.integer(let count), .integer(let range)), (.integer(let count), .side(let range)):
      .integer(Int((Double(count) * scale).rounded()).clamped(to: range))
    case (.integer(let count), _): scaled(.number(Double(count)), by: scale, kind)
    case (.number(let number), .number(let range)), (.number(let number), .numberOrShare(let range)):
      .number((number * scale).clamped(to: range))
    case (.number(let number), _): .number(number * scale)
    case (.list(let values), _): .list(values.map { scaled($0, by: scale, kind) })
    // A share of the picture's side does not change.
    default: value
    }
  }

  /// Returns the values, including defaults, sorted by name, so that equal arguments have equal texts.
  ///
  /// - Parameter names: the parameters; nil for all.
  package func allValues(of names: Set<String>? = nil) -> String {
    values.filter { names?.contains($0.key) ?? true }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
      .joined(separator: ";")
  }
}

extension Comparable {
  fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
