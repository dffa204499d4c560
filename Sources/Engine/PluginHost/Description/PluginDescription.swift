import CPluginABI
import ImageCore

/// The description that a plugin gives of itself, read in a worker and checked by the host.
package struct PluginDescription: Sendable, Hashable {
  /// Its name in scripts.
  package let name: String
  package let version: String
  /// One sentence, no full stop.
  package let summary: String
  package let kind: Kind
  package let origin: Origin
  /// Flags of `imghost_plugin.h`: deterministic, in place, any RGB.
  package let flags: UInt32
  /// The part of the input that it needs at once.
  package let extent: Extent
  package let threads: Threads
  package let parameters: [PluginParameter]
  /// The format that a codec reads or writes; nil for the other kinds.
  package let codec: CodecDescription?
  /// The folders and files that it reads, beside its own folder.
  let dataPaths: [String]

  /// Sets of bits: `1 << IMGHOST_SAMPLE_…`, `1 << bands`.
  let samples: UInt32
  let bands: UInt32
  let wantsPremultipliedAlpha: Bool
  /// The number that the sides of its pictures must be multiples of.
  var sideMultiple = 1

  /// The kind of a plugin.
  package enum Kind: Sendable, Hashable {
    case filter
    /// Makes pictures from parameters.
    case source
    /// Makes one picture from several of one size.
    case mixer(inputCount: Int)
    /// Reads or writes a file format.
    case codec

    /// The number of input pictures.
    package var inputCount: Int {
      switch self {
      case .filter: 1
      case .source, .codec: 0
      case .mixer(let count): count
      }
    }
  }

  /// The interface that it implements; the raw values are those of the worker's protocol.
  package enum Origin: UInt32, Sendable, Hashable {
    case native
    /// Red first, or in any order as long as it is the same in and out.
    case frei0r
    /// Blue first.
    case frei0rBlueFirst
  }

  /// The part of the input that is needed at once.
  package enum Extent: Sendable, Hashable {
    case frame
    case rows(padding: Int)
  }

  /// The threads that may call it; the raw values are those of `imghost_plugin.h`.
  package enum Threads: UInt32, Sendable, Hashable {
    case one, instances, regions
  }

  /// Whether it declares that the same input and values give the same bytes.
  package var isDeterministic: Bool { flags & IMGHOST_FLAG_DETERMINISTIC != 0 }

  /// Whether it takes RGB of any profile; else it gets sRGB.
  package var takesAnyRGB: Bool { flags & IMGHOST_FLAG_ANY_RGB != 0 }
  /// Whether it may work on small pictures to show what it does to large ones.
  package var scales: Bool { flags & IMGHOST_FLAG_SCALES != 0 }

  /// The formats it takes without conversion: `gray, rgb, rgb+alpha; u8, u16`.
  package var formats: String {
    let bands = [(1, "gray"), (2, "gray+alpha"), (3, "rgb"), (4, "rgb+alpha")]
    let samples = [(IMGHOST_SAMPLE_U8, "u8"), (IMGHOST_SAMPLE_U16, "u16"), (IMGHOST_SAMPLE_F32, "f32")]
    return bands.filter { takes(bands: $0.0) }.map(\.1).joined(separator: ", ") + "; "
      + samples.filter { takes(sample: $0.0) }.map(\.1).joined(separator: ", ")
  }

  /// The plugin as an operation for scripts.
  package var operation: OperationDescriptor {
    OperationDescriptor(
      name: name, family: "plugin", summary: summary,
      parameters: sizeParameters + inputParameters + depthParameters
        + parameters.map(\.descriptor),
      positional: sizeParameters.count + inputParameters.count, isSource: kind == .source)
  }

  /// The names that scripts use for the pictures after the first.
  static let inputNames = [
    "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
  ]

  /// Names among the options that are the host's own.
  var reservedNames: [String] {
    switch kind {
    case .filter: []
    case .codec: ["metadata", "format", "qos"]
    case .source: ["width", "height"]
    case .mixer(let count): Array(Self.inputNames.prefix(count - 1))
    }
  }

  private var sizeParameters: [ParameterDescriptor] {
    guard kind == .source else { return [] }
    return [("width", "pixels across"), ("height", "pixels down")].map { name, help in
      ParameterDescriptor(name, .integer(1...PictureLayout.maximumSide), required: true, unit: "px", help: help)
    }
  }

  /// The name of the option with which a script asks a source for 16 bits.
  static let depthName = "depth"

  /// Whether scripts can ask for 8 or 16 bits a sample: of a source that can do both and has no parameter
  /// of its own by this name.
  var choosesDepth: Bool {
    kind == .source && takes(sample: IMGHOST_SAMPLE_U8)
      && (takes(sample: IMGHOST_SAMPLE_U16) || takes(sample: IMGHOST_SAMPLE_F32))
      && !parameters.contains { $0.name == Self.depthName }
  }

  private var depthParameters: [ParameterDescriptor] {
    guard choosesDepth else { return [] }
    return [
      ParameterDescriptor(
        Self.depthName, .integer(8...16), default: .integer(8), unit: "bits", step: 8,
        help: "of a sample: 8 or 16")
    ]
  }

  private var inputParameters: [ParameterDescriptor] {
    guard case .mixer = kind else { return [] }
    return reservedNames.map {
      ParameterDescriptor($0, .picture, required: true, help: "the \($0) picture, of the same size")
    }
  }

  /// Whether a codec writes pictures of this format.
  package func writesFormat(deep: Bool, bands count: Int) -> Bool {
    takes(sample: deep ? IMGHOST_SAMPLE_U16 : IMGHOST_SAMPLE_U8) && takes(bands: count)
  }

  func takes(sample: UInt32) -> Bool { samples & (1 << sample) != 0 }
  func takes(bands count: Int) -> Bool { bands & (1 << UInt32(count)) != 0 }
}

/// One parameter of a plugin.
package struct PluginParameter: Sendable, Hashable {
  package let name: String
  package let type: Kind
  package let unit: String
  package let help: String
  /// The words beside a control and the heading above several; empty for none.
  package let label: String
  package let group: String
  /// The distance between the values that a slider offers; nil leaves it to the slider.
  package let step: Double?

  /// Its type with range and default.
  package enum Kind: Sendable, Hashable {
    case boolean(Bool)
    case integer(ClosedRange<Int>, Int)
    case number(ClosedRange<Double>, Double)
    case choice([String], Int)
    case colour(Colour)
    case text(String)
    case point(ClosedRange<Double>, x: Double, y: Double)
  }
}

extension PluginParameter {
  /// The parameter as scripts, help and checks see it. A point is a list of two numbers.
  package var descriptor: ParameterDescriptor {
    let (kind, value): (ParameterKind, ParameterValue) =
      switch type {
      case .boolean(let value): (.boolean, .boolean(value))
      case .integer(let range, let value): (.integer(range), .integer(value))
      case .number(let range, let value): (.number(range), .number(value))
      case .choice(let names, let index): (.choice(names), .text(names[index]))
      case .colour(let colour): (.colour, .colour(colour))
      case .text(let text): (.text, .text(text))
      case .point(_, let x, let y): (.numbers(2...2), .list([.number(x), .number(y)]))
      }
    return ParameterDescriptor(
      name, kind, default: value, unit: unit, step: step, label: label, group: group, help: help)
  }

  /// The value a plugin gets, from arguments that the descriptor has checked.
  ///
  /// Throws what a descriptor cannot express: the range of a point, the length of a text.
  package func value(from arguments: Arguments) throws(OperationError) -> WireValue {
    switch type {
    case .boolean: return WireValue([arguments.boolean(name) ? 1 : 0])
    case .integer: return WireValue([Double(arguments.integer(name))])
    case .number: return WireValue([arguments.number(name)])
    case .choice(let names, _):
      return WireValue([Double(names.firstIndex(of: arguments.text(name)) ?? 0)])
    case .colour:
      let colour = arguments.colour(name)
      return WireValue([colour.red, colour.green, colour.blue, colour.alpha])
    case .text:
      let text = arguments.text(name)
      guard text.utf8.count <= Limits.text, !text.utf8.contains(0) else {
        throw .unsuitable("'\(name)' takes text of at most \(Limits.text) bytes and no byte 0")
      }
      return WireValue([], text: text)
    case .point(let range, _, _):
      let point = arguments.numbers(name)
      guard point.allSatisfy(range.contains) else {
        throw .unsuitable(
          "'\(name)' takes two numbers from \(ParameterValue.text(range.lowerBound)) to "
            + "\(ParameterValue.text(range.upperBound))")
      }
      return WireValue(point)
    }
  }
}
