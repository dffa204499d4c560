/// Arguments for small versions of pictures.
extension Arguments {
  /// Returns the arguments that make the same result of pictures `scale` times as large: values in pixels are multiplied,
  /// and stay within their ranges.
  ///
  /// - Parameter parameters: the declarations, whose unit `"px"` tells which values are pixels.
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
    // A share of the picture's side stays a share.
    default: value
    }
  }

  /// The values, defaults included, in the order of their names: equal texts for equal arguments.
  package var allValues: String {
    values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ";")
  }
}

extension Comparable {
  fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
    min(max(self, range.lowerBound), range.upperBound)
  }
}
