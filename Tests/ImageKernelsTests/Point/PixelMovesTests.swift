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
    let expected = (0..<width).reversed().flatMap { row[$0 * size..<($0 + 1) * size] }
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
    #expect(transposed == (0..<width).flatMap { y in (0..<height).flatMap { pixel(y, $0) } })
    #expect(
      turned
        == (0..<height).flatMap { y in
          (0..<width).flatMap { pixel(width - 1 - $0, height - 1 - y) }
        })
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
