/// Builds a message or a record: fixed-width numbers in native byte order, and texts preceded by their length. Writer
/// and reader are always the same build.
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
