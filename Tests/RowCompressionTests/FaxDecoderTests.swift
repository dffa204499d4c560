import RowCompression
import TestSupport
import Testing

/// Rows of CCITT Group 4, written out by hand from T.6. Real files are decoded in EndToEndTests and compared with libtiff.
@Suite struct FaxDecoderTests {
  /// - Parameter bits: codes, with spaces between them; zeros follow up to a whole byte.
  private func decode(_ bits: String, width: Int, height: Int) -> (rows: [String], endsWithBlock: Bool) {
    let digits = Array(bits.filter { $0 != " " })
    let bytes = stride(from: 0, to: digits.count, by: 8).map { start in
      (start..<start + 8).reduce(UInt8(0)) { byte, index -> UInt8 in
        let isSet = index < digits.count && digits[index] == "1"
        return byte << 1 | (isSet ? 1 : 0)
      }
    }
    return bytes.withUnsafeBytes { bytes in
      var decoder = FaxDecoder(bytes, width: width)
      var rows: [String] = []
      while rows.count < height, decoder.next() {
        var row = [UInt8](repeating: 0, count: width)
        row.withUnsafeMutableBufferPointer {
          decoder.write(white: UInt8(ascii: "."), black: UInt8(ascii: "#"), to: $0.baseAddress!)
        }
        rows.append(String(decoding: row, as: UTF8.self))
      }
      return (rows, rows.count == height && decoder.endsWithBlock())
    }
  }

  private static let end = " 000000000001 000000000001"

  static let cases: [(name: String, bits: String, width: Int, rows: [String])] = [
    ("white rows", "1 1", 5, [".....", "....."]),
    ("a run of each colour", "001 1011 10 1 1 1 1", 8, ["....###.", "....###."]),
    ("black from the first column", "001 00110101 11 1", 5, ["##..."]),
    ("all black", "001 00110101 0011", 5, ["#####"]),
    ("moved to both sides", "001 1011 10 1 011 1 1 000010 1 1", 8, ["....###.", ".....##.", "...####."]),
    ("passed over", "001 1011 10 1 0001 1", 8, ["....###.", "........"]),
    ("a second pair of runs", "001 0111 11 001 0111 11 1", 9, ["..##..##."]),
    (
      "long runs", "001 11011 00110101 0000001111 0000110111 1", 130,
      [
        String(repeating: ".", count: 64) + String(repeating: "#", count: 64) + ".."
      ]
    ),
  ]

  @Test func emptyDataHasNoRow() {
    #expect(decode("", width: 5, height: 1).rows.isEmpty)
    #expect(decode(Self.end, width: 5, height: 1).rows.isEmpty)
  }

  @Test(arguments: cases)
  func rowsAreDecoded(_ name: String, _ bits: String, _ width: Int, _ rows: [String]) {
    let result = decode(bits + Self.end, width: width, height: rows.count)
    #expect(result.rows == rows, "\(name)")
    #expect(result.endsWithBlock, "\(name)")
    #expect(!decode(bits + " 1111", width: width, height: rows.count).endsWithBlock)
  }

  static let damage: [(name: String, bits: String)] = [
    ("a run beyond the row", "001 10011 11"), ("no code of a run", "001 00000000"), ("no mode", "0000000 1"),
    ("the uncompressed mode", "0000001111"), ("a row without an end", "001 1011 10"),
  ]

  @Test(arguments: damage) func damageIsFound(_ name: String, _ bits: String) {
    #expect(decode(bits, width: 5, height: 1).rows.isEmpty, "\(name)")
  }

  /// Any bytes give rows or an end, and rows are never wider than stated.
  @Test func noiseDoesNoHarm() {
    var random = SplitMix(6)
    for width in [1, 2, 63, 64, 1_728] {
      for _ in 0..<200 {
        let bytes = (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        bytes.withUnsafeBytes { bytes in
          var decoder = FaxDecoder(bytes, width: width)
          var row = [UInt8](repeating: 7, count: width + 1)
          var count = 0
          while count < 1_000, decoder.next() {
            row.withUnsafeMutableBufferPointer { decoder.write(white: 0, black: 1, to: $0.baseAddress!) }
            count += 1
          }
          #expect(row[width] == 7 && count < 1_000)
        }
      }
    }
  }
}
