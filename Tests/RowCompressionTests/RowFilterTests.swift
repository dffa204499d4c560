import RowCompression
import Testing

/// Rows are filtered as the specification says, and the filter with the least sum is taken.
@Suite struct RowFilterTests {
  static let names = ["none", "sub", "up", "average", "paeth"]

  /// Straight from the specification, 9.2 to 9.4.
  private static func filtered(_ rows: [[UInt8]], _ y: Int, _ filter: Int, _ step: Int) -> [UInt8] {
    rows[y].indices.map { x in
      let a = x >= step ? Int(rows[y][x - step]) : 0
      let b = y > 0 ? Int(rows[y - 1][x]) : 0
      let c = x >= step && y > 0 ? Int(rows[y - 1][x - step]) : 0
      let p = a + b - c
      let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
      let paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
      return UInt8((Int(rows[y][x]) - [0, a, b, (a + b) / 2, paeth][filter]) & 255)
    }
  }

  private static func sum(_ row: [UInt8]) -> Int {
    row.reduce(0) { $0 + ($1 < 128 ? Int($1) : 256 - Int($1)) }
  }

  @Test(arguments: [1, 2, 3, 4], [1, 2])
  func filtersAreTheSpecifications(_ bands: Int, _ sampleBytes: Int) {
    for width in [1, 5, 67, 300] { check(width, bands, sampleBytes) }
  }

  private func check(_ width: Int, _ bands: Int, _ sampleBytes: Int) {
    var random = FixedRandom(state: UInt64(width))
    // Noise, slopes and repetitions: each filter is best somewhere.
    let rows = (0..<12).map { y in
      (0..<width * bands * sampleBytes).map { x in
        switch y / 3 {
        case 0: UInt8(truncatingIfNeeded: random.next())
        case 1: UInt8(truncatingIfNeeded: 3 * x + 5 * y)
        case 2: UInt8(truncatingIfNeeded: x * x)
        default: UInt8(truncatingIfNeeded: x * 7 + Int(random.next() % 4))
        }
      }
    }
    for name in Self.names + ["adaptive"] {
      var filter = RowFilter(width: width, bands: bands, sampleBytes: sampleBytes, filter: name)
      for y in rows.indices {
        var output = [UInt8](repeating: 0xa5, count: filter.filteredByteCount + 1)
        // Samples of 16 bits come in the machine's order.
        let row = sampleBytes == 1 ? rows[y] : Self.machineOrder(rows[y])
        filter.add(row, into: &output)
        #expect(output.removeLast() == 0xa5)
        let candidates = (0...4).map { Self.filtered(rows, y, $0, bands * sampleBytes) }
        let sums = candidates.map(Self.sum)
        let expected = Self.names.firstIndex(of: name) ?? sums.firstIndex(of: sums.min()!)!
        #expect(output == [UInt8(expected)] + candidates[expected], "\(name), row \(y)")
      }
    }
  }

  private static func machineOrder(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: 2).flatMap { index in
      let sample = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
      return withUnsafeBytes(of: sample) { Array($0) }
    }
  }
}

/// The splitmix64 generator (https://prng.di.unimi.it/splitmix64.c): the same numbers on every run.
struct FixedRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
