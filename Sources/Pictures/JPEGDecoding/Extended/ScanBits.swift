/// The entropy-coded bits of one scan, the highest of a byte first (T.81, F.2.2.5), up to the next marker.
struct ScanBits {
  private let bytes: MarkedBytes
  /// From the highest bit down; zeros below the last that was read.
  private var bits: UInt64 = 0
  private var count = 0
  /// The second byte of the marker that ends the segment, once it was met.
  private(set) var marker: UInt8?
  /// Whether more bits were wanted than the segment has.
  private(set) var isStarved = false

  init(_ bytes: MarkedBytes) { self.bytes = bytes }

  /// The next bits, 1 to 16 of them; zeros where there are none.
  mutating func peek(_ width: Int) throws(ExtendedFault) -> Int {
    if count < width { try load() }
    return Int(bits >> UInt64(64 - width))
  }

  /// Passes over bits, 0 to 16 of them.
  mutating func take(_ width: Int) throws(ExtendedFault) {
    if count < width { try load() }
    guard count < width else {
      bits <<= UInt64(width)
      count -= width
      return
    }
    // libjpeg says this of a segment that is too short.
    try bytes.note(
      marker == 0xd9
        ? .truncated : .damaged("Corrupt JPEG data: premature end of data segment"))
    isStarved = true
    bits = 0
    count = 0
  }

  /// The value of the next bits, 0 to 16 of them.
  mutating func number(_ width: Int) throws(ExtendedFault) -> Int {
    guard width > 0 else { return 0 }
    let value = try peek(width)
    try take(width)
    return value
  }

  /// A difference or coefficient of so many bits: T.81, F.2.2.1, RECEIVE and EXTEND.
  mutating func coefficient(_ width: Int) throws(ExtendedFault) -> Int {
    let value = try number(width)
    return width == 0 || value >= 1 << (width - 1) ? value : value - (1 << width) + 1
  }

  /// The next symbol: T.81, F.2.2.3.
  mutating func symbol(_ code: SymbolTable) throws(ExtendedFault) -> Int {
    let entry = code.entries[try peek(16)]
    guard entry > 0 else {
      try bytes.note(.damaged("Corrupt JPEG data: bad Huffman code"))
      try take(16)
      return 0
    }
    try take(Int(entry >> 8))
    return Int(entry & 0xff)
  }

  /// Passes over what is left of a segment and the restart marker after it, which must be that of a number
  /// from 0 to 7. Where another stands there and damage is accepted: libjpeg's `jpeg_resync_to_restart`.
  mutating func restart(_ number: UInt8) throws(ExtendedFault) {
    var found = try bytes.marker(marker)
    if found != 0xd0 + number {
      let words =
        "Corrupt JPEG data: found marker 0x\(String(found, radix: 16)) instead of RST\(number)"
      try bytes.note(found == 0xd9 ? .truncated : .damaged(words))
      // An earlier segment's, or none that may stand here.
      while found < 0xc0 || Self.isRestart(found) && [6, 7].contains((found &- number) & 7) {
        found = try bytes.marker()
      }
    }
    let distance = Self.isRestart(found) ? (found &- number) & 7 : 1
    // A later segment's, or the end: this one is empty.
    let isLater = distance == 1 || distance == 2
    bits = 0
    count = 0
    marker = isLater ? found : nil
    isStarved = false
  }

  /// The marker after the scan.
  mutating func end() throws(ExtendedFault) -> UInt8 { try bytes.marker(marker) }

  private mutating func load() throws(ExtendedFault) {
    while count <= 48, marker == nil {
      let byte = try bytes.byte()
      if byte == 0xff {
        var code = try bytes.byte()
        while code == 0xff { code = try bytes.byte() }
        if code != 0 {
          marker = code
          return
        }
      }
      bits |= UInt64(byte) << UInt64(56 - count)
      count += 8
    }
  }

  private static func isRestart(_ marker: UInt8) -> Bool { (0xd0...0xd7).contains(marker) }
}
