import TestSupport
import Testing

@testable import ImageKernels

/// Pictures whose alpha makes division by it inexact. Their colours are at the ends of the scale, so that errors are
/// visible.
private enum AlphaPattern: CaseIterable {
  /// All levels up to 63, about the limit below which pixels are computed in floating point.
  case faint
  /// Full alpha next to almost none, because the largest errors occur at the smallest alpha.
  case edges
  /// Levels of all sizes.
  case noise
  /// Rows without transparency among others.
  case bands

  func picture(_ width: Int, _ height: Int) -> TestPicture {
    var random = SplitMix(UInt64(width * 1000 + height))
    let pixels = ResamplePixels(bands: 4, bytesPerSample: 1, hasAlpha: true)
    return TestPicture(width, height, pixels) { x, y, band in
      guard band == 3 else {
        return self == .noise ? Int.random(in: 0...255, using: &random) : (x + y + band) % 2 * 255
      }
      switch self {
      case .faint: return (x * 7 + y * 3) % 64
      case .edges: return (x / 4 + y / 5) % 2 == 0 ? 255 : (x + y) % 40
      case .noise: return Int.random(in: 0...255, using: &random)
      case .bands: return y / 30 % 2 == 0 ? 255 : x * 255 / width
      }
    }
  }
}

@Suite("8-bit pixels with alpha") struct PremultipliedTests {
  private static let shapes: [(from: (Int, Int), to: (Int, Int))] = [
    ((61, 47), (20, 15)), ((64, 200), (21, 61)), ((31, 17), (100, 53)), ((300, 40), (37, 9)),
    ((203, 90), (201, 89)), ((1, 40), (1, 13)), ((40, 1), (13, 1)), ((190, 3), (33, 30)),
    ((6_000, 60), (90, 11)), ((50, 150), (50, 20)), ((150, 20), (20, 20)),
  ]

  private func geometry(_ shape: (from: (Int, Int), to: (Int, Int))) -> ResampleGeometry {
    ResampleGeometry(
      sourceWidth: shape.from.0, sourceHeight: shape.from.1, targetWidth: shape.to.0,
      targetHeight: shape.to.1)
  }

  @Test("differ from the definition by at most 1, by all instruction sets alike")
  func agreesWithDefinition() {
    for shape in Self.shapes {
      for pattern in AlphaPattern.allCases {
        let picture = pattern.picture(shape.from.0, shape.from.1)
        for kernel in [ResampleKernel.lanczos3, .linear, .mitchell] {
          let reference = ResampleReference.resample(picture.samples, geometry(shape), picture.pixels, kernel)
          let results = InstructionSet.supported.map {
            let plan = ResamplePlan(geometry(shape), pixels: picture.pixels, kernel: kernel, instructions: $0)
            return ResampleHarness.run(plan, picture, strip: 16)
          }
          let difference = ResampleHarness.difference(results[0], reference.rounded)
          #expect(difference <= 1, "\(pattern) \(shape) \(kernel)")
          for result in results { #expect(result == results[0], "\(pattern) \(shape) \(kernel)") }
        }
      }
    }
  }

  @Test("strips, workers, order and frames do not change a byte")
  func stripsDoNotMatter() {
    for shape in Self.shapes {
      for pattern in AlphaPattern.allCases {
        let picture = pattern.picture(shape.from.0, shape.from.1)
        let plan = ResamplePlan(geometry(shape), pixels: picture.pixels, kernel: .lanczos3)
        let whole = ResampleHarness.run(plan, picture, strip: 1000)
        for strip in [1, 3, 7, 8, 9] {
          let result = ResampleHarness.run(plan, picture, strip: strip, workers: 2)
          #expect(result == whole, "\(pattern) \(shape) \(strip)")
        }
        #expect(ResampleHarness.runFrame(plan, picture, strip: 5) == whole, "\(pattern) \(shape)")
        let backwards = ResampleHarness.runBackwards(plan, picture, rows: 3)
        #expect(backwards == whole, "\(pattern) \(shape)")
      }
    }
  }

  @Test("the error is that of rounding alone: at least 58.8 dB where anything is to be seen")
  func signalToNoise() {
    for shape in [((400, 300), (150, 111)), ((400, 300), (700, 400))] {
      let picture = AlphaPattern.noise.picture(400, 300)
      let reference = ResampleReference.resample(picture.samples, geometry(shape), picture.pixels, .lanczos3)
      let plan = ResamplePlan(geometry(shape), pixels: picture.pixels, kernel: .lanczos3)
      let result = ResampleHarness.run(plan, picture)
      var (squares, count) = (0.0, 0)
      for index in result.indices where index % 4 == 3 || reference.rounded[index | 3] > 0 {
        let difference = Double(result[index]) - reference.exact[index]
        squares += difference * difference
        count += 1
      }
      // 10^5.88: 58.8 dB.
      #expect(255 * 255 / (squares / Double(count)) >= 758_577, "\(shape)")
    }
  }

  @Test(
    "most pixels are made in integers when shrinking",
    arguments: [(20, 15), (40, 30), (61, 47)])
  func leastAlpha(_ to: (Int, Int)) throws {
    let plan = ResamplePlan(
      geometry(((61, 47), to)), pixels: ResamplePixels(bands: 4, bytesPerSample: 1, hasAlpha: true), kernel: .lanczos3)
    let premultiplied = try #require(plan.premultiplied)
    #expect((1...56).contains(premultiplied.leastAlpha))
  }
}
