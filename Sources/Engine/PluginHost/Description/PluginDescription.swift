import CPluginABI
import ImageCore

/// A plugin's description of itself, read by a worker and validated by the host.
package struct PluginDescription: Sendable, Hashable {
  /// The plugin's name in scripts.
  package let name: String
  package let version: String
  /// A one-sentence summary, without a full stop.
  package let summary: String
  package let kind: Kind
  package let origin: Origin
  /// The flags `IMGHOST_FLAG_…` of `imghost_plugin.h`.
  package let flags: UInt32
  /// The amount of input that the plugin needs at a time.
  package let extent: Extent
  package let threads: Threads
  package let parameters: [PluginParameter]
  /// The format that a codec reads or writes; nil for the other kinds.
  package let codec: CodecDescription?
  /// Folders and files that the plugin reads, in addition to its own folder.
  let dataPaths: [String]

  /// The accepted sample types and numbers of bands as bit sets: `1 << IMGHOST_SAMPLE_…`, `1 << bands`.
  let samples: UInt32
  let bands: UInt32
  let wantsPremultipliedAlpha: Bool
  /// The sides of its pictures must be multiples of this number.
  var sideMultiple = 1

  /// The kind of a plugin.
  package enum Kind: Sendable, Hashable {
    case filter
    /// Makes pictures from parameters.
    case source
    /// Makes one picture from several pictures of equal size.
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

  /// The plugin's interface. The raw values are part of the worker's protocol.
  package enum Origin: UInt32, Sendable, Hashable {
    case native
    /// frei0r with red first, or with any order of bands that is the same in input and output.
    case frei0r
    /// frei0r with blue first.
    case frei0rBlueFirst
  }

  /// The amount of input that a plugin needs at a time: the whole frame, or some rows with padding.
  package enum Extent: Sendable, Hashable {
    case frame
    case rows(padding: Int)
  }

  /// The calls that the plugin allows at the same time; the raw values are those of `IMGHOST_THREADS_…`.
  package enum Threads: UInt32, Sendable, Hashable {
    case one, instances, regions
  }

  /// Whether it declares that equal inputs and values give equal bytes.
  package var isDeterministic: Bool { flags & IMGHOST_FLAG_DETERMINISTIC != 0 }

  /// Whether it accepts RGB of any profile; otherwise pictures with a profile are converted to sRGB.
  package var takesAnyRGB: Bool { flags & IMGHOST_FLAG_ANY_RGB != 0 }
  /// Whether it may run on small pictures to preview its effect on large ones.
  package var scales: Bool { flags & IMGHOST_FLAG_SCALES != 0 }

  /// The formats that it accepts without conversion, such as `gray, rgb, rgb+alpha; u8, u16`.
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

  /// The names of a mixer's pictures in scripts, from the second on.
  static let inputNames = [
    "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
  ]

  /// Option names that are reserved for the host.
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

  /// The name of the option that chooses the bits per sample of a source.
  static let depthName = "depth"

  /// Whether scripts can choose 8 or 16 bits per sample: the plugin is a source that supports both 8 bits and more, and
  /// has no parameter with the name of this option.
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

  /// Returns whether a codec writes pictures of this format.
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
  /// The label of the parameter's control, and the heading of the group of controls; empty for none.
  package let label: String
  package let group: String
  /// The distance between the values of a slider; nil for the slider's default.
  package let step: Double?

  /// The type of a parameter with its range and default.
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
  /// The parameter's descriptor for scripts, help and checks. A point is a list of two numbers.
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

  /// Returns the value for the plugin, from arguments that the descriptor has checked.
  ///
  /// - Throws: an error for limits that a descriptor cannot express: the range of a point, the length of a text, and
  ///   that a text contains no zero byte.
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

// MARK: - Reading

extension PluginDescription {
  /// Reads the body of a `description` message and validates it: neither the worker nor the plugin's data is trusted.
  init(from reader: inout WireReader) throws(DescriptionError) {
    do {
      try self.init(unchecked: &reader)
      try reader.finish()
    } catch let error as DescriptionError {
      throw error
    } catch {
      throw .garbled
    }
  }

  private init(unchecked reader: inout WireReader) throws {
    name = try Self.name(&reader, allowed: Self.isPluginName)
    version = try Self.line(&reader, "its version", byteLimit: Limits.version)
    summary = try Self.line(&reader, "its summary", byteLimit: Limits.text)
    let kind = try reader.integer(UInt32.self)
    flags = try Self.field(&reader, "flags", atMost: 15)
    samples = try Self.field(&reader, "samples", atMost: 0b1111)
    bands = try Self.field(&reader, "bands", atMost: 0b11111)
    let isCodec = kind == IMGHOST_KIND_CODEC
    // A codec that only reads accepts no pictures.
    guard samples & 0b1110 != 0 && bands & 0b11110 != 0 || isCodec, samples & 1 == 0, bands & 1 == 0 else {
      throw DescriptionError.noFormats
    }
    let alpha = try Self.field(&reader, "alpha", atMost: 2)
    guard alpha != 0 || bands & 0b10100 == 0 else {
      throw DescriptionError.unknownValue(field: "alpha (with 2 or 4 bands)", 0)
    }
    wantsPremultipliedAlpha = alpha == IMGHOST_ALPHA_PREMULTIPLIED
    let extent = try Self.field(&reader, "extent", atMost: 2)
    let padding = try reader.integer(UInt32.self)
    switch extent {
    case IMGHOST_EXTENT_FRAME: self.extent = .frame
    case 0 where isCodec: self.extent = .frame
    case IMGHOST_EXTENT_ROWS: self.extent = .rows(padding: Int(padding))
    default: throw DescriptionError.unknownValue(field: "extent", extent)
    }
    threads = Threads(rawValue: try Self.field(&reader, "threads", atMost: 2)) ?? .one
    self.kind = try Self.kind(kind, inputCount: reader.integer(UInt32.self))
    let origin = try reader.integer(UInt32.self)
    guard let origin = Origin(rawValue: origin) else { throw WireError() }
    self.origin = origin
    // Names with frei0r's prefix are reserved for frei0r plugins, which must have it.
    guard (origin == .native) == !Frei0rName.isPrefixed(name) else { throw DescriptionError.badName(name) }
    parameters = try Self.parameters(&reader)
    codec = isCodec ? try CodecDescription(from: &reader) : nil
    dataPaths = try Self.dataPaths(&reader)
    if let codec, codec.writes, samples & ~(1 << IMGHOST_SAMPLE_F32) == 0 || bands == 0 {
      throw DescriptionError.noFormats
    }
    if let parameter = parameters.first(where: { reservedNames.contains($0.name) }) {
      throw DescriptionError.reserved(parameter.name)
    }
  }

  /// Reads the list of data paths at the end of a description, if there is one.
  private static func dataPaths(_ reader: inout WireReader) throws -> [String] {
    guard !reader.rest.isEmpty else { return [] }
    let count = try reader.integer(UInt32.self)
    guard count <= Limits.dataPaths else { throw DescriptionError.tooManyDataPaths }
    return try (0..<count).map { _ in
      let path = String(decoding: try reader.text(), as: UTF8.self)
      guard path.utf8.count <= Limits.text, ReadableFiles.isData(path) else {
        throw DescriptionError.dataPath(WireReader.line(Array(path.utf8)[...]))
      }
      return path
    }
  }

  private static func kind(_ value: UInt32, inputCount: UInt32) throws -> Kind {
    switch value {
    case IMGHOST_KIND_FILTER: return .filter
    case IMGHOST_KIND_SOURCE: return .source
    case IMGHOST_KIND_MIXER:
      guard (2...UInt32(Limits.inputs)).contains(inputCount) else {
        throw DescriptionError.inputCount(inputCount)
      }
      return .mixer(inputCount: Int(inputCount))
    case IMGHOST_KIND_CODEC: return .codec
    default: throw DescriptionError.kind(value)
    }
  }

  static func parameters(_ reader: inout WireReader) throws -> [PluginParameter] {
    let count = try reader.integer(UInt32.self)
    guard count <= Limits.parameters else { throw DescriptionError.tooManyParameters(count) }
    var parameters: [PluginParameter] = []
    for _ in 0..<count {
      let parameter = try PluginParameter(from: &reader)
      guard !parameters.contains(where: { $0.name == parameter.name }) else {
        throw DescriptionError.duplicate(parameter.name)
      }
      parameters.append(parameter)
    }
    return parameters
  }

  static func field(_ reader: inout WireReader, _ name: String, atMost limit: UInt32) throws -> UInt32 {
    let value = try reader.integer(UInt32.self)
    guard value <= limit else { throw DescriptionError.unknownValue(field: name, value) }
    return value
  }

  static func line(_ reader: inout WireReader, _ field: String, byteLimit: Int) throws -> String {
    let bytes = try reader.text()
    let line = WireReader.line(bytes)
    // A byte that is not valid UTF-8 becomes a replacement character of three bytes, which makes the line longer.
    guard bytes.count <= byteLimit, line.utf8.count <= byteLimit else { throw DescriptionError.textTooLong(field) }
    return line
  }

  static func name(_ reader: inout WireReader, allowed: (ArraySlice<UInt8>) -> Bool) throws -> String {
    let bytes = try reader.text()
    guard bytes.count <= Limits.name else { throw DescriptionError.textTooLong("a name") }
    guard !bytes.isEmpty, allowed(bytes) else { throw DescriptionError.badName(WireReader.line(bytes)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether a name is valid. A native name starts with a letter; after frei0r's prefix, a name may start with
  /// a digit.
  private static func isPluginName(_ bytes: ArraySlice<UInt8>) -> Bool {
    let rest = Frei0rName.withoutPrefix(bytes)
    guard let first = rest.first, isSmallLetter(first) || rest.count < bytes.count && isDigit(first) else {
      return false
    }
    return rest.allSatisfy {
      isSmallLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
  }

  static func isSmallLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Returns whether a name consists of letters, digits and underscores, without a leading digit, so that Lua accepts
  /// it as a key without brackets.
  static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
    !isDigit(bytes.first ?? 0)
      && bytes.allSatisfy { isSmallLetter($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }
}
