import Foundation
import TestSupport
import Testing

@testable import ImageKernels

/// Changes in L\*a\*b\* with every instruction set, against plain loops and against double precision.
@Suite struct LabKernelTests {
  private static let changes = [
    (scale: 1.0, shift: 0.0, chroma: 1.0, hue: 0.0), (1.1, 0, 1.5, 120), (0.7, 20, 0.3, -33), (1, -40, 4, 0),
  ]

  private func transform(_ change: (scale: Double, shift: Double, chroma: Double, hue: Double)) -> LabTransform {
    LabTransform(
      scale: change.scale, shift: change.shift, cosine: cos(change.hue * .pi / 180) * change.chroma,
      sine: sin(change.hue * .pi / 180) * change.chroma)
  }

  private func row(_ count: Int, seed: Int) -> [UInt8] {
    var random = SplitMix(UInt64(seed))
    // Dark colours and the ends, too: the curves are straight there.
    return (0..<count).map { $0 % 11 == 0 ? 255 : $0 % 7 == 0 ? 0 : UInt8(random.below($0 % 3 == 0 ? 20 : 256)) }
  }

  private func changed(
    _ row: [UInt8], _ change: LabTransform, _ width: Int, _ bands: Int, _ sampleBytes: Int, _ set: InstructionSet
  ) -> [UInt8] {
    var result = row
    result.withUnsafeMutableBytes {
      ColourKernels.transform(
        $0.baseAddress!, width: width, sampleBytes: sampleBytes, hasAlpha: bands == 4, by: change, set)
    }
    return result
  }

  /// Rows of every length around a vector, with bytes after them that must stay.
  @Test(arguments: [3, 4], [1, 2])
  func instructionSets(_ bands: Int, _ sampleBytes: Int) {
    for change in Self.changes {
      for width in [0, 1, 7, 8, 9, 15, 16, 17, 24, 403] {
        let bytes = row(width * bands * sampleBytes + 5, seed: width)
        let expected = changed(bytes, transform(change), width, bands, sampleBytes, .portable)
        for set in InstructionSet.supported {
          let result = changed(bytes, transform(change), width, bands, sampleBytes, set)
          #expect(result == expected, "\(set) \(change) \(width)x\(bands)")
          #expect(result.suffix(5) == bytes.suffix(5))
        }
      }
    }
  }

  @Test(arguments: InstructionSet.supported)
  func accuracy(_ set: InstructionSet) {
    for change in Self.changes {
      let width = 2000
      let bytes = row(width * 3, seed: 5)
      let result = changed(bytes, transform(change), width, 3, 1, set)
      var worst = 0.0
      for x in 0..<width {
        let pixel = (0..<3).map { Double(bytes[3 * x + $0]) / 255 }
        let expected = Self.reference(pixel, change)
        for band in 0..<3 { worst = max(worst, abs(Double(result[3 * x + band]) - expected[band] * 255)) }
      }
      // Half a level of rounding, and what steep curves make of floats.
      #expect(worst < 0.52, "\(set) \(change) \(worst)")
    }
  }

  /// CIE 15:2004, section 8.2.1, with the matrices of IEC 61966-2-1.
  private static func reference(
    _ pixel: [Double], _ change: (scale: Double, shift: Double, chroma: Double, hue: Double)
  ) -> [Double] {
    func compress(_ t: Double) -> Double { t > 216.0 / 24_389 ? cbrt(t) : t * (841.0 / 108) + 4.0 / 29 }
    func expand(_ f: Double) -> Double { f > 6.0 / 29 ? f * f * f : (f - 4.0 / 29) * (108.0 / 841) }
    let light = pixel.map(SRGBTransfer.decode)
    let fx = compress((0.4124 * light[0] + 0.3576 * light[1] + 0.1805 * light[2]) / 0.9505)
    let fy = compress(0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2])
    let fz = compress((0.0193 * light[0] + 0.1192 * light[1] + 0.9505 * light[2]) / 1.089)
    let lightness = (116 * fy - 16) * change.scale + change.shift
    let (a, b) = (500 * (fx - fy), 200 * (fy - fz))
    let (sine, cosine) = (sin(change.hue * .pi / 180) * change.chroma, cos(change.hue * .pi / 180) * change.chroma)
    let (newA, newB) = (a * cosine - b * sine, a * sine + b * cosine)
    let f = (lightness + 16) / 116
    let (x, y, z) = (expand(f + newA / 500), expand(f), expand(f - newB / 200))
    let result = [
      3.0802145162 * x - 1.5372079722 * y - 0.5430065440 * z, -0.9209686444 * x + 1.8757560609 * y + 0.0452125835 * z,
      0.0529524695 * x - 0.2040210506 * y + 1.1510685811 * z,
    ]
    return result.map { SRGBTransfer.encode(min(max($0, 0), 1)) }
  }
}
