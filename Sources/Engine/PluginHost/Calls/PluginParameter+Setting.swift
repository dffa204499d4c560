import ImageCore

extension PluginParameter {
  /// Returns a value in the syntax of `imghost plugin run --set`, such as `strength=0.3`; nil for the default.
  func setting(of value: WireValue) -> String? {
    func text(_ numbers: [Double]) -> String { numbers.map { ParameterValue.text($0) }.joined(separator: ",") }
    let numbers = value.numbers
    let (words, isDefault): (String, Bool) =
      switch type {
      case .boolean(let usual): (numbers[0] != 0 ? "true" : "false", (numbers[0] != 0) == usual)
      case .integer(_, let usual): (text([numbers[0]]), numbers[0] == Double(usual))
      case .number(_, let usual): (text([numbers[0]]), numbers[0] == usual)
      case .choice(let names, let usual):
        (names.indices.contains(Int(numbers[0])) ? names[Int(numbers[0])] : "", Int(numbers[0]) == usual)
      case .colour(let usual):
        (
          "#" + numbers.map { Self.hexadecimal($0) }.joined(),
          numbers == [usual.red, usual.green, usual.blue, usual.alpha]
        )
      case .text(let usual): ("\"\(value.text ?? "")\"", value.text == usual)
      case .point(_, let x, let y):
        (text([numbers[0], numbers[1]]), numbers[0] == x && numbers[1] == y)
      }
    return isDefault ? nil : "\(name)=\(words)"
  }

  private static func hexadecimal(_ value: Double) -> String {
    let digits = String(Int((min(max(value, 0), 1) * 255).rounded()), radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
