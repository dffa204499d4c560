import CPluginABI
import ImageCore

/// The fields of one parameter that follow its name and descriptive texts in a message. Reading them checks the lengths
/// of texts.
private struct DeclaredParameter {
  var type: UInt32
  var minimum: Double
  var maximum: Double
  var step: Double
  var numbers: [Double]
  var text: String
  var choices: [String]

  init(from reader: inout WireReader) throws {
    type = try reader.integer(UInt32.self)
    minimum = try reader.number()
    maximum = try reader.number()
    step = try reader.number()
    numbers = []
    for _ in 0..<4 { numbers.append(try reader.number()) }
    text = try PluginDescription.line(&reader, "a default text", byteLimit: Limits.text)
    choices = []
    let count = try reader.integer(UInt32.self)
    for _ in 0..<count { choices.append(try PluginDescription.line(&reader, "a choice", byteLimit: Limits.name)) }
  }
}

extension PluginParameter {
  init(from reader: inout WireReader) throws {
    let name = try PluginDescription.name(&reader, allowed: PluginDescription.isIdentifier)
    self.name = name
    unit = try PluginDescription.line(&reader, "the unit of '\(name)'", byteLimit: Limits.unit)
    help = try PluginDescription.line(&reader, "the help of '\(name)'", byteLimit: Limits.text)
    label = try PluginDescription.line(&reader, "the label of '\(name)'", byteLimit: Limits.name)
    group = try PluginDescription.line(&reader, "the group of '\(name)'", byteLimit: Limits.name)
    let declared = try DeclaredParameter(from: &reader)
    func wrong(_ mistake: ParameterMistake) -> DescriptionError { .parameter(name, mistake) }
    type = try declared.kind(wrong)
    step = try declared.step(wrong)
  }
}

extension DeclaredParameter {
  func kind(_ wrong: (ParameterMistake) -> DescriptionError) throws(DescriptionError) -> PluginParameter.Kind {
    switch type {
    case IMGHOST_TYPE_BOOL: return .boolean(numbers[0] != 0)
    case IMGHOST_TYPE_INT:
      let range = try range(wrong, of: 1)
      guard let low = Int(exactly: range.lowerBound), let high = Int(exactly: range.upperBound),
        let value = Int(exactly: numbers[0]), range.upperBound.magnitude <= 0x1p53, range.lowerBound.magnitude <= 0x1p53
      else { throw wrong(.notWhole) }
      return .integer(low...high, value)
    case IMGHOST_TYPE_FLOAT: return .number(try range(wrong, of: 1), numbers[0])
    case IMGHOST_TYPE_POINT:
      return .point(try range(wrong, of: 2), x: numbers[0], y: numbers[1])
    case IMGHOST_TYPE_ENUM: return try choice(wrong)
    case IMGHOST_TYPE_COLOUR:
      guard numbers.allSatisfy({ (0...1).contains($0) }) else { throw wrong(.defaultOutside) }
      return .colour(Colour(red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers[3]))
    case IMGHOST_TYPE_STRING: return .text(text)
    default: throw wrong(.type(type))
    }
  }

  /// Returns the step of a number; nil if the step is 0, and for parameters of other types.
  func step(_ wrong: (ParameterMistake) -> DescriptionError) throws(DescriptionError) -> Double? {
    guard type == IMGHOST_TYPE_INT || type == IMGHOST_TYPE_FLOAT else { return nil }
    guard step.isFinite, step >= 0, type == IMGHOST_TYPE_FLOAT || step.rounded() == step else { throw wrong(.step) }
    return step == 0 ? nil : step
  }

  /// Returns the range, which must contain the first `count` numbers of the default.
  private func range(_ wrong: (ParameterMistake) -> DescriptionError, of count: Int)
    throws(DescriptionError) -> ClosedRange<Double>
  {
    let values = numbers.prefix(count)
    guard minimum.isFinite, maximum.isFinite, values.allSatisfy(\.isFinite) else { throw wrong(.notFinite) }
    guard minimum <= maximum else { throw wrong(.emptyRange(minimum, maximum)) }
    guard values.allSatisfy({ minimum <= $0 && $0 <= maximum }) else { throw wrong(.defaultOutside) }
    return minimum...maximum
  }

  private func choice(_ wrong: (ParameterMistake) -> DescriptionError) throws(DescriptionError)
    -> PluginParameter.Kind
  {
    guard (1...Limits.choices).contains(choices.count), choices.allSatisfy({ !$0.isEmpty }) else {
      throw wrong(.choices)
    }
    for (index, name) in choices.enumerated() where choices[..<index].contains(name) {
      throw wrong(.duplicateChoice(name))
    }
    guard let index = Int(exactly: numbers[0]), choices.indices.contains(index) else {
      throw wrong(.defaultOutside)
    }
    return .choice(choices, index)
  }
}

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
