import Foundation
import TestSupport
import Testing

@testable import ImageKernels

@Suite struct ToneKernelsTests {
  /// The whole mapping in double precision, written anew from BT.2100 and BT.2390.
  private struct Reference {
    let transfer: HDRTransfer
    let matrix: [Double]
    let luminance: [Double]
    var peak = 1000.0

    private static func pq(_ value: Double) -> Double {
      let root = pow(value, 1 / 78.84375)
      return 10_000 * pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
    }

    private static func pqInverse(_ light: Double) -> Double {
      let root = pow(light / 10_000, 0.1593017578125)
      return pow((0.8359375 + 18.8515625 * root) / (1 + 18.6875 * root), 78.84375)
    }

    private func light(_ value: Double) -> Double {
      if transfer == .pq { return Self.pq(value) }
      return value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    /// The light of a screen of 203 cd/m², as a part of that.
    private func bent(_ light: Double) -> Double {
      guard light < peak else { return 1 }
      let brightest = Self.pqInverse(peak)
      let (e1, most) = (Self.pqInverse(light) / brightest, Self.pqInverse(203) / brightest)
      let knee = 1.5 * most - 0.5
      guard e1 >= knee else { return light / 203 }
      let t = (e1 - knee) / (1 - knee)
      let e2 =
        (2 * pow(t, 3) - 3 * pow(t, 2) + 1) * knee + (pow(t, 3) - 2 * pow(t, 2) + t) * (1 - knee)
        + (-2 * pow(t, 3) + 3 * pow(t, 2)) * most
      return Self.pq(e2 * brightest) / 203
    }

    /// The encoded result, from 0 to 1.
    func convert(_ pixel: [Double]) -> [Double] {
      let source = pixel.map(light)
      var light = (0..<3).map { row -> Double in
        let weights = matrix[3 * row..<3 * row + 3]
        return max(0, zip(weights, source).reduce(0) { sum, pair in sum + pair.0 * pair.1 })
      }
      if transfer == .hlg {
        let scene = zip(luminance, source).reduce(0) { sum, pair in sum + pair.0 * pair.1 }
        light = light.map { scene == 0 ? 0 : $0 * 1000 * pow(scene, 0.2) }
      }
      let largest = light.max()!
      guard largest > 0 else { return [0, 0, 0] }
      return light.map { SRGBTransfer.encode(min($0 / largest * bent(largest), 1)) }
    }
  }

  /// BT.2020 to Display P3 with white of D65, from colour-science.
  private static let wide = [
    1.34357825, -0.28217967, -0.06139858, -0.06529745, 1.07578792, -0.01049046, 0.00282179, -0.01959849, 1.01677671,
  ]
  private static let luminance = [0.2627, 0.678, 0.0593]

  private func check<Sample: FixedWidthInteger>(
    _ transfer: HDRTransfer, _: Sample.Type, _ bands: Int, peak: Double = 1000, within tolerance: Double
  ) {
    let reference = Reference(transfer: transfer, matrix: Self.wide, luminance: Self.luminance, peak: peak)
    let mapping = ToneKernels.Mapping(transfer, matrix: Self.wide, luminance: Self.luminance, peak: peak)
    var random = SplitMix(11)
    let (width, top) = (4000, Double(Sample.max))
    // Dark, bright and nearly gray pixels, and all kinds of others.
    var row = (0..<width * bands).map { index -> Sample in
      let value = Double(Sample(truncatingIfNeeded: random.next())) / top
      let pixel = index / bands
      switch pixel % 4 {
      case 0: return Sample(value * top)
      case 1: return Sample(value * value * value * top)
      case 2: return Sample((Double(pixel) / Double(width) * 0.99 + value * 0.01) * top)
      default: return Sample((1 - value * value) * top)
      }
    }
    for band in 0..<bands { (row[band], row[bands + band]) = (0, Sample.max) }
    let before = row
    row.withUnsafeMutableBytes {
      ToneKernels.convert(
        $0.baseAddress!, width: width, bands: bands, sampleBytes: MemoryLayout<Sample>.size, by: mapping)
    }
    let colours = bands < 3 ? 1 : 3
    var worst = 0.0
    for x in 0..<width {
      let pixel = (0..<3).map { Double(before[x * bands + min($0, colours - 1)]) / top }
      let expected = reference.convert(pixel)
      for band in 0..<colours { worst = max(worst, abs(Double(row[x * bands + band]) - expected[band] * top)) }
      if bands % 2 == 0 { #expect(row[x * bands + bands - 1] == before[x * bands + bands - 1]) }
    }
    #expect(worst <= tolerance, "\(transfer) \(bands) \(peak): \(worst)")
  }

  @Test(arguments: HDRTransfer.allCases, [1, 2, 3, 4])
  func reference(_ transfer: HDRTransfer, _ bands: Int) {
    check(transfer, UInt8.self, bands, within: 0.51)
    check(transfer, UInt16.self, bands, within: 3)
  }

  @Test(arguments: [203.0, 210, 400, 4000, 9999])
  func peaks(_ peak: Double) {
    check(.pq, UInt8.self, 3, peak: peak, within: 0.51)
    check(.pq, UInt16.self, 1, peak: peak, within: 3)
    check(.pq, UInt16.self, 4, peak: peak, within: 3)
  }

  @Test func statedPeaks() {
    for (stated, expected) in [(0.0, 1000.0), (0.5, 1000), (100, 203), (400, 400), (4000.4, 4000), (10_000, 1000)] {
      #expect(HDRTransfer.pq.peak(stated: stated) == expected)
      #expect(HDRTransfer.hlg.peak(stated: stated) == 1000)
    }
  }

  /// Codes of known light: black, HDR reference white, the peak, and more than that.
  @Test func knownLevels() {
    let identity = [1.0, 0, 0, 0, 1, 0, 0, 0, 1]
    for (transfer, levels) in [
      (HDRTransfer.pq, [(0.0, 0.0), (0.5806889, 229.0), (0.7518271, 255), (1, 255)]),
      (HDRTransfer.hlg, [(0.0, 0.0), (0.75, 229.0), (1, 255)]),
    ] {
      let mapping = ToneKernels.Mapping(transfer, matrix: identity, luminance: Self.luminance)
      for (value, expected) in levels {
        var pixel = [UInt16](repeating: UInt16((value * 65_535).rounded()), count: 3)
        pixel.withUnsafeMutableBytes {
          ToneKernels.convert($0.baseAddress!, width: 1, bands: 3, sampleBytes: 2, by: mapping)
        }
        #expect(pixel.allSatisfy { abs(Double($0) / 257 - expected) < 0.3 }, "\(transfer) \(value): \(pixel)")
      }
    }
  }

  /// Brighter input never becomes darker.
  @Test(arguments: HDRTransfer.allCases)
  func monotonic(_ transfer: HDRTransfer) {
    let mapping = ToneKernels.Mapping(transfer, matrix: Self.wide, luminance: Self.luminance)
    var row = (0...UInt16.max).map { $0 }
    row.withUnsafeMutableBytes {
      ToneKernels.convert($0.baseAddress!, width: 65_536, bands: 1, sampleBytes: 2, by: mapping)
    }
    #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(row.first == 0 && row.last == .max)
  }

  /// Mappings with every instruction set are those of plain loops. Rows end where their memory ends.
  @Test(arguments: HDRTransfer.allCases, [1, 2])
  func instructionSets(_ transfer: HDRTransfer, _ sampleBytes: Int) {
    let mapping = ToneKernels.Mapping(transfer, matrix: Self.wide, luminance: Self.luminance)
    var random = SplitMix(13)
    for bands in 1...4 {
      for width in [1, 2, 3, 5, 4000] {
        let source = (0..<width * bands * sampleBytes).map { index in
          // Dark light and extremes, too.
          index % 5 == 0 ? UInt8(255) : index % 7 < 2 ? 0 : UInt8(truncatingIfNeeded: random.next())
        }
        let results = InstructionSet.supported.map { instructions in
          var row = source
          row.withUnsafeMutableBytes {
            ToneKernels.convert(
              $0.baseAddress!, width: width, bands: bands, sampleBytes: sampleBytes, by: mapping, instructions)
          }
          return row
        }
        for result in results.dropFirst() { #expect(result == results[0], "\(bands) \(width)") }
      }
    }
  }
}
