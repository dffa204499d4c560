import ImageKernels
import Testing

@Suite struct PixelMovesTests {
  static let sizes = [1, 2, 3, 4, 6, 8]

  /// Bytes that differ from pixel to pixel and within pixels.
  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + $0 / 256) }
  }

  @Test(arguments: sizes, [1, 2, 7, 64])
  func reverse(_ size: Int, _ width: Int) {
    let row = bytes(size * width)
    var result = row
    result.withUnsafeMutableBytes {
      PixelMoves.reverse($0.baseAddress!, width: width, pixelBytes: size)
    }
    var expected: [UInt8] = []
    for x in (0..<width).reversed() { expected += row[x * size..<(x + 1) * size] }
    #expect(result == expected)
  }

  /// Transposing and turning by 180 degrees, over sizes around that of a tile.
  @Test(arguments: sizes, [1, 31, 32, 33, 70])
  func gather(_ size: Int, _ width: Int) {
    let height = 35
    let source = bytes(size * width * height)
    func pixel(_ x: Int, _ y: Int) -> ArraySlice<UInt8> {
      let start = (y * width + x) * size
      return source[start..<start + size]
    }
    var transposed = [UInt8](repeating: 0, count: source.count)
    var turned = transposed
    source.withUnsafeBytes { from in
      transposed.withUnsafeMutableBytes {
        PixelMoves.gather(
          from: PixelSteps(first: from.baseAddress!, column: width * size, row: size), to: $0.baseAddress!,
          stride: height * size, width: height, height: width, pixelBytes: size)
      }
      turned.withUnsafeMutableBytes {
        PixelMoves.gather(
          from: PixelSteps(
            first: from.baseAddress! + (width * height - 1) * size, column: -size,
            row: -size * width),
          to: $0.baseAddress!, stride: width * size, width: width, height: height,
          pixelBytes: size)
      }
    }
    var columns: [UInt8] = []
    for x in 0..<width { for y in 0..<height { columns += pixel(x, y) } }
    #expect(transposed == columns)
    var backwards: [UInt8] = []
    for y in (0..<height).reversed() { for x in (0..<width).reversed() { backwards += pixel(x, y) } }
    #expect(turned == backwards)
  }

  @Test(arguments: sizes)
  func fill(_ size: Int) {
    let pixel = bytes(size)
    var result = [UInt8](repeating: 0, count: size * 5)
    result.withUnsafeMutableBytes {
      PixelMoves.fill($0.baseAddress!, with: pixel, count: 5, pixelBytes: size)
    }
    #expect(result == (0..<5).flatMap { _ in pixel })
  }
}
