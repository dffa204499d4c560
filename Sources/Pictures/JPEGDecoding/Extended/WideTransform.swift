/// The inverse DCT of 12-bit samples: libjpeg's `jidctint.c`, `jpeg_idct_islow`, with its constants for 12
/// bits (C. Loeffler, A. Ligtenberg and G. Moschytz, "Practical fast 1-D DCT algorithms with 11
/// multiplications", ICASSP 1989).
enum WideTransform {
  typealias Row = SIMD8<Int32>

  /// The largest sample.
  static let peak = 4095

  /// Transforms a block.
  ///
  /// - Parameters:
  ///   - values: 64 coefficients in rows, from `block` on.
  ///   - steps: the quantisation table: 64 elements in rows.
  ///   - samples: receives 8 rows of 8 samples from `place` on, `stride` apart.
  static func inverse(
    _ values: [Int16], _ block: Int, _ steps: [UInt16], _ samples: inout [UInt16], _ place: Int, _ stride: Int
  ) {
    guard (1..<64).contains(where: { values[block + $0] != 0 }) else {
      let level = (Int32(values[block]) &* Int32(steps[0]) &+ 4) &>> 3
      let sample = UInt16(truncatingIfNeeded: min(max(level &+ 2048, 0), Int32(peak)))
      for y in 0..<8 { for x in 0..<8 { samples[place + y * stride + x] = sample } }
      return
    }
    var rows = [Row](repeating: Row(), count: 8)
    for y in 0..<8 {
      for x in 0..<8 { rows[y][x] = Int32(values[block + 8 * y + x]) &* Int32(steps[8 * y + x]) }
    }
    rows = transposed(pass(transposed(pass(rows, 12)), 17))
    for y in 0..<8 {
      let row = (rows[y] &+ 2048).clamped(lowerBound: Row(), upperBound: Row(repeating: Int32(peak)))
      for x in 0..<8 { samples[place + y * stride + x] = UInt16(truncatingIfNeeded: row[x]) }
    }
  }

  /// One dimension, for eight columns at once. Damaged coefficients may wrap around.
  private static func pass(_ x: [Row], _ shift: Int32) -> [Row] {
    let e2 = x[2] &* 4433 &+ x[6] &* (4433 - 15137)
    let e3 = x[2] &* (4433 + 6270) &+ x[6] &* 4433
    let e0 = (x[0] &+ x[4]) &<< 13
    let e1 = (x[0] &- x[4]) &<< 13
    let s3 = x[7] &+ x[3]
    let s4 = x[5] &+ x[1]
    let z3 = s3 &* (9633 - 16069) &+ s4 &* 9633
    let z4 = s3 &* 9633 &+ s4 &* (9633 - 3196)
    let o0 = x[7] &* (2446 - 7373) &+ x[1] &* -7373 &+ z3
    let o3 = x[7] &* -7373 &+ x[1] &* (12299 - 7373) &+ z4
    let o1 = x[5] &* (16819 - 20995) &+ x[3] &* -20995 &+ z4
    let o2 = x[5] &* -20995 &+ x[3] &* (25172 - 20995) &+ z3
    let sums = [
      e0 &+ e3 &+ o3, e1 &+ e2 &+ o2, e1 &- e2 &+ o1, e0 &- e3 &+ o0,
      e0 &- e3 &- o0, e1 &- e2 &- o1, e1 &+ e2 &- o2, e0 &+ e3 &- o3,
    ]
    return sums.map { ($0 &+ (1 &<< (shift &- 1))) &>> Row(repeating: shift) }
  }

  private static func transposed(_ rows: [Row]) -> [Row] {
    (0..<8).map { x in
      var row = Row()
      for y in 0..<8 { row[y] = rows[y][x] }
      return row
    }
  }
}

extension SIMD8<Int32> {
  fileprivate static func &* (row: Self, factor: Int32) -> Self { row &* Self(repeating: factor) }
  fileprivate static func &+ (row: Self, term: Int32) -> Self { row &+ Self(repeating: term) }
  fileprivate static func &<< (row: Self, count: Int32) -> Self { row &<< Self(repeating: count) }
}
