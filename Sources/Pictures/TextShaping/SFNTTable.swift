/// An SFNT table of a font (OpenType 1.9; all numbers are big-endian). Reading outside of it returns nil.
package struct SFNTTable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package var count: Int { bytes.count }

  package func unsigned8(_ offset: Int) -> Int? { offset >= 0 && offset < bytes.count ? Int(bytes[offset]) : nil }

  package func unsigned16(_ offset: Int) -> Int? {
    guard offset >= 0, offset + 2 <= bytes.count else { return nil }
    return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }

  package func signed16(_ offset: Int) -> Int? { unsigned16(offset).map { Int(Int16(truncatingIfNeeded: $0)) } }

  /// Reads a 16.16 fixed-point number.
  package func fixed(_ offset: Int) -> Double? {
    guard let high = signed16(offset), let low = unsigned16(offset + 2) else { return nil }
    return Double(high) + Double(low) / 65_536
  }
}
