import ImageKernels
import TestSupport
import Testing

/// One row of the tables below.
struct ResampleCase: CustomTestStringConvertible, Sendable {
  let name: String
  let from: (Int, Int)
  let to: (Int, Int)
  /// left, top, width, height; nil for all of the source.
  var box: (Double, Double, Double, Double)?
  var testDescription: String { name }

  func geometry() -> ResampleGeometry {
    ResampleGeometry(
      sourceWidth: from.0, sourceHeight: from.1,
      box: box.map { ResampleBox(left: $0.0, top: $0.1, width: $0.2, height: $0.3) },
      targetWidth: to.0, targetHeight: to.1)
  }
}

let resampleCases: [ResampleCase] = [
  ResampleCase(name: "a third", from: (100, 75), to: (30, 22)),
  ResampleCase(name: "odd sizes down", from: (97, 61), to: (41, 29)),
  ResampleCase(name: "odd sizes up", from: (31, 17), to: (83, 59)),
  ResampleCase(name: "same size", from: (37, 23), to: (37, 23)),
  ResampleCase(name: "across only", from: (90, 23), to: (37, 23)),
  ResampleCase(name: "three times up, rows aligned", from: (20, 31), to: (37, 93)),
  ResampleCase(name: "one pixel in", from: (1, 1), to: (13, 9)),
  ResampleCase(name: "one pixel out", from: (67, 43), to: (1, 1)),
  ResampleCase(name: "one column", from: (1, 90), to: (1, 31)),
  ResampleCase(name: "one row", from: (90, 1), to: (31, 3)),
  ResampleCase(name: "wide to tall", from: (120, 8), to: (9, 70)),
  ResampleCase(name: "extreme down", from: (40, 1500), to: (5, 6)),
  ResampleCase(name: "extreme down across", from: (1500, 20), to: (4, 5)),
  ResampleCase(name: "extreme up", from: (3, 2), to: (300, 150)),
  ResampleCase(
    name: "a fractional part", from: (90, 70), to: (33, 21), box: (10.3, 7.7, 61.4, 40.9)),
  ResampleCase(name: "less than a pixel", from: (9, 9), to: (20, 20), box: (4.2, 3.9, 0.7, 0.4)),
  ResampleCase(name: "bottom right part", from: (64, 64), to: (16, 24), box: (40, 33, 24, 31)),
]

enum Pattern: String, CaseIterable, Sendable {
  case noise, checkerboard, gradient, white
  case transparentEdges = "transparent edges"

  func picture(_ size: (Int, Int), _ pixels: ResamplePixels) -> TestPicture {
    var random = SplitMix(42)
    let top = pixels.bytesPerSample == 1 ? 255 : 65_535
    return TestPicture(size.0, size.1, pixels) { x, y, band in
      let isAlpha = pixels.hasAlpha && band == pixels.bands - 1
      switch self {
      case .noise: return Int.random(in: 0...top, using: &random)
      case .checkerboard: return isAlpha ? top : (x + y) % 2 * top
      case .gradient: return isAlpha ? top : (x * 3 + y * 2 + band * 40) * top / 255 % (top + 1)
      case .white: return top
      case .transparentEdges:
        let level = (x / 5 + y / 3) % 3
        return isAlpha ? [0, 1, top][level] : Int.random(in: 0...top, using: &random)
      }
    }
  }
}

let layouts: [ResamplePixels] = [1, 2].flatMap { bytes in
  [(1, false), (2, true), (3, false), (4, true), (4, false)].map {
    ResamplePixels(bands: $0.0, bytesPerSample: bytes, hasAlpha: $0.1)
  }
}

@Suite("Resampling kernels") struct ResampleTests {
  @Test("differ from the definition by at most 1", arguments: resampleCases)
  func agreesWithDefinition(_ row: ResampleCase) {
    for pixels in layouts {
      for pattern in Pattern.allCases {
        let picture = pattern.picture(row.from, pixels)
        let reference = ResampleReference.resample(picture.samples, row.geometry(), pixels, .lanczos3)
        let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3)
        let result = ResampleHarness.run(plan, picture)
        var expected = reference.rounded
        for pixel in reference.halves where result[pixel + pixels.bands - 1] == 0 {
          for band in 0..<pixels.bands { expected[pixel + band] = 0 }
        }
        let difference = ResampleHarness.difference(result, expected)
        #expect(difference <= 1, "\(pattern) \(pixels)")
      }
    }
  }

  @Test("every kernel agrees with its definition", arguments: ResampleKernel.allCases)
  func everyKernel(_ kernel: ResampleKernel) {
    for row in [resampleCases[1], resampleCases[2], resampleCases[12]] {
      for pixels in layouts {
        let picture = Pattern.noise.picture(row.from, pixels)
        let reference = ResampleReference.resample(picture.samples, row.geometry(), pixels, kernel)
        let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: kernel)
        let result = ResampleHarness.run(plan, picture)
        let difference = ResampleHarness.difference(result, reference.rounded)
        #expect(difference <= (kernel == .nearest ? 0 : 1), "\(row.name) \(pixels)")
      }
    }
  }

  @Test("8-bit error is that of rounding alone: at least 58.8 dB", arguments: [1, 3, 4])
  func signalToNoise(bands: Int) {
    let pixels = ResamplePixels(bands: bands, bytesPerSample: 1, hasAlpha: false)
    for to in [(150, 111), (90, 90), (700, 400)] {
      let row = ResampleCase(name: "", from: (400, 300), to: to)
      let picture = Pattern.noise.picture(row.from, pixels)
      let reference = ResampleReference.resample(
        picture.samples, row.geometry(), pixels, .lanczos3)
      let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3)
      let result = ResampleHarness.run(plan, picture)
      let squares = zip(result, reference.exact).reduce(0.0) {
        $0 + (Double($1.0) - $1.1) * (Double($1.0) - $1.1)
      }
      // 10^5.88: 58.8 dB.
      #expect(255 * 255 / (squares / Double(result.count)) >= 758_577, "\(to)")
    }
  }

  @Test("16-bit error is that of rounding alone: at least 107 dB", arguments: 1...4)
  func signalToNoise16(bands: Int) {
    let pixels = ResamplePixels(bands: bands, bytesPerSample: 2, hasAlpha: false)
    for to in [(150, 111), (90, 40), (470, 130)] {
      let row = ResampleCase(name: "", from: (400, 120), to: to)
      let picture = Pattern.noise.picture(row.from, pixels)
      let reference = ResampleReference.resample(
        picture.samples, row.geometry(), pixels, .lanczos3)
      var results: [[Int]] = []
      for instructions in InstructionSet.supported {
        let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3, instructions: instructions)
        results.append(ResampleHarness.run(plan, picture, strip: 16))
        #expect(results.last == results[0], "\(to) \(instructions)")
      }
      #expect(ResampleHarness.difference(results[0], reference.rounded) <= 1)
      let squares = zip(results[0], reference.exact).reduce(0.0) {
        $0 + (Double($1.0) - $1.1) * (Double($1.0) - $1.1)
      }
      // 10^10.7: 107 dB.
      #expect(65_535 * 65_535 / (squares / Double(results[0].count)) >= 50_118_723_363, "\(to)")
    }
  }

  @Test("strips and workers do not change a byte", arguments: resampleCases)
  func stripsDoNotMatter(_ row: ResampleCase) {
    for pixels in layouts {
      let picture = Pattern.transparentEdges.picture(row.from, pixels)
      let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3)
      let whole = ResampleHarness.run(plan, picture, strip: 10_000)
      for strip in [1, 3, 64] { #expect(ResampleHarness.run(plan, picture, strip: strip) == whole) }
      #expect(ResampleHarness.run(plan, picture, strip: 9, workers: 2) == whole)
    }
  }

  @Test("rows too wide to be kept interleaved", arguments: [3, 4])
  func wideRows(bands: Int) {
    let pixels = ResamplePixels(bands: bands, bytesPerSample: 1, hasAlpha: false)
    let row = ResampleCase(name: "", from: (6_000, 150), to: (90, 8))
    let picture = Pattern.noise.picture(row.from, pixels)
    let reference = ResampleReference.resample(
      picture.samples, row.geometry(), pixels, .lanczos3)
    for instructions in InstructionSet.supported {
      let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3, instructions: instructions)
      let result = ResampleHarness.run(plan, picture, strip: 6)
      #expect(ResampleHarness.difference(result, reference.rounded) <= 1, "\(instructions)")
      #expect(ResampleHarness.runFrame(plan, picture, strip: 3) == result, "\(instructions)")
    }
  }

  @Test("target rows of a strip may be made in any order", arguments: [1, 3, 4])
  func anyOrder(bands: Int) {
    let pixels = ResamplePixels(bands: bands, bytesPerSample: 1, hasAlpha: false)
    let row = ResampleCase(name: "", from: (64, 200), to: (20, 60))
    let picture = Pattern.noise.picture(row.from, pixels)
    for instructions in InstructionSet.supported {
      let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3, instructions: instructions)
      let inOrder = ResampleHarness.runFrame(plan, picture, strip: 60)
      #expect(ResampleHarness.runBackwards(plan, picture, rows: 7) == inOrder, "\(instructions)")
    }
  }

  @Test("a frame in memory gives the same bytes", arguments: resampleCases)
  func framesAgree(_ row: ResampleCase) {
    for pixels in layouts {
      for pattern in [Pattern.noise, .checkerboard, .transparentEdges] {
        let picture = pattern.picture(row.from, pixels)
        let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3)
        let streamed = ResampleHarness.run(plan, picture)
        for strip in [5, 1000] { #expect(ResampleHarness.runFrame(plan, picture, strip: strip) == streamed) }
      }
    }
  }

  @Test("every instruction set gives the same bytes", arguments: resampleCases)
  func instructionSetsAgree(_ row: ResampleCase) {
    for pixels in layouts {
      for pattern in [Pattern.noise, .checkerboard, .transparentEdges] {
        let picture = pattern.picture(row.from, pixels)
        let results = InstructionSet.supported.map { instructions in
          ResampleHarness.run(
            ResamplePlan(row.geometry(), pixels: pixels, kernel: .lanczos3, instructions: instructions), picture)
        }
        for result in results { #expect(result == results[0]) }
      }
    }
  }

  @Test("shapes, parts and formats at random")
  func random() {
    var random = SplitMix(2026)
    for round in 0..<300 {
      let from = (Int.random(in: 1...60, using: &random), Int.random(in: 1...40, using: &random))
      let to = (Int.random(in: 1...70, using: &random), Int.random(in: 1...50, using: &random))
      let left = Double.random(in: 0...Double(from.0) * 0.9, using: &random)
      let top = Double.random(in: 0...Double(from.1) * 0.9, using: &random)
      let width = Double.random(in: 0.05...1, using: &random) * (Double(from.0) - left)
      let height = Double.random(in: 0.05...1, using: &random) * (Double(from.1) - top)
      let row = ResampleCase(name: "", from: from, to: to, box: (left, top, width, height))
      let pixels = layouts[Int.random(in: 0..<layouts.count, using: &random)]
      let kernel = ResampleKernel.allCases[round % 6]
      let picture = Pattern.allCases[round % 5].picture(from, pixels)
      let reference = ResampleReference.resample(picture.samples, row.geometry(), pixels, kernel)
      let plan = ResamplePlan(row.geometry(), pixels: pixels, kernel: kernel)
      let result = ResampleHarness.run(plan, picture, strip: 1 + round % 9)
      let difference = ResampleHarness.difference(result, reference.rounded)
      #expect(
        difference <= 1, "\(from) \(to) \(left) \(top) \(width) \(height) \(pixels) \(kernel)")
    }
  }
}
