import TestSupport
import Testing

@testable import ImageKernels

/// The loops of an unsharp mask with every instruction set, against double precision.
@Suite struct SharpenKernelsTests {
  /// Widths around a vector; bands of every model, with alpha and without.
  private static let widths = [0, 1, 7, 8, 9, 16, 17, 31, 250]

  private func samples(_ count: Int, _ sampleBytes: Int, seed: Int) -> [UInt8] {
    var random = SplitMix(UInt64(seed))
    return (0..<count * sampleBytes + 6).map { $0 % 9 == 0 ? 255 : $0 % 5 == 0 ? 0 : UInt8(random.below(256)) }
  }

  private func number(_ bytes: [UInt8], _ index: Int, _ sampleBytes: Int) -> Double {
    sampleBytes == 1 ? Double(bytes[index]) : Double(Int(bytes[2 * index]) + 256 * Int(bytes[2 * index + 1]))
  }

  @Test(arguments: [(1, 1), (2, 1), (3, 3), (4, 3), (4, 4), (5, 4)], [1, 2])
  func detail(_ bands: (all: Int, colour: Int), _ sampleBytes: Int) {
    let top = sampleBytes == 1 ? 255.0 : 65_535.0
    for width in Self.widths {
      var random = SplitMix(UInt64(width))
      let luma = (0..<width + 16).map { _ in Float(random.below(1 + Int(top))) }
      // Differences on both sides of the threshold.
      let blurred = luma.map { $0 + Float(random.below(81) - 40) / 2 * Float(top / 255) }
      let (amount, threshold) = (Float(1.25), Float(3 * top / 255))
      let before = samples(width * bands.all, sampleBytes, seed: width)
      for set in InstructionSet.supported {
        var result = before
        result.withUnsafeMutableBytes { row in
          SharpenKernels.add(
            LumaDetail(luma: luma, blurred: blurred, amount: amount, threshold: threshold), to: row.baseAddress!,
            width: width, bands: bands.all, colourBands: bands.colour, sampleBytes: sampleBytes, set)
        }
        for index in 0..<width * bands.all {
          let (x, band) = (index / bands.all, index % bands.all)
          let own = number(before, index, sampleBytes)
          let difference = Double(luma[x]) - Double(blurred[x])
          let kept = max(0, difference - Double(threshold)) + min(0, difference + Double(threshold))
          let exact = min(max(own + Double(amount) * kept, 0), top)
          let expected = band < bands.colour ? exact.rounded(.toNearestOrEven) : own
          #expect(number(result, index, sampleBytes) == expected, "\(set) \(width)x\(bands) \(index)")
        }
        #expect(result.suffix(6) == before.suffix(6))
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5], [1, 2])
  func luma(_ bands: Int, _ sampleBytes: Int) {
    let margin = 3
    for width in Self.widths where width > 0 {
      let row = samples(width * bands, sampleBytes, seed: width)
      let results = InstructionSet.supported.map { set in
        var result = [Float](repeating: -1, count: width + 2 * margin + 2)
        row.withUnsafeBytes {
          ConvolutionKernels.widenLuma(
            $0.baseAddress!, width: width, bands: bands, sampleBytes: sampleBytes, margin: margin, into: &result, set)
        }
        return result
      }
      for result in results { #expect(result == results[0], "\(width)x\(bands)") }
      for x in -margin..<width + margin {
        let first = min(max(x, 0), width - 1) * bands
        func sample(_ band: Int) -> Double { number(row, first + band, sampleBytes) }
        let expected = bands < 3 ? sample(0) : 0.2126 * sample(0) + 0.7152 * sample(1) + 0.0722 * sample(2)
        #expect(abs(Double(results[0][x + margin]) - expected) <= 0.01)
      }
      #expect(results[0].suffix(2) == [-1, -1])
    }
  }
}
