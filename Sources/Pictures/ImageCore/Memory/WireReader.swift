/// A message that is not what was agreed: too short, too long, of another kind.
package struct WireError: Error {
  package init() {}
}

/// Reads a message that is not trusted: every read is checked against the bytes left.
package struct WireReader: Sendable, Equatable {
  @usableFromInline let bytes: [UInt8]
  @usableFromInline var next = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The bytes that have not been read.
  package var rest: ArraySlice<UInt8> { bytes[next...] }

  /// Whether the same is left to read.
  package static func == (left: WireReader, right: WireReader) -> Bool { left.rest == right.rest }

  @inlinable
  package mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type
  ) throws(WireError) -> Value {
    let count = MemoryLayout<Value>.size
    guard bytes.count - next >= count else { throw WireError() }
    let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: next, as: Value.self) }
    next += count
    return value
  }

  package mutating func number() throws(WireError) -> Double { Double(bitPattern: try integer(UInt64.self)) }

  /// The bytes of a text: bounded by the message, which is bounded itself.
  package mutating func text() throws(WireError) -> ArraySlice<UInt8> {
    let count = Int(try integer(UInt32.self))
    guard bytes.count - next >= count else { throw WireError() }
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
  package func finish() throws(WireError) { guard next == bytes.count else { throw WireError() } }
}
