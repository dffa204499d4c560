import RowCompression
import TestSupport
import Testing

/// Rows in CCITT Group 4, decoded again.
@Suite struct FaxEncoderTests {
  private func encode(_ rows: [[UInt8]], width: Int) -> [UInt8]? {
    var encoder = FaxEncoder(width: width)
    for row in rows { guard row.withUnsafeBytes({ encoder.add($0.baseAddress!) }) else { return nil } }
    encoder.finish()
    return encoder.bytes
  }

  private func decode(_ bytes: [UInt8], width: Int, height: Int) -> [[UInt8]]? {
    bytes.withUnsafeBytes { bytes in
      var decoder = FaxDecoder(bytes, width: width)
      var rows: [[UInt8]] = []
      for _ in 0..<height {
        guard decoder.next() else { return nil }
        var row = [UInt8](repeating: 9, count: width)
        row.withUnsafeMutableBufferPointer { decoder.write(white: 255, black: 0, to: $0.baseAddress!) }
        rows.append(row)
      }
      return decoder.endsWithBlock() ? rows : nil
    }
  }

  /// Rows of random runs; some follow the row before, moved by a few pixels.
  private func rows(width: Int, height: Int, longest: Int, _ random: inout SplitMix) -> [[UInt8]] {
    var rows: [[UInt8]] = []
    for _ in 0..<height {
      if let last = rows.last, random.below(3) > 0 {
        let shift = random.below(9)
        rows.append((0..<width).map { $0 < shift ? 255 : last[$0 - shift] })
        continue
      }
      var row: [UInt8] = []
      var colour: UInt8 = random.below(2) == 0 ? 255 : 0
      while row.count < width {
        row += [UInt8](repeating: colour, count: 1 + random.below(longest))
        colour = ~colour
      }
      rows.append(Array(row.prefix(width)))
    }
    return rows
  }

  @Test(arguments: [1, 2, 3, 7, 8, 9, 15, 64, 65, 1_728, 2_623, 2_624, 6_000])
  func rowsComeBack(_ width: Int) throws {
    var random = SplitMix(UInt64(width))
    for longest in [1, 2, 5, 70, 700, 9_000] {
      let rows = rows(width: width, height: 24, longest: longest, &random)
      let bytes = try #require(encode(rows, width: width))
      #expect(decode(bytes, width: width, height: rows.count) == rows, "runs up to \(longest)")
    }
  }

  @Test func codesAreThoseOfT6() {
    // Vertical 0 in a white row; then horizontal with 4 white and 3 black pixels, vertical 0 to the end; the end.
    let rows: [[UInt8]] = [
      [UInt8](repeating: 255, count: 8), [255, 255, 255, 255, 0, 0, 0, 255],
    ]
    let bits = "1" + "001" + "1011" + "10" + "1" + "000000000001000000000001"
    let bytes = encode(rows, width: 8) ?? []
    let text = bytes.map { byte in String((0..<8).map { byte >> UInt8(7 - $0) & 1 == 1 ? "1" : "0" }) }.joined()
    #expect(text.hasPrefix(bits) && text.dropFirst(bits.count).allSatisfy { $0 == "0" }, "\(text)")
  }

  /// A row with another sample is refused, wherever it stands, and the rows before it can be decoded.
  @Test(arguments: [0, 7, 8, 9, 19])
  func graysAreRefused(_ place: Int) {
    var encoder = FaxEncoder(width: 20)
    let good = [UInt8](repeating: 0, count: 20)
    let isTaken = good.withUnsafeBytes { encoder.add($0.baseAddress!) }
    #expect(isTaken)
    for gray: UInt8 in [1, 127, 128, 254] {
      var row = good
      row[place] = gray
      let isTaken = row.withUnsafeBytes { encoder.add($0.baseAddress!) }
      #expect(!isTaken)
    }
    encoder.flush()
    encoder.bytes.withUnsafeBytes { bytes in
      var decoder = FaxDecoder(bytes, width: 20)
      let isDecoded = decoder.next()
      #expect(isDecoded)
    }
  }
}
