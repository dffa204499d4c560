import RowCompression
import TestSupport
import Testing

/// Rows are filtered as the specification says, and the filter with the least sum is taken.
@Suite struct RowFilterTests {
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

  private static func sum(_ row: [UInt8]) -> Int { row.reduce(0) { $0 + ($1 < 128 ? Int($1) : 256 - Int($1)) } }

  @Test(arguments: [1, 2, 3, 4], [1, 2])
  func filtersAreTheSpecifications(_ bands: Int, _ sampleBytes: Int) {
    for width in [1, 5, 67, 300] { check(width, bands, sampleBytes) }
  }

  private func check(_ width: Int, _ bands: Int, _ sampleBytes: Int) {
    var random = SplitMix(UInt64(width))
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
    let bytes = rows.flatMap { sampleBytes == 1 ? $0 : Self.machineOrder($0) }
    let stride = width * bands * sampleBytes
    for kind in RowFilter.Kind.allCases.map(Optional.some) + [nil] {
      let all = RowFilter.Bands(width: width, sampleBytes: sampleBytes, bands: 0..<bands, of: bands)
      let filter = RowFilter(all, kind: kind)
      let size = filter.filteredByteCount
      var output = [UInt8](repeating: 0xa5, count: size * rows.count + 1)
      // In two parts, as two workers do it.
      bytes.withUnsafeBytes { bytes in
        let base = bytes.baseAddress!
        output.withUnsafeMutableBufferPointer { output in
          filter.filter(
            7, from: base + 5 * stride, stride: stride, above: base + 4 * stride,
            into: output.baseAddress! + 5 * size)
          filter.filter(5, from: base, stride: stride, above: nil, into: output.baseAddress!)
        }
      }
      #expect(output.removeLast() == 0xa5)
      for y in rows.indices {
        let candidates = (0...4).map { Self.filtered(rows, y, $0, bands * sampleBytes) }
        let sums = candidates.map(Self.sum)
        let expected = kind.map { Int($0.rawValue) } ?? sums.firstIndex(of: sums.min()!)!
        let isEqual = Array(output[(y * size)..<((y + 1) * size)]) == [UInt8(expected)] + candidates[expected]
        #expect(isEqual, "\(String(describing: kind)), width \(width), row \(y)")
      }
    }
  }

  /// Some of a pixel's bands are filtered like a picture that has no others.
  @Test(arguments: [1, 2])
  func bandsAreTakenOut(_ sampleBytes: Int) {
    var random = SplitMix(7)
    let width = 33
    let pixels = (0..<width * 4 * 5).map { _ in
      (0..<sampleBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
    for bands in [0..<3, 3..<4, 1..<3] {
      let taken = pixels.indices.filter { bands.contains($0 % 4) }.flatMap { pixels[$0] }
      let some = RowFilter(RowFilter.Bands(width: width, sampleBytes: sampleBytes, bands: bands, of: 4))
      let alone = RowFilter(
        RowFilter.Bands(width: width, sampleBytes: sampleBytes, bands: 0..<bands.count, of: bands.count))
      var (output, expected) = (
        [UInt8](repeating: 0, count: 5 * some.filteredByteCount),
        [UInt8](repeating: 1, count: 5 * alone.filteredByteCount)
      )
      some.filter(5, from: pixels.flatMap { $0 }, stride: width * 4 * sampleBytes, above: nil, into: &output)
      alone.filter(5, from: taken, stride: width * bands.count * sampleBytes, above: nil, into: &expected)
      #expect(output == expected, "\(bands)")
    }
  }

  private static func machineOrder(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: 2).flatMap { index in
      let sample = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
      return withUnsafeBytes(of: sample) { Array($0) }
    }
  }
}
