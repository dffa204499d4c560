/// The entropy-coded bits of one scan, the highest of a byte first (T.81, F.2.2.5), up to the next marker.
struct ScanBits {
  private let bytes: MarkedBytes
  /// Loaded bits from the highest down; zeros below them.
  private var bits: UInt64 = 0
  private var count = 0
  /// The second byte of the marker that ends the restart interval, once it was met.
  private(set) var marker: UInt8?
  /// Whether more bits were wanted than the interval has.
  private(set) var isStarved = false

  init(_ bytes: MarkedBytes) { self.bytes = bytes }

  /// Returns the next 1 to 16 bits without taking them; zeros past the end.
  mutating func peek(_ width: Int) throws(ExtendedFault) -> Int {
    if count < width { try load() }
    return Int(bits >> UInt64(64 - width))
  }

  /// Takes 0 to 16 bits.
  mutating func take(_ width: Int) throws(ExtendedFault) {
    if count < width { try load() }
    guard count < width else {
      bits <<= UInt64(width)
      count -= width
      return
    }
    // libjpeg's message for an interval that is too short.
    try bytes.note(marker == 0xd9 ? .truncated : .damaged("Corrupt JPEG data: premature end of data segment"))
    isStarved = true
    bits = 0
    count = 0
  }

  /// Takes the next 0 to 16 bits and returns their value.
  mutating func number(_ width: Int) throws(ExtendedFault) -> Int {
    guard width > 0 else { return 0 }
    let value = try peek(width)
    try take(width)
    return value
  }

  /// Takes a difference or coefficient of `width` bits: T.81, F.2.2.1, RECEIVE and EXTEND.
  mutating func coefficient(_ width: Int) throws(ExtendedFault) -> Int {
    let value = try number(width)
    return width == 0 || value >= 1 << (width - 1) ? value : value - (1 << width) + 1
  }

  /// Takes the next Huffman code and returns its symbol: T.81, F.2.2.3, DECODE.
  mutating func symbol(_ code: HuffmanLookup) throws(ExtendedFault) -> Int {
    let entry = code.entries[try peek(16)]
    guard entry > 0 else {
      try bytes.note(.damaged("Corrupt JPEG data: bad Huffman code"))
      try take(16)
      return 0
    }
    try take(Int(entry >> 8))
    return Int(entry & 0xff)
  }

  /// Skips the rest of a restart interval and the marker after it, which must have the given number from 0 to 7.
  ///
  /// If damage is accepted, another marker is treated as in libjpeg's `jpeg_resync_to_restart`.
  mutating func restart(_ number: UInt8) throws(ExtendedFault) {
    var found = try bytes.marker(marker)
    if found != 0xd0 + number {
      let words = "Corrupt JPEG data: found marker 0x\(String(found, radix: 16)) instead of RST\(number)"
      try bytes.note(found == 0xd9 ? .truncated : .damaged(words))
      // Skip markers of earlier intervals, and markers that are not allowed here.
      while found < 0xc0 || Self.isRestart(found) && [6, 7].contains((found &- number) & 7) {
        found = try bytes.marker()
      }
    }
    let distance = Self.isRestart(found) ? (found &- number) & 7 : 1
    // For a marker of a later interval, or the end, this interval is empty.
    let isLater = distance == 1 || distance == 2
    bits = 0
    count = 0
    marker = isLater ? found : nil
    isStarved = false
  }

  /// Skips to the marker after the scan and returns its second byte.
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
