import BookExpectations

/// The file offset of every object: six bytes per object.
struct ObjectTable {
  /// A 48-bit value: the offset of an object, or 0 if the object is not written yet.
  ///
  /// For an object in an object stream, the highest bit is set, the number of the stream begins at bit 16, and the
  /// index in the stream takes the low 16 bits.
  private struct Entry {
    // The entry consists of 16-bit words, because larger words would leave a gap between entries.
    private var words: (UInt16, UInt16, UInt16)

    init(_ value: UInt64) {
      precondition(value < 1 << 48, "the file is too large")
      words = (UInt16(value >> 32), UInt16(truncatingIfNeeded: value >> 16), UInt16(truncatingIfNeeded: value))
    }

    var value: UInt64 { UInt64(words.0) << 32 | UInt64(words.1) << 16 | UInt64(words.2) }
  }

  /// The entries by object number minus one. They are divided into blocks, because a single array of millions would be
  /// copied repeatedly as it grows.
  private var blocks: [[Entry]] = [[]]
  private static let blockCount = 1 << 13

  /// The number of objects. Objects are numbered from 1.
  private(set) var count = 0

  /// Reserves the number of an object that is written later.
  mutating func reserve() -> Int {
    if blocks[blocks.count - 1].count == Self.blockCount {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(Self.blockCount)
    }
    blocks[blocks.count - 1].append(Entry(0))
    count += 1
    return count
  }

  /// Releases the number that was reserved last.
  mutating func release(_ object: Int) {
    precondition(object == count, "object \(object) is not the last")
    blocks[blocks.count - 1].removeLast()
    if blocks.count > 1, blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
    count -= 1
  }

  mutating func place(_ object: Int, at offset: Int) {
    // The highest bit is reserved for objects in object streams.
    precondition(offset < 1 << 47, "the file is too large")
    set(object, UInt64(offset))
  }

  private static let packed = UInt64(1) << 47

  /// Records that an object is stored in an object stream, whose own offset is recorded separately.
  mutating func place(_ object: Int, in stream: Int, at index: Int) {
    precondition(stream < 1 << 31, "the file has too many objects")
    precondition(index < 1 << 16, "an object stream has too many objects")
    set(object, Self.packed | UInt64(stream) << 16 | UInt64(index))
  }

  private mutating func set(_ object: Int, _ value: UInt64) {
    let (block, place) = (object - 1).quotientAndRemainder(dividingBy: Self.blockCount)
    precondition(blocks[block][place].value == 0, "object \(object) is written twice")
    blocks[block][place] = Entry(value)
  }

  /// Returns entries of the cross-reference table (PDF 32000-1:2008, 7.5.4), 20 bytes each.
  func tableEntries(_ objects: Range<Int>) -> UTF8Text {
    var text = UTF8Text(capacity: objects.count * 20)
    for object in objects {
      var unit: UInt64 = 1_000_000_000
      let offset = offset(object)
      precondition(offset < unit * 10, "an offset has more than ten digits")
      while unit > 0 {
        text.bytes.append(UInt8(ascii: "0") + UInt8(offset / unit % 10))
        unit /= 10
      }
      text.append(" 00000 n \n")
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

  /// Returns entries of a cross-reference stream with field widths 1, `width` and 2. Each entry is one row, filtered
  /// with PNG's Up filter (7.4.4.4).
  ///
  /// - Parameter above: the unfiltered row before the first entry. This method sets it to the row of the last entry.
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
    let (block, place) = (object - 1).quotientAndRemainder(dividingBy: Self.blockCount)
    let offset = blocks[block][place].value
    precondition(offset > 0, "object \(object) was never written")
    return offset
  }
}

/// An object stream (PDF 32000-1:2008, 7.5.7): objects that are compressed together.
struct ObjectStream {
  /// The maximum number of objects in a stream. Readers must decompress the whole stream to read one object, so it
  /// stays small.
  static let capacity = 100

  private(set) var objects: [Int] = []
  private var head = UTF8Text()
  private var bodies = UTF8Text()

  var isFull: Bool { objects.count == Self.capacity }
  var isEmpty: Bool { objects.isEmpty }

  mutating func add(_ object: Int, _ body: UTF8Text) {
    head += "\(object) \(bodies.count) "
    bodies += body
    bodies.append("\n")
    objects.append(object)
  }

  func finish() -> (dictionary: String, bytes: [UInt8]) {
    let bytes = Deflater.compress(head.bytes + bodies.bytes, level: 9)
    return (
      "<</Type/ObjStm/N \(objects.count)/First \(head.count)/Filter/FlateDecode"
        + "/Length \(bytes.count)>>", bytes
    )
  }
}
