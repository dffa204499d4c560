import ImageCore
import Testing

@Suite struct PixelFingerprintTests {
  private func fingerprint(_ layout: PictureLayout, _ bytes: [UInt8]) throws -> PixelFingerprint {
    var accumulator = PixelFingerprint.Accumulator(layout)
    bytes.withUnsafeBytes {
      accumulator.add(layout.height, from: $0.baseAddress!, stride: layout.rowByteCount)
    }
    return try #require(accumulator.finish())
  }

  static let sizes = [(1, 1), (5, 3), (31, 33), (32, 32), (64, 96), (100, 75), (257, 31)]

  /// Each cell is the average of its pixels, or its nearest pixel where there are fewer.
  @Test(arguments: PixelFingerprintTests.sizes) func cellsAreAverages(width: Int, height: Int)
    throws
  {
    let layout = PictureLayout(width: width, height: height, format: .gray8)
    let bytes = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 * $0 / 7 + $0) }
    let cells = try fingerprint(layout, bytes).cells
    for y in 0..<32 {
      for x in 0..<32 {
        let columns = x * width / 32..<max(x * width / 32 + 1, (x + 1) * width / 32)
        let rows = y * height / 32..<max(y * height / 32 + 1, (y + 1) * height / 32)
        var sum = 0
        for row in rows { for column in columns { sum += Int(bytes[row * width + column]) } }
        let count = rows.count * columns.count
        #expect(Int(cells[(y * 32 + x) * 3 + 1]) == (sum + count / 2) / count)
      }
    }
  }

  @Test func alphaIsOverWhite() throws {
    let layout = PictureLayout(width: 2, height: 1, format: .rgba8)
    let cells = try fingerprint(layout, [200, 100, 0, 0, 200, 100, 0, 255]).cells
    #expect(Array(cells[..<3]) == [255, 255, 255])
    #expect(Array(cells[93..<96]) == [200, 100, 0])
  }

  @Test func unfinishedGivesNothing() {
    let layout = PictureLayout(width: 2, height: 2, format: .gray8)
    #expect(PixelFingerprint.Accumulator(layout).finish() == nil)
  }
}
