/// Where every object lies: eight bytes an object, all that grows with the book.
struct ObjectTable {
  /// By object number less one; 0 where the object is not written yet. Of objects in an object stream the
  /// highest bit, the stream's number from bit 16 on, and their place in it.
  private var offsets: [UInt64] = []

  /// Objects, numbered from 1.
  var count: Int { offsets.count }

  /// The number of an object that will be written later.
  mutating func reserve() -> Int {
    offsets.append(0)
    return offsets.count
  }

  /// Gives the number back that was reserved last.
  mutating func release(_ object: Int) {
    precondition(object == offsets.count, "object \(object) is not the last")
    offsets.removeLast()
  }

  mutating func place(_ object: Int, at offset: Int) {
    precondition(offsets[object - 1] == 0, "object \(object) is written twice")
    offsets[object - 1] = UInt64(offset)
  }

  private static let packed = UInt64(1) << 63

  /// Notes an object that is stored in another, which has or will have an offset itself.
  mutating func place(_ object: Int, in stream: Int, at index: Int) {
    precondition(offsets[object - 1] == 0, "object \(object) is written twice")
    precondition(index < 1 << 16, "an object stream has too many objects")
    offsets[object - 1] = Self.packed | UInt64(stream) << 16 | UInt64(index)
  }

  /// Cross-reference table (PDF 32000-1:2008, 7.5.4) of the objects from `first` on: entries of exactly 20
  /// bytes.
  func tableEntries(_ objects: Range<Int>) -> String {
    var text = ""
    text.reserveCapacity(objects.count * 20)
    for object in objects {
      let digits = String(offset(object))
      text += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
    }
    return text
  }

  /// Entries of a cross-reference stream (7.5.8) with field widths 1, 8 and 1.
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

  /// Entries of a cross-reference stream with field widths 1, `width` and 2, each a row with the filter Up
  /// of PNG before it (7.4.4.4). `above` is the row before, and becomes the last of these.
  func filteredEntries(_ objects: Range<Int>, width: Int, above: inout [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(objects.count * (width + 4))
    for object in objects {
      let offset = offset(object)
      let isPacked = offset & Self.packed != 0
      let main = isPacked ? (offset & ~Self.packed) >> 16 : offset
      let index = isPacked ? offset & 0xffff : 0
      var row: [UInt8] = [isPacked ? 2 : 1]
      for byte in (0..<width).reversed() {
        row.append(UInt8(truncatingIfNeeded: main >> (8 * byte)))
      }
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
