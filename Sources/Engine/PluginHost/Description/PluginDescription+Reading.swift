import ImageCore
import CPluginABI

extension PluginDescription {
  /// Reads the body of a `description` message and checks all of it: the worker is not trusted, and
  /// neither is what the plugin said.
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
    name = try Self.name(&reader, allowed: { Self.isPluginName(Frei0rName.withoutPrefix($0)) })
    version = try Self.line(&reader, "its version", limit: Limits.version)
    summary = try Self.line(&reader, "its summary", limit: Limits.text)
    let kind = try reader.integer(UInt32.self)
    flags = try Self.field(&reader, "flags", atMost: 15)
    samples = try Self.field(&reader, "samples", atMost: 0b1111)
    bands = try Self.field(&reader, "bands", atMost: 0b11111)
    let isCodec = kind == IMGHOST_KIND_CODEC
    // A codec that only reads takes no pictures.
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
    // A native plugin may not pass for one of frei0r's, nor the other way round.
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

  /// Reads the paths of data, which end a description that has such.
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

  static func line(_ reader: inout WireReader, _ field: String, limit: Int) throws -> String {
    let bytes = try reader.text()
    let line = WireReader.line(bytes)
    // A byte that is not UTF-8 becomes three.
    guard bytes.count <= limit, line.utf8.count <= limit else { throw DescriptionError.textTooLong(field) }
    return line
  }

  static func name(_ reader: inout WireReader, allowed: (ArraySlice<UInt8>) -> Bool) throws -> String {
    let bytes = try reader.text()
    guard bytes.count <= Limits.name else { throw DescriptionError.textTooLong("a name") }
    guard !bytes.isEmpty, allowed(bytes) else { throw DescriptionError.badName(WireReader.line(bytes)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A native name starts with a letter; what comes after frei0r's prefix may start with a digit.
  private static func isPluginName(_ bytes: ArraySlice<UInt8>) -> Bool {
    let first = bytes.first ?? 0
    return (isSmallLetter(first) || bytes.startIndex > 0 && isDigit(first))
      && bytes.allSatisfy {
        isSmallLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
  }

  private static func isSmallLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Letters, digits and underscores, no digit first: what Lua takes as a key without brackets.
  static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
    !isDigit(bytes.first ?? 0)
      && bytes.allSatisfy { isSmallLetter($0 | 0x20) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }
}
