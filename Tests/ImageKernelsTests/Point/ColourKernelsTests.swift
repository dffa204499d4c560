import ImageKernels
import Testing

@Suite struct ColourKernelsTests {
  private func transform(_ pixels: [UInt8], _ change: LabTransform) -> [UInt8] {
    var result = pixels
    result.withUnsafeMutableBytes {
      ColourKernels.transform($0.baseAddress!, width: pixels.count / 3, sampleBytes: 1, hasAlpha: false, by: change)
    }
    return result
  }

  /// There and back again over a grid of all colours.
  @Test func changingNothingKeepsEveryColour() {
    let steps = stride(from: 0, through: 255, by: 15).map { UInt8($0) }
    let pixels = steps.flatMap { red in
      steps.flatMap { green in steps.flatMap { blue in [red, green, blue] } }
    }
    #expect(transform(pixels, LabTransform(scale: 1, shift: 0)) == pixels)
  }

  @Test func withoutChromaColoursAreNeutral() {
    let pixels = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 83) }
    let result = transform(pixels, LabTransform(scale: 1, shift: 0, cosine: 0))
    for x in 0..<100 { #expect(result[3 * x] == result[3 * x + 1] && result[3 * x] == result[3 * x + 2]) }
  }

  @Test func lightnessRunsFromTheFirstBinToTheLast() {
    let bins = 101
    var counts = [Int](repeating: 0, count: bins)
    let row: [UInt8] = [0, 0, 0, 255, 255, 255, 119, 119, 119, 119, 119, 119]
    ColourKernels.countLightness(row, width: 4, bands: 3, sampleBytes: 1, into: &counts, bins: bins)
    // sRGB 119 is L* 50.03.
    #expect(counts[0] == 1 && counts[100] == 1 && counts[50] == 2)
  }
}
