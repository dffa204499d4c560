/// An 8-bit gray PNG whose chunks tests can choose. It uses stored deflate blocks, so that no compressor is needed (RFC
/// 1950 and 1951).
package struct TestPNG {
  package let width: Int
  package let height: Int
  /// The rows in the data, each after its filter byte.
  package var rows: [[UInt8]]
  /// Chunks between the two halves of the compressed data.
  package var between: [(type: String, data: [UInt8])] = []

  package init(width: Int, height: Int, rows count: Int? = nil) {
    (self.width, self.height) = (width, height)
    rows = (0..<(count ?? height)).map { y in
      [2] + (0..<width).map { UInt8(truncatingIfNeeded: $0 * 37 + y * 11) }
    }
  }

  package var bytes: [UInt8] {
    let data = Self.zlib(rows.flatMap(\.self))
    let half = data.count / 2
    return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
      + Self.chunk("IHDR", Self.number(width) + Self.number(height) + [8, 0, 0, 0, 0])
      + Self.chunk("IDAT", Array(data[..<half]))
      + between.flatMap { Self.chunk($0.type, $0.data) }
      + Self.chunk("IDAT", Array(data[half...])) + Self.chunk("IEND", [])
  }

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let content = Array(type.utf8) + data
    return number(data.count) + content + number(Int(checksum(content)))
  }

  /// PNG, third edition, annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xedb8_8320 : 0) }
    }
  }

  /// Returns a zlib stream with one stored block.
  package static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var (a, b) = (1, 0)
    for byte in bytes {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    let count = bytes.count
    precondition(count <= 65_535, "one block")
    return [0x78, 0x01, 1, UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255)]
      + [UInt8(~count >> 8 & 255)] + bytes
      + [UInt8(b >> 8), UInt8(b & 255), UInt8(a >> 8), UInt8(a & 255)]
  }
}
