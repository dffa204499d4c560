/// Reads and appends little-endian numbers.
extension [UInt8] {
  func littleEndian16(_ place: Int) -> Int { Int(self[place]) | Int(self[place + 1]) << 8 }

  func littleEndian32(_ place: Int) -> Int { littleEndian16(place) | littleEndian16(place + 2) << 16 }

  func signedLittleEndian32(_ place: Int) -> Int {
    Int(Int32(truncatingIfNeeded: littleEndian32(place)))
  }

  mutating func appendLittleEndian16(_ value: Int) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }

  mutating func appendLittleEndian32(_ value: Int) {
    appendLittleEndian16(value)
    appendLittleEndian16(value >> 16)
  }
}
