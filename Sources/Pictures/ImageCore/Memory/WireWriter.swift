/// Builds a message or a record: fixed-width numbers in the machine's byte order, and texts that carry their length.
/// Writer and reader are the same build.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() { bytes.reserveCapacity(512) }

  package mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ value: Double) { append(value.bitPattern) }

  /// The bytes of a text, preceded by their count.
  package mutating func append(text: some Collection<UInt8>) {
    append(UInt32(text.count))
    bytes.append(contentsOf: text)
  }

  package mutating func append(_ text: String) { append(text: text.utf8) }
}
