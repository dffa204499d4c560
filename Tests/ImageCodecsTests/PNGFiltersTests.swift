import ImageCore
import Testing

@testable import ImageCodecs

@Suite struct PNGFiltersTests {
  /// PNG, 9.2 to 9.4, byte by byte.
  private static func predicted(_ filter: UInt8, _ left: Int, _ up: Int, _ corner: Int) -> Int {
    switch filter {
    case 1: return left
    case 2: return up
    case 3: return (left + up) / 2
    case 4:
      let estimate = left + up - corner
      let distances = [abs(estimate - left), abs(estimate - up), abs(estimate - corner)]
      let least = distances.min()!
      return [left, up, corner][distances.firstIndex(of: least)!]
    default: return 0
    }
  }

  private static func noise(_ count: Int, _ seed: UInt32, coarse: Bool) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      // Few values give many ties.
      return UInt8(truncatingIfNeeded: coarse ? state >> 30 : state >> 24)
    }
  }

  @Test(arguments: [UInt8](0...4), [1, 2, 3, 4])
  func rowsAreRestored(filter: UInt8, pixelBytes: Int) {
    for width in [1, 2, 3, 5, 16, 17, 300] {
      for seed in UInt32(1)...6 {
        let count = width * pixelBytes
        let above = Self.noise(count, seed, coarse: seed > 3)
        let row = Self.noise(count, seed + 50, coarse: seed > 3)
        let filtered = row.indices.map { index in
          let isFirst = index < pixelBytes
          let left = isFirst ? 0 : Int(row[index - pixelBytes])
          let corner = isFirst ? 0 : Int(above[index - pixelBytes])
          return row[index]
            &- UInt8(Self.predicted(filter, left, Int(above[index]), corner))
        }
        // What lies behind the row stays as it is.
        var restored = filtered + [201, 202, 203, 204]
        let source = above + [1, 2, 3, 4]
        source.withUnsafeBufferPointer { above in
          restored.withUnsafeMutableBufferPointer { row in
            PNGFilters.undo(
              filter, row.baseAddress!, above: above.baseAddress!, count: count,
              pixelBytes: pixelBytes)
          }
        }
        #expect(Array(restored[..<count]) == row, "width \(width), seed \(seed)")
        #expect(Array(restored[count...]) == [201, 202, 203, 204])
      }
    }
  }

  /// IDAT chunks of any size, an empty one among them, are one stream.
  @Test(arguments: [1, 2, 7, 100, 70_000]) func chunksMayBeSplit(size: Int) throws {
    let picture = Pixels.waves(151, 97, .rgb8)
    let bytes = try encode(picture, PNGCodec())
    let split = try Self.split(bytes, size)
    #expect(try decode(split) == picture)
    #expect(try #require(reference(split)) == picture)
    for flipped in stride(from: 60, to: split.count, by: max(1, split.count / 200)) {
      var damaged = split
      damaged[flipped] ^= 0x10
      #expect(throws: PictureError.self, "byte \(flipped)") { try decode(damaged) }
    }
    for end in stride(from: 60, to: split.count - 1, by: max(1, split.count / 100)) {
      #expect(throws: PictureError.self, "end \(end)") { try decode(Array(split[..<end])) }
    }
  }

  /// Cuts the IDAT chunks of a file into others of `size` bytes.
  private static func split(_ bytes: [UInt8], _ size: Int) throws -> [UInt8] {
    var result = Array(bytes[..<8])
    var data: [UInt8] = []
    var offset = 8
    while offset < bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let type = Array(bytes[offset + 4..<offset + 8])
      if type == Array("IDAT".utf8) {
        data += bytes[offset + 8..<offset + 8 + length]
      } else {
        if type == Array("IEND".utf8) {
          result += chunk("IDAT", [])
          for start in stride(from: 0, to: data.count, by: size) {
            result += chunk("IDAT", Array(data[start..<min(data.count, start + size)]))
          }
        }
        result += bytes[offset..<offset + 12 + length]
      }
      offset += 12 + length
    }
    return result
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    var checksum: UInt32 = 0xffff_ffff
    for byte in body {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xedb8_8320 : 0) }
    }
    func number(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    return number(UInt32(data.count)) + body + number(~checksum)
  }
}
