import ImageKernels
import Testing

@Suite struct IntegerConvolutionTests {
  /// Half kernels: nothing to smooth, a sharp peak, many equal weights, an odd and an even number.
  static let kernels: [[Double]] = [
    [1], [0.98, 0.01], [0.5, 0.2, 0.05], [0.4, 0.15, 0.1, 0.05],
    Array(repeating: 1 / 129.0, count: 65),
  ]

  @Test(arguments: kernels, [(1, 1), (1, 3), (21, 3), (64, 1), (130, 4)])
  func agreesWithTheDefinition(_ half: [Double], _ size: (width: Int, bands: Int)) {
    let (width, bands) = size
    let picture = Self.noise(count: width * bands, rows: 5)
    let radius = half.count - 1
    let expected = (0..<5).map { y in
      (0..<width * bands).map { index in
        var sum = 0.0
        for v in -radius...radius {
          for u in -radius...radius {
            let x = max(0, min(width - 1, index / bands + u))
            let sample = picture[max(0, min(4, y + v))][x * bands + index % bands]
            sum += half[abs(v)] * half[abs(u)] * Double(sample)
          }
        }
        return sum
      }
    }
    for instructions in InstructionSet.supported {
      let kernel = IntegerConvolution(half, instructions: instructions)
      let result = Self.smooth(picture, width: width, bands: bands, kernel)
      for y in 0..<5 {
        for index in 0..<width * bands { #expect(abs(Double(result[y][index]) - expected[y][index]) <= 0.52) }
      }
    }
  }

  @Test(arguments: kernels)
  func flatRowsStayFlatAndAllSetsAgree(_ half: [Double]) {
    let flat = (0..<5).map { _ in [UInt8](repeating: 255, count: 100) }
    let noise = Self.noise(count: 100, rows: 5)
    let results = InstructionSet.supported.map { instructions in
      let kernel = IntegerConvolution(half, instructions: instructions)
      #expect(Self.smooth(flat, width: 50, bands: 2, kernel) == flat)
      return Self.smooth(noise, width: 50, bands: 2, kernel)
    }
    #expect(results.allSatisfy { $0 == results[0] })
  }

  private static func noise(count: Int, rows: Int) -> [[UInt8]] {
    var state: UInt32 = 7
    return (0..<rows).map { _ in
      (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        // Black and white, and what lies between.
        let sample = UInt8(truncatingIfNeeded: state >> 20)
        return state >> 30 == 0 ? 0 : state >> 30 == 1 ? 255 : sample
      }
    }
  }

  /// Rows two at a time, the last alone; beyond the first and the last these go on.
  private static func smooth(_ picture: [[UInt8]], width: Int, bands: Int, _ kernel: IntegerConvolution) -> [[UInt8]] {
    let count = width * bands
    let stride = IntegerConvolution.paddedCount(count)
    var across = [Int16](repeating: 0, count: stride * picture.count)
    var scratch = [Int16](
      repeating: -1, count: kernel.scratchCount(width: width, bands: bands))
    var result = picture.map { _ in [UInt8](repeating: 9, count: count) }
    across.withUnsafeMutableBufferPointer { across in
      let base = across.baseAddress!
      for (y, row) in picture.enumerated() {
        kernel.smoothAcross(row, width: width, bands: bands, scratch: &scratch, into: base + y * stride)
      }
      for y in Swift.stride(from: 0, to: picture.count, by: 2) {
        let hasBelow = y + 1 < picture.count
        var rows = (y - kernel.radius...y + kernel.radius + (hasBelow ? 1 : 0)).map {
          UnsafeRawPointer(base + max(0, min(picture.count - 1, $0)) * stride)
        }
        // A byte more than belongs to the row, which nobody may write.
        var first = [UInt8](repeating: 77, count: count + 1)
        var second = first
        rows.withUnsafeMutableBufferPointer { rows in
          second.withUnsafeMutableBytes { second in
            first.withUnsafeMutableBytes { first in
              kernel.smoothDown(rows, count: count, into: first.baseAddress!, and: hasBelow ? second.baseAddress : nil)
            }
          }
        }
        #expect(first[count] == 77 && second[count] == 77)
        result[y] = Array(first.dropLast())
        if hasBelow { result[y + 1] = Array(second.dropLast()) }
      }
    }
    return result
  }
}
