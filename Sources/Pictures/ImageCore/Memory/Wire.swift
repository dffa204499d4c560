/// A message that violates the protocol: it is too short, too long, or of an unexpected kind.
package struct WireError: Error {
  package init() {}
}

/// Reads an untrusted message: every read is checked against the number of remaining bytes.
package struct WireReader: Sendable, Equatable {
  private let bytes: ArraySlice<UInt8>
  private var next: Int

  package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  package init(_ bytes: ArraySlice<UInt8>) { (self.bytes, next) = (bytes, bytes.startIndex) }

  /// The bytes that have not been read.
  package var rest: ArraySlice<UInt8> { bytes[next...] }

  /// Returns whether both readers have the same remaining bytes.
  package static func == (left: WireReader, right: WireReader) -> Bool { left.rest == right.rest }

  // There is one function for each type, because a generic one would be called from other modules without
  // specialisation.
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

  /// Reads the bytes of a text, which are preceded by their number. Throws if fewer bytes are left.
  package mutating func text() throws(WireError) -> ArraySlice<UInt8> {
    let count = Int(try integer(UInt32.self))
    guard bytes.endIndex - next >= count else { throw WireError() }
    defer { next += count }
    return bytes[next..<next + count]
  }

  /// Reads a text for people: invalid UTF-8 is repaired, and line breaks, control characters and format characters
  /// become spaces, so that no plugin can forge lines or control a terminal.
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

  /// Throws if the message has bytes that were not read.
  package func finish() throws(WireError) { guard next == bytes.endIndex else { throw WireError() } }
}

/// Builds a message or a record: fixed-width numbers in native byte order, and texts preceded by their length.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() { bytes.reserveCapacity(512) }

  package mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ value: Double) { append(value.bitPattern) }

  /// Appends the bytes of a text, preceded by their number.
  package mutating func append(text: some Collection<UInt8>) {
    append(UInt32(text.count))
    bytes.append(contentsOf: text)
  }

  package mutating func append(_ text: String) { append(text: text.utf8) }
}
