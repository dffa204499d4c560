import ImageCore
import CFrei0r
import CPluginABI
import Platform

/// A parameter of a frei0r plugin: its name in scripts, and its value in a new instance.
///
/// According to the specification, a number ranges from 0 to 1, and its help explains its meaning. A default outside
/// this range extends the range.
struct Frei0rParameter {
  let name: String
  /// The five types of frei0r.h.
  enum Kind: Int32 {
    case boolean = 0
    case number = 1
    case colour = 2
    case position = 3
    case text = 4
  }
  let kind: Kind
  /// The plugin's own name for the parameter.
  private let label: String
  private let help: [UInt8]
  private let initial: WireValue

  /// The largest magnitude of a default. A default beyond it counts as 0.
  private static let limit = 1e6

  static func all(
    _ library: UnsafeMutableRawPointer, count: Int32, instance: f0r_instance_t,
    getValue: Frei0rLibrary.Functions.Access, taken: Set<String>
  ) throws(LoadFailure) -> [Frei0rParameter] {
    guard count > 0 else { return [] }
    let getInfo = try Frei0rLibrary.function(
      library, "f0r_get_param_info",
      (@convention(c) (UnsafeMutablePointer<f0r_param_info_t>, Int32) -> Void).self)
    var infos: [(name: String, kind: Kind, help: [UInt8])] = []
    for index in 0..<count {
      var info = f0r_param_info_t()
      getInfo(&info, index)
      guard let kind = Kind(rawValue: info.type) else {
        throw Frei0rLibrary.failure("parameter \(index) has the unknown type \(info.type)")
      }
      let name = String(decoding: Frei0rLibrary.line(info.name), as: UTF8.self)
      let help = Frei0rLibrary.line(info.explanation)
      infos.append((name, kind, help.isEmpty ? Array(name.utf8) : help))
    }
    let names = Frei0rName.parameters(infos.map(\.name), taken: taken)
    return infos.enumerated().map { index, info in
      Frei0rParameter(
        name: names[index], kind: info.kind, label: String(info.name.prefix(Limits.name / 4)), help: info.help,
        initial: read(info.kind, Int32(index), instance, getValue))
    }
  }

  /// Returns whether this is the value in a new instance.
  func isInitial(_ value: WireValue) -> Bool { value == initial }

  // MARK: Description

  func append(to message: inout WireWriter) {
    let numbers = initial.numbers
    let (type, range): (UInt32, ClosedRange<Double>) =
      switch kind {
      case .boolean: (IMGHOST_TYPE_BOOL, 0...1)
      case .number: (IMGHOST_TYPE_FLOAT, min(0, numbers[0])...max(1, numbers[0]))
      case .colour: (IMGHOST_TYPE_COLOUR, 0...1)
      case .position:
        (
          IMGHOST_TYPE_POINT,
          min(0, numbers[0], numbers[1])...max(1, numbers[0], numbers[1])
        )
      case .text: (IMGHOST_TYPE_STRING, 0...1)
      }
    Self.append(name, label, help, type, range, initial, to: &message)
  }

  /// Appends the parameter `time`, for plugins without a parameter of this name.
  static func appendTime(to message: inout WireWriter) {
    append(
      "time", "", Array("moment of the film that the picture is made for".utf8), IMGHOST_TYPE_FLOAT, 0...limit,
      WireValue([0]), unit: "s", to: &message)
  }

  private static func append(
    _ name: String, _ label: String, _ help: [UInt8], _ type: UInt32, _ range: ClosedRange<Double>,
    _ initial: WireValue, unit: String = "", to message: inout WireWriter
  ) {
    message.append(name)
    message.append(unit)
    message.append(text: help)
    message.append(label)
    message.append("")
    message.append(type)
    message.append(range.lowerBound)
    message.append(range.upperBound)
    message.append(0.0)
    for number in initial.numbers { message.append(number) }
    message.append(initial.text ?? "")
    message.append(UInt32(0))
  }

  // MARK: Values

  /// Reads a parameter's value from a plugin, and limits it to valid values.
  private static func read(
    _ kind: Kind, _ index: Int32, _ instance: f0r_instance_t, _ getValue: Frei0rLibrary.Functions.Access
  ) -> WireValue {
    switch kind {
    case .boolean:
      var value = 0.0
      getValue(instance, &value, index)
      return WireValue([value >= 0.5 ? 1 : 0])
    case .number:
      var value = 0.0
      getValue(instance, &value, index)
      return WireValue([fit(value)])
    case .colour:
      var value = f0r_param_color_t()
      getValue(instance, &value, index)
      return WireValue([value.r, value.g, value.b].map { min(max(fit(Double($0)), 0), 1) } + [1])
    case .position:
      var value = f0r_param_position_t()
      getValue(instance, &value, index)
      return WireValue([fit(value.x), fit(value.y)])
    case .text:
      var value: UnsafeMutablePointer<CChar>?
      getValue(instance, &value, index)
      return WireValue([], text: String(decoding: Frei0rLibrary.line(value), as: UTF8.self))
    }
  }

  private static func fit(_ value: Double) -> Double { abs(value) <= limit ? value : 0 }

  func set(
    _ value: WireValue, _ index: Int32, _ instance: f0r_instance_t, _ setValue: Frei0rLibrary.Functions.Access
  ) {
    switch kind {
    case .boolean, .number:
      var number = value.numbers[0]
      setValue(instance, &number, index)
    case .colour:
      var colour = f0r_param_color_t(r: Float(value.numbers[0]), g: Float(value.numbers[1]), b: Float(value.numbers[2]))
      setValue(instance, &colour, index)
    case .position:
      var position = f0r_param_position_t(x: value.numbers[0], y: value.numbers[1])
      setValue(instance, &position, index)
    case .text:
      // The plugin copies the text.
      var text = strdup(value.text ?? "")
      setValue(instance, &text, index)
      free(text)
    }
  }
}
