/// A message that is not what was agreed: too short, too long, of another kind.
package struct WireError: Error {
  package init() {}
}

/// Reads a message that is not trusted: every read is checked against the bytes left.
package struct WireReader: Sendable, Equatable {
  private let bytes: ArraySlice<UInt8>
  /// The index of the next byte.
  private var next: Int

  package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  package init(_ bytes: ArraySlice<UInt8>) { (self.bytes, next) = (bytes, bytes.startIndex) }

  /// The bytes that have not been read.
  package var rest: ArraySlice<UInt8> { bytes[next...] }

  /// Whether the same is left to read.
  package static func == (left: WireReader, right: WireReader) -> Bool { left.rest == right.rest }

  // One function for each type: other modules would call a generic one without knowing the type.
  package mutating func integer(_ type: UInt8.Type) throws(WireError) -> UInt8 { try load(type) }
  package mutating func integer(_ type: Int32.Type) throws(WireError) -> Int32 { try load(type) }
  package mutating func integer(_ type: UInt32.Type) throws(WireError) -> UInt32 { try load(type) }
  package mutating func integer(_ type: UInt64.Type) throws(WireError) -> UInt64 { try load(type) }

  @inline(__always)
  private mutating func load<Value: BitwiseCopyable>(_ type: Value.Type) throws(WireError) -> Value {
    let count = MemoryLayout<Value>.size
    guard bytes.endIndex - next >= count else { throw WireError() }
    let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: next - bytes.startIndex, as: type) }
    next += count
    return value
  }

  package mutating func number() throws(WireError) -> Double { Double(bitPattern: try integer(UInt64.self)) }

  /// The bytes of a text: bounded by the message, which is bounded itself.
  package mutating func text() throws(WireError) -> ArraySlice<UInt8> {
    let count = Int(try integer(UInt32.self))
    guard bytes.endIndex - next >= count else { throw WireError() }
    defer { next += count }
    return bytes[next..<next + count]
  }

  /// A text for people: damaged UTF-8 repaired, line breaks and control characters made spaces, so that
  /// no plugin can forge lines or steer a terminal.
  package mutating func line() throws(WireError) -> String { Self.line(try text()) }

  package static func line(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: " "
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Refuses bytes after the end of the message.
  package func finish() throws(WireError) { guard next == bytes.endIndex else { throw WireError() } }
}
