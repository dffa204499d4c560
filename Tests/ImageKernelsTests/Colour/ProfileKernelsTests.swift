import Foundation
import TestSupport
import Testing

@testable import ImageKernels

@Suite struct ProfileKernelsTests {
  /// The curve of sRGB and a matrix that takes Display P3 to sRGB, in double precision.
  private enum Reference {
    static let matrix = [1.2249, -0.2247, 0, -0.0420, 1.0419, 0, -0.0196, -0.0786, 1.0979]

    static func convert(_ pixel: [Double]) -> [Double] {
      let light = pixel.map(SRGBTransfer.decode)
      return (0..<3).map { row in
        let sum = (0..<3).reduce(0.0) { $0 + matrix[3 * row + $1] * light[$1] }
        return SRGBTransfer.encode(min(max(sum, 0), 1))
      }
    }
  }

  private func kernel(_ sampleBytes: Int) -> ProfileKernels.Matrix {
    let steps = (0..<4096).map { Double($0) / 4095 }
    let light = steps.map { Float(SRGBTransfer.decode($0)) }
    let encoded = steps.map { Float(SRGBTransfer.encode($0 * $0)) }
    return ProfileKernels.Matrix(
      light: light + light + light, matrix: Reference.matrix.map { Float($0) }, encoded: encoded + encoded + encoded,
      sampleBytes: sampleBytes)
  }

  /// Rows of every length up to two blocks, with and without alpha.
  @Test(arguments: [3, 4])
  func bytes(_ bands: Int) {
    var random = SplitMix(3)
    let kernel = kernel(1)
    for width in [1, 2, 3, 4, 5, 7, 8, 400] {
      var row = (0..<width * bands).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let before = row
      row.withUnsafeMutableBytes {
        ProfileKernels.convert($0.baseAddress!, width: width, bands: bands, sampleBytes: 1, by: kernel)
      }
      for x in 0..<width {
        let expected = Reference.convert((0..<3).map { Double(before[x * bands + $0]) / 255 })
        for band in 0..<3 { #expect(abs(Double(row[x * bands + band]) - expected[band] * 255) <= 0.6) }
        if bands == 4 { #expect(row[x * 4 + 3] == before[x * 4 + 3]) }
      }
    }
  }

  @Test(arguments: [3, 4])
  func words(_ bands: Int) {
    var random = SplitMix(4)
    let kernel = kernel(2)
    let width = 803
    var row = (0..<width * bands).map { _ in UInt16(truncatingIfNeeded: random.next()) }
    let before = row
    row.withUnsafeMutableBytes {
      ProfileKernels.convert($0.baseAddress!, width: width, bands: bands, sampleBytes: 2, by: kernel)
    }
    var worst = 0.0
    for x in 0..<width {
      let expected = Reference.convert((0..<3).map { Double(before[x * bands + $0]) / 65_535 })
      for band in 0..<3 { worst = max(worst, abs(Double(row[x * bands + band]) - expected[band] * 65_535)) }
      if bands == 4 { #expect(row[x * 4 + 3] == before[x * 4 + 3]) }
    }
    // Levels have as many entries as values, and steep curves enlarge a step.
    #expect(worst < 1.5, "\(worst)")
  }

  /// Conversions with every instruction set are those of plain loops, also where curves differ and light is beyond
  /// black and white. Rows end where their memory ends, and alpha stays.
  @Test(arguments: [1, 2], [3, 4])
  func matrixOfEverySet(_ sampleBytes: Int, _ bands: Int) {
    let steps = (0..<4096).map { Double($0) / 4095 }
    let gammas = [1.8, 2.2, 2.4]
    let kernel = ProfileKernels.Matrix(
      light: gammas.flatMap { gamma in steps.map { Float(pow($0, gamma) * 1.02 - 0.01) } },
      matrix: [1.8, -0.6, -0.2, -0.1, 1.15, -0.05, 0, -0.1, 1.1],
      encoded: gammas.flatMap { gamma in steps.map { Float(pow($0 * $0, 1 / gamma)) } }, sampleBytes: sampleBytes)
    var random = SplitMix(12)
    for width in [1, 2, 3, 5, 4000] {
      var source = (0..<width * bands * sampleBytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // White and black.
      for index in 0..<bands * sampleBytes { source[index] = width % 2 == 0 ? 255 : 0 }
      let results = InstructionSet.supported.map { instructions in
        var row = source
        row.withUnsafeMutableBytes {
          ProfileKernels.convert(
            $0.baseAddress!, width: width, bands: bands, sampleBytes: sampleBytes, by: kernel, instructions)
        }
        return row
      }
      for result in results.dropFirst() { #expect(result == results[0], "\(width)") }
      for x in 0..<width where bands == 4 {
        let alpha = (4 * x + 3) * sampleBytes..<(4 * x + 4) * sampleBytes
        #expect(results[0][alpha] == source[alpha])
      }
    }
  }

  /// Results of random grids with every instruction set are those of plain loops. Rows end where their memory ends.
  @Test(arguments: [(3, 3), (3, 1), (4, 3), (3, 4), (4, 4), (4, 1)], [1, 2])
  func instructionSets(_ bands: (source: Int, target: Int), _ sampleBytes: Int) {
    var random = SplitMix(UInt64(bands.source * 8 + bands.target))
    let steps = bands.source == 4 ? 5 : 9
    let count = (0..<bands.source).reduce(1) { total, _ in total * steps }
    let samples = (0..<count * bands.target).map { _ in Float(random.next() % 65_536) / 50_000 - 0.15 }
    let grid = SampledKernels.Grid(
      samples, steps: steps, sourceBands: bands.source, targetBands: bands.target, sampleBytes: sampleBytes)
    for hasAlpha in [false, true] {
      for width in [1, 2, 3, 257] {
        let alpha = hasAlpha ? 1 : 0
        let source = (0..<width * (bands.source + alpha) * sampleBytes).map { index in
          // Equal and extreme fractions, too.
          index % 5 == 0 ? UInt8(255) : index % 7 == 0 ? 0 : UInt8(truncatingIfNeeded: random.next())
        }
        let results = InstructionSet.supported.map { instructions in
          var result = [UInt8](repeating: 7, count: width * (bands.target + alpha) * sampleBytes)
          source.withUnsafeBytes { from in
            result.withUnsafeMutableBytes { to in
              SampledKernels.convert(
                from.baseAddress!, to: to.baseAddress!, width: width, hasAlpha: hasAlpha, sampleBytes: sampleBytes,
                by: grid, instructions)
            }
          }
          return result
        }
        for result in results.dropFirst() { #expect(result == results[0], "\(hasAlpha) \(width)") }
      }
    }
  }

  /// Curves of profiles that differ for each band, a target with a steep curve, and a wide matrix.
  @Test func gammaOfTarget() {
    let matrix: [Float] = [1.8, -0.6, -0.2, -0.1, 1.15, -0.05, 0, -0.1, 1.1]
    let steps = (0..<4096).map { Double($0) / 4095 }
    let gammas = [1.8, 2.2, 2.4]
    let light = gammas.flatMap { gamma in steps.map { Float(pow($0, gamma)) } }
    let encoded = gammas.flatMap { gamma in steps.map { Float(pow($0 * $0, 1 / gamma)) } }
    let kernel = ProfileKernels.Matrix(light: light, matrix: matrix, encoded: encoded, sampleBytes: 1)
    var random = SplitMix(9)
    for _ in 0..<2000 {
      var pixel = (0..<3).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let before = pixel
      pixel.withUnsafeMutableBytes {
        ProfileKernels.convert($0.baseAddress!, width: 1, bands: 3, sampleBytes: 1, by: kernel)
      }
      for row in 0..<3 {
        let sum = (0..<3).reduce(0.0) {
          $0 + Double(matrix[3 * row + $1]) * pow(Double(before[$1]) / 255, gammas[$1])
        }
        let expected = pow(min(max(sum, 0), 1), 1 / gammas[row]) * 255
        #expect(abs(Double(pixel[row]) - expected) <= 1.5, "\(before) \(row) \(expected)")
      }
    }
  }

  /// A grid of a function that is linear in each band gives the function.
  @Test(arguments: [1, 3, 4])
  func grids(_ sourceBands: Int) {
    let steps = 5
    let weights: [Float] = [0.1, 0.2, 0.3, 0.35]
    func value(_ place: [Float]) -> [Float] {
      let sum = zip(place, weights).reduce(Float(0)) { $0 + $1.0 * $1.1 }
      return [sum, 1 - sum, place[0]]
    }
    var samples: [Float] = []
    let count = (0..<sourceBands).reduce(1) { total, _ in total * steps }
    for index in 0..<count {
      var (rest, place) = (index, [Float]())
      for _ in 0..<sourceBands {
        place.append(Float(rest % steps) / Float(steps - 1))
        rest /= steps
      }
      samples += value(place)
    }
    let grid = SampledKernels.Grid(
      samples, steps: steps, sourceBands: sourceBands, targetBands: 3, sampleBytes: 1)
    var random = SplitMix(5)
    let width = 500
    let source = (0..<width * (sourceBands + 1)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var result = [UInt8](repeating: 0, count: width * 4)
    source.withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        SampledKernels.convert(
          from.baseAddress!, to: to.baseAddress!, width: width, hasAlpha: true, sampleBytes: 1, by: grid)
      }
    }
    for x in 0..<width {
      let pixel = source[x * (sourceBands + 1)..<(x + 1) * (sourceBands + 1)]
      let expected = value(pixel.prefix(sourceBands).map { Float($0) / 255 })
      for band in 0..<3 { #expect(abs(Float(result[x * 4 + band]) - expected[band] * 255) <= 0.51) }
      #expect(result[x * 4 + 3] == pixel.last)
    }
  }
}
