/// The file offset of every object: eight bytes an object, the only memory that grows with the book.
struct ObjectTable {
  /// Offsets by object number minus one; 0 if the object is not written yet.
  ///
  /// For an object in an object stream: the highest bit is set, the stream's number begins at bit 16, and the
  /// index in the stream is in the low 16 bits.
  private var offsets: [UInt64] = []

  /// The number of objects. Objects are numbered from 1.
  var count: Int { offsets.count }

  /// Returns the number of an object that is written later.
  mutating func reserve() -> Int {
    offsets.append(0)
    return offsets.count
  }

  /// Releases the number that was reserved last.
  mutating func release(_ object: Int) {
    precondition(object == offsets.count, "object \(object) is not the last")
    offsets.removeLast()
  }

  mutating func place(_ object: Int, at offset: Int) {
    precondition(offsets[object - 1] == 0, "object \(object) is written twice")
    offsets[object - 1] = UInt64(offset)
  }

  private static let packed = UInt64(1) << 63

  /// Records that an object is stored in an object stream, which has an offset of its own.
  mutating func place(_ object: Int, in stream: Int, at index: Int) {
    precondition(offsets[object - 1] == 0, "object \(object) is written twice")
    precondition(index < 1 << 16, "an object stream has too many objects")
    offsets[object - 1] = Self.packed | UInt64(stream) << 16 | UInt64(index)
  }

  /// Returns entries of the cross-reference table (PDF 32000-1:2008, 7.5.4), 20 bytes each.
  func tableEntries(_ objects: Range<Int>) -> String {
    var text = ""
    text.reserveCapacity(objects.count * 20)
    for object in objects {
      let digits = String(offset(object))
      text += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
    }
    return text
  }

  /// Returns entries of a cross-reference stream (7.5.8) with field widths 1, 8 and 1.
  func streamEntries(_ objects: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(objects.count * 10)
    for object in objects {
      let offset = offset(object)
      bytes.append(1)
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: offset >> shift))
      }
      bytes.append(0)
    }
    return bytes
  }

  /// Returns entries of a cross-reference stream with field widths 1, `width` and 2. Each is one row,
  /// filtered by PNG's Up filter (7.4.4.4).
  ///
  /// - Parameter above: the row before; becomes the last of these rows.
  func filteredEntries(_ objects: Range<Int>, width: Int, above: inout [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(objects.count * (width + 4))
    for object in objects {
      let offset = offset(object)
      let isPacked = offset & Self.packed != 0
      let main = isPacked ? (offset & ~Self.packed) >> 16 : offset
      let index = isPacked ? offset & 0xffff : 0
      var row: [UInt8] = [isPacked ? 2 : 1]
      for byte in (0..<width).reversed() { row.append(UInt8(truncatingIfNeeded: main >> (8 * byte))) }
      row += [UInt8(index >> 8), UInt8(index & 0xff)]
      bytes.append(2)
      for (value, up) in zip(row, above) { bytes.append(value &- up) }
      above = row
    }
    return bytes
  }

  private func offset(_ object: Int) -> UInt64 {
    let offset = offsets[object - 1]
    precondition(offset > 0, "object \(object) was never written")
    return offset
  }
}
