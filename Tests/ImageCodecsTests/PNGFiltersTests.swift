import ImageCore
import TestSupport
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

  /// The rows' bytes, undone one after the other.
  private static func plain(_ filtered: [UInt8], _ above: [UInt8], _ count: Int, _ step: Int) -> [[UInt8]] {
    let stored = above.count + 1
    var rows: [[UInt8]] = []
    for row in 0..<count {
      let up = rows.last ?? above
      var bytes = Array(filtered[row * stored + 1..<(row + 1) * stored])
      for index in bytes.indices {
        let isFirst = index < step
        bytes[index] &+= UInt8(
          predicted(
            filtered[row * stored], isFirst ? 0 : Int(bytes[index - step]), Int(up[index]),
            isFirst ? 0 : Int(up[index - step])))
      }
      rows.append(bytes)
    }
    return rows
  }

  /// All filters, alone and mixed, in as many rows as are done together and in more.
  @Test(
    arguments: [[0], [1], [2], [3], [4], [3, 4], [4, 4, 4, 1], [0, 1, 2, 3, 4]],
    isWhole ? [1, 2, 3, 4, 6, 8] : [3, 8])
  func rowsAreRestored(filters: [Int], step: Int) {
    for width in [1, 2, 3, 5, 7, 8, 9, 16, 17, 60] {
      for count in [1, 2, 3, 4, 5, 7, 8, 9, 12, 17] {
        let bytes = width * step
        let coarse = (width + count) % 2 == 0
        let above = Self.noise(bytes, UInt32(width), coarse: coarse)
        var filtered = Self.noise(count * (bytes + 1), UInt32(count), coarse: coarse)
        for row in 0..<count { filtered[row * (bytes + 1)] = UInt8(filters[row % filters.count]) }
        let expected = Self.plain(filtered, above, count, step)
        let stride = bytes + width % 3
        var rows = [UInt8](repeating: 201, count: count * stride + 8)
        let slack = [UInt8](repeating: 7, count: PNGFilters.slack)
        #expect(
          PNGFilters.undo(
            count, filtered + slack, above: above + slack, into: &rows, stride: stride,
            byteCount: bytes, step: step))
        for row in 0..<count {
          #expect(
            Array(rows[row * stride..<row * stride + bytes]) == expected[row],
            "width \(width), row \(row) of \(count)")
        }
        // Bytes after the last row stay as they are.
        #expect(rows[((count - 1) * stride + bytes)...].allSatisfy { $0 == 201 })
      }
    }
  }

  @Test func unknownFiltersAreTold() {
    for place in 0..<9 {
      var filtered = [UInt8](repeating: 4, count: 9 * 31 + PNGFilters.slack)
      filtered[place * 31] = 5
      let above = [UInt8](repeating: 0, count: 30 + PNGFilters.slack)
      var rows = [UInt8](repeating: 0, count: 9 * 30)
      #expect(
        !PNGFilters.undo(
          9, filtered, above: above, into: &rows, stride: 30, byteCount: 30, step: 3))
    }
  }

  /// IDAT chunks of any size, an empty one among them, are one stream.
  @Test(.thorough, arguments: [1, 2, 7, 100, 70_000]) func chunksMayBeSplit(size: Int) throws {
    let picture = Pixels.waves(151, 97, .rgb8)
    let bytes = try encode(picture, PNGCodec())
    let split = try Self.split(bytes, size)
    #expect(try decode(split) == picture)
    #expect(try #require(reference(split)) == picture)
    for flipped in stride(from: 60, to: split.count, by: max(1, split.count / rounds(200))) {
      var damaged = split
      damaged[flipped] ^= 0x10
      #expect(throws: PictureError.self, "byte \(flipped)") { try decode(damaged) }
    }
    for end in stride(from: 60, to: split.count - 1, by: max(1, split.count / rounds(100))) {
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
          result += PNGBuilder.chunk("IDAT", [])
          for start in stride(from: 0, to: data.count, by: size) {
            result += PNGBuilder.chunk("IDAT", Array(data[start..<min(data.count, start + size)]))
          }
        }
        result += bytes[offset..<offset + 12 + length]
      }
      offset += 12 + length
    }
    return result
  }
}
